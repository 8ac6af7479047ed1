"""What a YAML 1.1 scalar means to Kubernetes: the rules of sigs.k8s.io/yaml over yaml.v2, then JSON's."""

from __future__ import annotations

import base64
import math
import re
import struct
from typing import Final

Scalar = str | int | float | bool | None

NUMBER_STARTS: Final = frozenset("+-.0123456789")
"""A plain scalar that starts with none of these, and is not among `WORDS`, is a string."""

_TAG_PREFIX: Final = "tag:yaml.org,2002:"

MERGE_TAG: Final = "tag:yaml.org,2002:merge"

WORDS: Final[dict[str, Scalar]] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
"""Plain scalars with a meaning of their own."""

_INTEGER: Final = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<hex>[0-9a-fA-F]+)|0[bB](?P<binary>[01]+)|0[oO]?(?P<octal>[0-7]+)"
    r"|(?P<decimal>0|[1-9][0-9]*))"
)
_BASES: Final = {"hex": 16, "binary": 2, "octal": 8, "decimal": 10}
_SIGNED_BINARY: Final = re.compile(r"0b(?P<sign>[-+])(?P<digits>[01]+)")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_POINT_FLOAT: Final = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")
_BASE64: Final = re.compile(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?")
_TIMESTAMP: Final = re.compile(
    r"(?P<year>[0-9]{4})-(?P<month>[0-9]{1,2})-(?P<day>[0-9]{1,2})"
    r"(?:(?:(?P<zoned>[Tt])| +)(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{1,2}):(?P<second>[0-9]{1,2})"
    r"(?:[.,][0-9]+)?(?(zoned)(?:Z|[-+](?P<ahead>[0-9]{2}):(?P<past>[0-9]{2}))))?"
)


class ScalarError(ValueError):
    """A scalar that Kubernetes' reader refuses; the text says why, without the scalar."""


def resolve_plain(text: str) -> Scalar:
    """The value of an untagged plain scalar; a float stays one (see `json_value`)."""
    if text in WORDS:
        return WORDS[text]
    if text[0] == ".":
        return _finite(text) if _POINT_FLOAT.fullmatch(text) else text
    return _number(text) if text[0] in NUMBER_STARTS else text


def resolve_tagged(tag: str, text: str) -> Scalar:
    """The value of a scalar with an explicit tag, whatever its style; a tag of no meaning makes a string.

    Raises ScalarError where the text is not of the tag's type.
    """
    name = tag.removeprefix(_TAG_PREFIX) if tag.startswith(_TAG_PREFIX) else ""
    if name == "binary":
        return _decode_binary(text)
    if name not in _TYPES:
        return text
    value = resolve_plain(text)
    if name == "float" and type(value) is int and -(2**63) <= value < 2**63:
        return float(value)
    if name == "timestamp" and isinstance(value, str) and is_timestamp(text):
        return text
    if type(value) is not _TYPES[name]:
        raise ScalarError(f"the value is not of its tag's type `!!{name}`")
    return value


_TYPES: Final = {"bool": bool, "int": int, "float": float, "null": type(None), "timestamp": None}


def json_value(value: Scalar) -> Scalar:
    """A scalar as JSON holds it: an integral float is an integer; raises ScalarError for .inf and .nan."""
    if type(value) is not float:
        return value
    if not math.isfinite(value):
        raise ScalarError("JSON has no infinity and no NaN")
    if not value.is_integer():
        return value
    return int(value) if abs(value) < 2**53 else _shortest_integer(value)


def key_text(value: Scalar) -> str:
    """A mapping key as JSON holds it; raises ScalarError for null and for integers beyond int64."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _key_float(value)
    if value is None or not -(2**63) <= value < 2**63:
        raise ScalarError("a mapping key may not be null" if value is None else "a mapping key is too large")
    return str(value)


def is_timestamp(text: str) -> bool:
    """Whether yaml.v2 takes `text` for a timestamp; its value stays the text either way."""
    match = _TIMESTAMP.fullmatch(text)
    if match is None:
        return False
    part = {name: int(digits) for name, digits in match.groupdict("0").items() if digits.isdigit()}
    return (
        1 <= part["month"] <= 12
        and 1 <= part["day"] <= _days(part["year"], part["month"])
        and part["hour"] < 24
        and part["minute"] < 60
        and part["second"] < 60
        and part["ahead"] <= 24
        and part["past"] <= 60
    )


def _number(text: str) -> Scalar:
    plain = text.replace("_", "")
    integer = _integer(plain)
    if integer is not None:
        return integer
    number = _finite(plain) if _FLOAT.fullmatch(plain) else plain
    return number if isinstance(number, float) else text


def _integer(plain: str) -> int | None:
    match = _INTEGER.fullmatch(plain)
    if match is None:
        # yaml.v2 hands what follows `0b` to a parser that takes a sign of its own.
        match = _SIGNED_BINARY.fullmatch(plain)
        return _bounded(match["sign"], match["digits"], 2) if match else None
    kind = match.lastgroup
    assert kind is not None
    return _bounded(match["sign"], match[kind], _BASES[kind])


def _bounded(sign: str, digits: str, base: int) -> int | None:
    """The integer where int64, or without a sign uint64, holds it; digits are counted before converting."""
    significant = digits.lstrip("0")
    if len(significant) > 64:
        return None
    value = int(significant or "0", base)
    value = -value if sign == "-" else value
    return value if -(2**63) <= value < (2**63 if sign else 2**64) else None


def _finite(text: str) -> float | str:
    """The float nearest to `text`; beyond float64 it stays text, as yaml.v2 leaves it."""
    value = float(text)
    return value if math.isfinite(value) else text


def _decode_binary(text: str) -> str:
    packed = text.replace("\r", "").replace("\n", "")
    if not _BASE64.fullmatch(packed):
        raise ScalarError("the `!!binary` value is not base64")
    decoded = base64.b64decode(packed).decode("utf-8", "surrogateescape")
    # Go's JSON writer replaces every single byte that is not UTF-8; Python's "replace" would join some.
    return re.sub("[\udc80-\udcff]", "\ufffd", decoded)


def _shortest_integer(value: float) -> int:
    """The integer that the shortest decimal of a large float spells, as JSON would show it."""
    from decimal import Decimal

    return int(Decimal(repr(value)))


def _key_float(value: float) -> str:
    """A float as yaml.v2's companion writes it in a key: shortest float32, `%g` with six digits."""
    if math.isnan(value):
        return ".nan"
    try:
        single = struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        single = math.copysign(math.inf, value)
    if math.isinf(single):
        return ".inf" if single > 0 else "-.inf"
    mantissa, exponent = _shortest_single(single)
    if -4 <= exponent < 6:
        return _positional(mantissa, exponent)
    return f"{mantissa}e{exponent:+03d}"


def _shortest_single(single: float) -> tuple[str, int]:
    text = ""
    for digits in range(9):
        text = f"{single:.{digits}e}"
        if struct.pack("f", float(text)) == struct.pack("f", single):
            break
    mantissa, _, exponent = text.partition("e")
    return mantissa, int(exponent)


def _positional(mantissa: str, exponent: int) -> str:
    sign = "-" if mantissa.startswith("-") else ""
    digits = mantissa.lstrip("-").replace(".", "")
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole, fraction = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{sign}{whole}.{fraction}" if fraction else f"{sign}{whole}"


def _days(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31
