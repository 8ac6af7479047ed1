"""JSON with one spelling: RFC 8785 for digests, compact text for runtime configurations.

Both are written by the C encoder, which differs from RFC 8785 in three places only: floats, integers that no
double holds, and the order of keys beyond the Basic Multilingual Plane. Where its text could hold one of
these, the slower writer of this module decides.
"""

from __future__ import annotations

import hashlib
import json
import re
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final

from kagent_render.diagnostics.diagnostic import field_text

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import FieldPath

LARGEST_INTEGER: Final = 2**53
"""The largest magnitude up to which every integer is exact in a double."""

_SORTED: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_UNSORTED: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))
# A float or a long integer where a value can stand, or text that looks like one: that only costs time.
_DOUBTFUL_NUMBER: Final = re.compile(
    r"""[0-9NI] (?: (?<=":.) | (?<=":-.) | (?<=[,\[].) | (?<=[,\[]-.) )
        (?: [0-9]{15} | [0-9]* (?: \.[0-9] | e[-+] ) | aN | nfinity )""",
    re.VERBOSE,
)
_DOUBTFUL_KEY: Final = re.compile("[\U00010000-\U0010ffff]")
_NO_YAML: Final = re.compile("[\x7f-\x9f\ufffe\uffff]")
_LONE_SURROGATE: Final = re.compile("[\ud800-\udfff]")


class CanonicalFormError(ValueError):
    """A value that has no canonical form; `path` leads to it."""

    def __init__(self, path: FieldPath, problem: str) -> None:
        super().__init__(f"`{field_text(path)}` {problem}" if path else f"the value {problem}")
        self.path = path
        self.problem = problem


def digest(value: Any) -> str:
    """`sha256:` and the hex digest over the RFC 8785 form of plain data."""
    return "sha256:" + hashlib.sha256(canonical(value)).hexdigest()


def text_digest(text: str) -> str:
    """`sha256:` and the hex digest over the text's UTF-8 bytes."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def canonical(value: Any) -> bytes:
    """The RFC 8785 form of plain data with text keys.

    Raises CanonicalFormError at NaN, infinity, an integer beyond 2^53, a lone surrogate, nesting that is too
    deep and what is no plain data.
    """
    return _encode(value, _SORTED).encode()


def compact(value: Any) -> str:
    """Compact JSON in the mapping's own key order; what JSON requires is escaped, and what YAML refuses.

    Numbers are written as RFC 8785 does, but integers of any size are exact. Raises CanonicalFormError.
    """
    text = _encode(value, _UNSORTED)
    if _NO_YAML.search(text):
        return _NO_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
    return text


def number_text(value: float) -> str:
    """A finite double as ECMAScript writes it (RFC 8785 §3.2.2.3)."""
    if value == 0:
        return "0"
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = int(exponent or 0) + len(whole) - (len(whole + fraction) - len(digits))
    return ("-" if value < 0 else "") + _place_point(digits.rstrip("0"), point)


def _place_point(digits: str, point: int) -> str:
    """Write 0.`digits` times ten to the power of `point`."""
    if len(digits) <= point <= 21:
        return digits + "0" * (point - len(digits))
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    fraction = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{digits[0]}{fraction}e{point - 1:+d}"


def _encode(value: Any, encoder: json.JSONEncoder) -> str:
    if isinstance(value, int | float):
        return _write_carefully(value, encoder)
    try:
        text = encoder.encode(value)
    except (TypeError, ValueError, RecursionError):
        return _write_carefully(value, encoder)
    if text.isascii():
        return _write_carefully(value, encoder) if _DOUBTFUL_NUMBER.search(text) else text
    doubtful = _DOUBTFUL_NUMBER.search(text) or _DOUBTFUL_KEY.search(text) or _LONE_SURROGATE.search(text)
    return _write_carefully(value, encoder) if doubtful else text


def _write_carefully(value: Any, encoder: json.JSONEncoder) -> str:
    out: list[str] = []
    try:
        _write(value, (), out, encoder.sort_keys)
    except RecursionError:
        raise CanonicalFormError((), "is nested too deeply or holds itself") from None
    return "".join(out)


def _write(value: Any, path: FieldPath, out: list[str], hashed: bool) -> None:
    if isinstance(value, dict):
        _write_mapping(value, path, out, hashed)
    elif isinstance(value, list | tuple):
        opening = "["
        for index, item in enumerate(value):
            out.append(opening)
            _write(item, (*path, index), out, hashed)
            opening = ","
        out.append("]" if value else "[]")
    else:
        out.append(_scalar_text(value, path, hashed))


def _write_mapping(value: dict[Any, Any], path: FieldPath, out: list[str], hashed: bool) -> None:
    for key in value:
        if not isinstance(key, str):
            raise CanonicalFormError(path, "has a key that is not text")
        if _LONE_SURROGATE.search(key):
            raise CanonicalFormError(path, "has a key with half a surrogate pair")
    opening = "{"
    for key in sorted(value, key=_utf16_units) if hashed else value:
        out.append(f"{opening}{encode_basestring(key)}:")
        _write(value[key], (*path, key), out, hashed)
        opening = ","
    out.append("}" if value else "{}")


def _utf16_units(key: str) -> bytes:
    return key.encode("utf-16-be")


def _scalar_text(value: Any, path: FieldPath, hashed: bool) -> str:
    if isinstance(value, str):
        if _LONE_SURROGATE.search(value):
            raise CanonicalFormError(path, "holds half a surrogate pair")
        return encode_basestring(value)
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        if hashed and abs(value) > LARGEST_INTEGER:
            raise CanonicalFormError(path, "is an integer beyond 2^53")
        return int.__repr__(value)
    if isinstance(value, float):
        if value != value or value in (float("inf"), float("-inf")):
            raise CanonicalFormError(path, "is not a finite number")
        return number_text(value)
    raise CanonicalFormError(path, f"is no plain data but `{type(value).__name__}`")
