"""Go's literals of strings and characters: read like `strconv.Unquote`, written like `strconv.Quote`."""

from __future__ import annotations

from typing import Final

from kagent_render.prompt import runes
from kagent_render.prompt.faults import Refusal

_ESCAPES: Final = {
    "a": 0x07,
    "b": 0x08,
    "f": 0x0C,
    "n": 0x0A,
    "r": 0x0D,
    "t": 0x09,
    "v": 0x0B,
    "\\": 0x5C,
}
_ESCAPE_OF: Final = {rune: "\\" + letter for letter, rune in _ESCAPES.items()}
_CODE_DIGITS: Final = {"x": 2, "u": 4, "U": 8}
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_OCTAL: Final = frozenset("01234567")


def unquote(literal: str) -> bytes:
    """The string that a quoted or raw literal stands for; raises Refusal when Go would not read it."""
    inner = literal[1:-1]
    if literal[0] == "`":
        return inner.replace("\r", "").encode()
    if "\\" not in inner:
        return inner.encode()
    parts: list[bytes] = []
    at = 0
    while at < len(inner):
        escape = inner.find("\\", at)
        if escape < 0:
            escape = len(inner)
        parts.append(inner[at:escape].encode())
        if escape == len(inner):
            break
        value, is_byte, at = _escape(inner, escape, '"')
        parts.append(bytes([value]) if is_byte else runes.encode(value))
    return b"".join(parts)


def unquote_character(literal: str) -> int:
    """The code point of a character constant such as `'a'`; raises Refusal when Go would not read it."""
    inner = literal[1:-1]
    if not inner.startswith("\\"):
        if len(inner) != 1:
            raise Refusal("a character constant holds exactly one character")
        return ord(inner)
    value, _, end = _escape(inner, 0, "'")
    if end != len(inner):
        raise Refusal("a character constant holds exactly one character")
    return value


def _escape(text: str, at: int, quote: str) -> tuple[int, bool, int]:
    """Read the escape at `at`: its value, whether that is a byte and no rune, and where it ends."""
    letter = text[at + 1 : at + 2]
    at += 2
    if letter in _ESCAPES:
        return _ESCAPES[letter], False, at
    if letter == quote:
        return ord(quote), False, at
    if letter in _CODE_DIGITS:
        return _code(text[at : at + _CODE_DIGITS[letter]], letter), letter == "x", at + _CODE_DIGITS[letter]
    if letter in _OCTAL:
        digits = text[at - 1 : at + 2]
        if len(digits) == 3 and _OCTAL.issuperset(digits) and int(digits, 8) < 0x100:
            return int(digits, 8), True, at + 2
    raise Refusal(f"`\\{letter}` is no escape of Go")


def _code(digits: str, letter: str) -> int:
    if len(digits) == _CODE_DIGITS[letter] and _HEX.issuperset(digits):
        value = int(digits, 16)
        if letter == "x" or runes.is_valid(value):
            return value
    raise Refusal(f"`\\{letter}` needs {_CODE_DIGITS[letter]} hexadecimal digits of a valid code point")


def quote(text: bytes, *, ascii_only: bool = False) -> bytes:
    """Write `text` as a double-quoted Go literal; `ascii_only` escapes what is not ASCII."""
    return '"{}"'.format("".join(_shown(c, '"', ascii_only) for c in runes.decode(text))).encode()


def quote_rune(rune: int, *, ascii_only: bool = False) -> bytes:
    """Write `rune` as a single-quoted Go literal; one that is not valid becomes U+FFFD."""
    valid = rune if runes.is_valid(rune) else runes.REPLACEMENT
    return "'{}'".format(_shown(chr(valid), "'", ascii_only)).encode()


def can_backquote(text: bytes) -> bool:
    """Whether `text` can stand unchanged in a raw Go literal of one line."""
    return all(
        (rune >= 0x20 or rune == 0x09) and rune not in {0x60, 0x7F, 0xFEFF} and runes.is_valid(rune)
        for rune in map(ord, runes.decode(text))
    )


def _shown(character: str, quote: str, ascii_only: bool) -> str:
    rune = ord(character)
    byte = runes.broken_byte(character)
    if byte is not None:
        shown = f"\\x{byte:02x}"
    elif character in (quote, "\\"):
        shown = "\\" + character
    elif runes.is_printable(rune) and (rune < 0x80 or not ascii_only):
        shown = character
    elif rune in _ESCAPE_OF:
        shown = _ESCAPE_OF[rune]
    elif rune < 0x20 or rune == 0x7F:
        shown = f"\\x{rune:02x}"
    else:
        shown = f"\\u{rune:04x}" if rune < 0x10000 else f"\\U{rune:08x}"
    return shown
