"""Runes as Go sees them: classes of code points, and UTF-8 that may be broken."""

from __future__ import annotations

import functools
from bisect import bisect_right
from typing import Final

from kagent_render.prompt import code_points

REPLACEMENT: Final = 0xFFFD
"""What Go makes of a byte or a number that is no rune."""

SPACES: Final = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
"""The characters that Go's `unicode.IsSpace` holds for."""

_BYTE_ESCAPES: Final = range(0xDC80, 0xDD00)


def is_letter(rune: int) -> bool:
    """Whether Go's `unicode.IsLetter` holds."""
    if rune < 0x80:
        return 0x41 <= rune <= 0x5A or 0x61 <= rune <= 0x7A
    return _within(rune, _ranges(code_points.LETTERS))


def is_digit(rune: int) -> bool:
    """Whether Go's `unicode.IsDigit` holds."""
    if rune < 0x80:
        return 0x30 <= rune <= 0x39
    return _within(rune, _ranges(code_points.DIGITS))


def is_printable(rune: int) -> bool:
    """Whether Go's `strconv.IsPrint` holds."""
    if rune < 0x80:
        return 0x20 <= rune < 0x7F
    return _within(rune, _ranges(code_points.PRINTABLE))


def is_alphanumeric(character: str) -> bool:
    """Whether `character` may stand in an identifier of a template."""
    if character.isascii():
        return character.isalnum() or character == "_"
    return is_letter(ord(character)) or is_digit(ord(character))


def is_valid(rune: int) -> bool:
    """Whether `rune` can be encoded: a code point that is no surrogate."""
    return 0 <= rune < 0xD800 or 0xE000 <= rune <= 0x10FFFF


def encode(rune: int) -> bytes:
    """The UTF-8 of `rune`, or of the replacement character."""
    return chr(rune if is_valid(rune) else REPLACEMENT).encode()


def decode(text: bytes) -> str:
    """The runes of `text`, one character each; `broken_byte` tells those that are no UTF-8."""
    return text.decode("utf-8", "surrogateescape")


def broken_byte(character: str) -> int | None:
    """The byte behind a character of `decode` that is not UTF-8, else None."""
    rune = ord(character)
    return rune - 0xDC00 if rune in _BYTE_ESCAPES else None


def count(text: bytes) -> int:
    """How many runes `text` has; a byte that is not UTF-8 counts as one."""
    return len(text) if text.isascii() else len(decode(text))


def truncate(text: bytes, runes: int) -> bytes:
    """The first `runes` runes of `text`."""
    if len(text) <= runes:
        return text
    # A rune is four bytes at most; a rune that this cut breaks lies behind the wanted ones.
    return decode(text[: 4 * runes])[:runes].encode("utf-8", "surrogateescape")


@functools.cache
def _ranges(text: str) -> tuple[list[int], list[int]]:
    bounds = [word.partition("-") for word in text.split()]
    return [int(first, 16) for first, _, _ in bounds], [int(last or first, 16) for first, _, last in bounds]


def _within(rune: int, ranges: tuple[list[int], list[int]]) -> bool:
    firsts, lasts = ranges
    place = bisect_right(firsts, rune) - 1
    return place >= 0 and rune <= lasts[place]
