r"""YAML with one spelling, which YAML 1.1 and 1.2 readers understand alike.

Keys keep their order. Indentation is two spaces and dashes stand at their key's column. A string is plain
where no reader takes it for anything else; text of several lines is a literal block. Of the others, one that
holds `"` or `\` and nothing that needs an escape is single-quoted, so that JSON stays readable; the rest is
double-quoted with JSON's escapes. Nothing is folded, and there are no comments, anchors or tags.
"""

from __future__ import annotations

import functools
import math
import re
from json.encoder import encode_basestring
from typing import Any, Final

from kagent_render.revision.canonical_json import LARGEST_INTEGER, CanonicalFormError

LONGEST_SIMPLE_KEY: Final = 128
"""The longest written key, in characters, that needs no `?`; libyaml's writer draws the line there too."""

_LONGEST_REMEMBERED: Final = 128
# What readers refuse, fold or hide: controls, the line breaks of YAML 1.1, byte order marks, the two
# non-characters outside YAML's character set, and the directional controls that make a reviewer see other
# text than a reader. Tab and line feed have rules of their own.
_UNSAFE: Final = "\0-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff"
_SURROGATES: Final = "\ud800-\udfff"
_TO_ESCAPE: Final = re.compile(f"[{_UNSAFE}]")
_LONE_SURROGATE: Final = re.compile(f"[{_SURROGATES}]")
_PLAIN: Final = re.compile(
    rf"""
    (?! (?: ~ | null | true | false | yes | no | on | off | y | n | = | <<
          | [-+]? \.? (?: inf | infinity | nan )
          | [-+]? [.0-9] [0-9_.,:]* (?: e [-+]? [0-9_.]* )?         # decimal, sexagesimal, grouped
          | [-+]? 0 [xob] [0-9a-f_]*
          | [0-9]{{4}} - [0-9]{{1,2}} - [0-9]{{1,2}} .*             # dates and times
          | \.\.\. [ ] .*                                           # the end of a document
        ) \Z )
    (?: [a-z0-9_/.+$()^;~=<\\] | -{{1,2}} [a-z]
      | [^\0-\xa0\u1680\u2000-\u200b\u202f\u205f\u3000{_UNSAFE}{_SURROGATES}] )
    (?: : (?! [ ] | \Z ) | [ ] (?! [ ]* (?: [#] | \Z ) ) | [^: \t\n{_UNSAFE}{_SURROGATES}] )* \Z
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_SINGLE_QUOTED: Final = re.compile(rf"""(?=.*["\\]) [^\t\n{_UNSAFE}{_SURROGATES}]* \Z""", re.VERBOSE)
_LITERAL: Final = re.compile(rf"[^\s{_UNSAFE}{_SURROGATES}] [^{_UNSAFE}{_SURROGATES}]* \Z", re.VERBOSE)


def dump(value: Any) -> str:
    """The canonical YAML document of plain data with text keys; it ends with a line feed.

    Raises CanonicalFormError at NaN, infinity, an integer beyond 64 bits, a whole double beyond 2^53, a lone
    surrogate, nesting that is too deep and what is no plain data.
    """
    out: list[str] = []
    try:
        _write(value, "", "", True, out)
    except RecursionError:
        raise CanonicalFormError((), "is nested too deeply or holds itself") from None
    return "".join(out)


def _write(value: Any, head: str, inner: str, inline: bool, out: list[str]) -> None:
    """Write `value` behind `head`, the line so far.

    `inner` indents a mapping's entries below; `inline` lets the first entry follow `head` on its line.
    """
    if isinstance(value, str):
        _write_string(value, head, inner, out)
    elif isinstance(value, dict) and value:
        if not inline:
            out.append(head[:-1] + "\n")
        _write_mapping(value, head if inline else inner, inner, out)
    elif isinstance(value, list | tuple) and value:
        if inline:
            _write_sequence(value, head, inner, out)
        else:
            out.append(head[:-1] + "\n")
            _write_sequence(value, inner[2:], inner[2:], out)
    else:
        out.append(f"{head}{_other_text(value)}\n")


def _write_mapping(value: dict[Any, Any], lead: str, indent: str, out: list[str]) -> None:
    inner = indent + "  "
    for key, item in value.items():
        text = _key_text(key)
        if len(text) > LONGEST_SIMPLE_KEY:
            text = f"? {text}\n{indent}"
        # Most values are short texts, so these skip the general way.
        if type(item) is str and len(item) <= _LONGEST_REMEMBERED and "\n" not in item:
            out.append(f"{lead}{text}: {_short_string_text(item)}\n")
        else:
            _write(item, f"{lead}{text}: ", inner, False, out)
        lead = indent


def _write_sequence(value: list[Any] | tuple[Any, ...], lead: str, indent: str, out: list[str]) -> None:
    inner = indent + "  "
    for item in value:
        _write(item, lead + "- ", inner, True, out)
        lead = indent


def _write_string(text: str, head: str, inner: str, out: list[str]) -> None:
    if "\n" not in text or not _LITERAL.match(text):
        out.append(f"{head}{_string_text(text)}\n")
        return
    ended = text.endswith("\n")
    style = "|-" if not ended else "|+" if text.endswith("\n\n") else "|"
    out.append(f"{head}{style}\n")
    indent = inner or "  "
    lines = text.removesuffix("\n").split("\n")
    out.extend(f"{indent}{line}\n" if line else "\n" for line in lines)


def _string_text(text: str) -> str:
    return _short_string_text(text) if len(text) <= _LONGEST_REMEMBERED else _one_line_text(text)


def _one_line_text(text: str) -> str:
    if _PLAIN.match(text):
        return text
    if _SINGLE_QUOTED.match(text):
        return "'" + text.replace("'", "''") + "'"
    quoted = encode_basestring(text)
    if text.isascii() and "\x7f" not in text:
        return quoted
    if _LONE_SURROGATE.search(text):
        raise CanonicalFormError((), "holds half a surrogate pair")
    return _TO_ESCAPE.sub(lambda found: f"\\u{ord(found[0]):04x}", quoted)


@functools.lru_cache(maxsize=4096)
def _key_text(key: object) -> str:
    if not isinstance(key, str):
        raise CanonicalFormError((), "has a key that is not text")
    return _one_line_text(key)


_short_string_text = functools.lru_cache(maxsize=4096)(_one_line_text)


def _other_text(value: Any) -> str:
    """An empty collection, null, boolean or number."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, int):
        if not -(2**63) <= value < 2**64:
            raise CanonicalFormError((), "is an integer beyond 64 bits")
        return int.__repr__(value)
    if isinstance(value, float):
        return _float_text(value)
    if isinstance(value, dict | list | tuple):
        return "{}" if isinstance(value, dict) else "[]"
    raise CanonicalFormError((), f"is no plain data but `{type(value).__name__}`")


def _float_text(value: float) -> str:
    """A double in a form that YAML 1.1 takes for one; a whole one is an integer, as it is for Kubernetes."""
    if not math.isfinite(value):
        raise CanonicalFormError((), "is not a finite number")
    if not value.is_integer():
        mantissa, exponent, power = repr(value).partition("e")
        return f"{mantissa if '.' in mantissa else mantissa + '.0'}{exponent}{power}"
    if abs(value) > LARGEST_INTEGER:
        raise CanonicalFormError((), "is a whole number beyond 2^53")
    return str(int(value))
