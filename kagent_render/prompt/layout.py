"""One value under one verb of Go's fmt: flags, width, precision and the forms of numbers and strings."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Final

from kagent_render.prompt import quoting, runes
from kagent_render.prompt.floats import format_float

_BASE_PREFIXES: Final = {2: "0b", 16: "0x"}
_BASE_FORMATS: Final = {2: "b", 8: "o", 10: "d", 16: "x"}
_UINT64: Final = (1 << 64) - 1
_MAX_RUNE: Final = 0x10FFFF
_SHORTEST_DIGITS: Final = 6


@dataclass(slots=True)
class Flags:
    """What stands between `%` and the verb; `sharp_v` and `plus_v` are the forms that `#v` and `+v` ask for.

    `width` and `precision` count runes, digits or bytes, as the verb has it; precision None is none given.
    """

    sharp: bool = False
    zero: bool = False
    plus: bool = False
    minus: bool = False
    space: bool = False
    sharp_v: bool = False
    plus_v: bool = False
    width: int = 0
    precision: int | None = None


def pad(text: bytes, flags: Flags, *, zeros: bool = True) -> bytes:
    """Fill `text` up to the width, with zeros only on the left and only where they are wanted."""
    missing = flags.width - runes.count(text) if flags.width else 0
    if missing <= 0:
        return text
    if flags.minus:
        return text + b" " * missing
    return (b"0" if flags.zero and zeros else b" ") * missing + text


def lay_out_bool(value: bool, flags: Flags) -> bytes:
    """`true` or `false`."""
    return pad(b"true" if value else b"false", flags)


def lay_out_integer(value: int, base: int, verb: str, flags: Flags) -> bytes:
    """An integer in base 2, 8, 10 or 16; the verbs `X` and `O` change the letters and the prefix."""
    if flags.precision == 0 and value == 0:
        return b" " * flags.width
    digits = format(abs(value), _BASE_FORMATS[base])
    least = flags.precision
    if least is None:
        pads = flags.zero and not flags.minus
        least = flags.width - (value < 0 or flags.plus or flags.space) if pads else 0
    digits = digits.rjust(least, "0")
    if flags.sharp:
        digits = _BASE_PREFIXES.get(base, "0" if base == 8 and digits[0] != "0" else "") + digits
    if verb == "X":
        digits = digits.upper()
    if verb == "O":
        digits = "0o" + digits
    sign = "-" if value < 0 else "+" if flags.plus else " " if flags.space else ""
    return pad((sign + digits).encode(), flags, zeros=False)


def lay_out_unicode(value: int, flags: Flags) -> bytes:
    """`U+0041`, and with `#` also `U+0041 'A'`."""
    code = value & _UINT64
    text = f"U+{code:X}" if flags.precision is None else f"U+{code:0{flags.precision}X}"
    text = f"U+{text[2:].rjust(4, '0')}"
    if flags.sharp and code <= _MAX_RUNE and runes.is_printable(code):
        text += f" '{chr(code)}'"
    return pad(text.encode(), flags, zeros=False)


def lay_out_character(value: int, flags: Flags) -> bytes:
    """The character of a code point."""
    return pad(runes.encode(value), flags)


def lay_out_quoted_character(value: int, flags: Flags) -> bytes:
    """The character of a code point as a Go literal."""
    return pad(quoting.quote_rune(value, ascii_only=flags.plus), flags)


def lay_out_string(text: bytes, flags: Flags) -> bytes:
    """A string, cut to the precision."""
    return pad(_cut(text, flags), flags)


def lay_out_quoted(text: bytes, flags: Flags) -> bytes:
    """A string as a Go literal; with `#` a raw one where that is possible."""
    text = _cut(text, flags)
    if flags.sharp and quoting.can_backquote(text):
        return pad(b"`" + text + b"`", flags)
    return pad(quoting.quote(text, ascii_only=flags.plus), flags)


def lay_out_hex(text: bytes, verb: str, flags: Flags) -> bytes:
    """The bytes of a string in hexadecimal; the precision counts bytes."""
    if flags.precision is not None:
        text = text[: flags.precision]
    prefix = "0x" if flags.sharp and text else ""
    shown = prefix + text.hex(" ").replace(" ", f" {prefix}") if flags.space else prefix + text.hex()
    return pad((shown.upper() if verb == "X" else shown).encode(), flags)


def lay_out_float(value: float, verb: str, precision: int | None, flags: Flags) -> bytes:
    """A finite float under a verb of `strconv.FormatFloat`; `precision` holds where the flags give none."""
    precision = flags.precision if flags.precision is not None else precision
    text = format_float(value, verb, precision)
    negative = text[0] == "-"
    digits = text[1:] if negative else text
    if flags.sharp and verb != "b":
        digits = _with_point(digits, verb, precision)
    sign = "-" if negative else "+" if flags.plus else " " if flags.space else ""
    if sign and flags.zero and not flags.minus:
        digits = digits.rjust(flags.width - 1, "0")
    return pad((sign + digits).encode(), flags)


def lay_out_complex(value: complex, verb: str, precision: int | None, flags: Flags) -> bytes:
    """A complex number; the width holds for each part."""
    real = lay_out_float(value.real, verb, precision, flags)
    imaginary = lay_out_float(value.imag, verb, precision, dataclasses.replace(flags, plus=True))
    return b"(" + real + imaginary + b"i)"


def _cut(text: bytes, flags: Flags) -> bytes:
    return text if flags.precision is None else runes.truncate(text, flags.precision)


def _with_point(digits: str, verb: str, precision: int | None) -> str:
    """What `#` makes of a float: a point always, and the zeros that `g` and `x` would drop."""
    missing = 0
    if verb in "gGx":
        missing = _SHORTEST_DIGITS if precision is None else precision
    marks = "pP" if verb in "xX" else "eEpP"
    end = next((i for i, c in enumerate(digits) if c in marks), len(digits))
    number, tail = digits[:end], digits[end:]
    # The `x` of the prefix counts like a digit: that is what Go does.
    missing -= len(number.replace(".", "").lstrip("0"))
    if "." not in number:
        missing -= number == "0"
        number += "."
    return number + "0" * missing + tail
