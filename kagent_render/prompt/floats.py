"""Floating-point numbers as text: Go's `strconv.FormatFloat` for finite float64 values."""

from __future__ import annotations

import math
from typing import Final

_MANTISSA_BITS: Final = 52
_LEAST_EXPONENT: Final = -1074
_POINT_BIT: Final = 60
_LEAST_PLAIN: Final = -4
_MOST_PLAIN: Final = 5


def format_float(value: float, verb: str, precision: int | None) -> str:
    """`value` as `verb` of e, E, f, g, G, b, x or X writes it; precision None is the shortest exact form."""
    if verb == "b":
        return _binary(value)
    if verb in "xX":
        return _hexadecimal(value, verb, precision)
    if precision is None:
        return _shortest(value, verb)
    return f"%.{precision}{verb}" % value


def _shortest(value: float, verb: str) -> str:
    """The `g` form with the fewest digits that read back as `value`."""
    digits, exponent = _digits(value)
    sign = "-" if math.copysign(1, value) < 0 else ""
    if not _LEAST_PLAIN <= exponent <= _MOST_PLAIN:
        tail = "." + digits[1:] if len(digits) > 1 else ""
        return f"{sign}{digits[0]}{tail}{'E' if verb == 'G' else 'e'}{exponent:+03d}"
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole = digits[: exponent + 1].ljust(exponent + 1, "0")
    fraction = digits[exponent + 1 :]
    return f"{sign}{whole}.{fraction}" if fraction else sign + whole


def _digits(value: float) -> tuple[str, int]:
    """The shortest decimal digits of a value and the exponent of the first."""
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    power = int(exponent or "0") + len(whole) - 1
    digits = whole + fraction
    stripped = digits.lstrip("0")
    power -= len(digits) - len(stripped)
    return (stripped.rstrip("0"), power) if stripped else ("0", 0)


def _binary(value: float) -> str:
    fraction, exponent = _integral(value)
    return f"{fraction}p{exponent:+d}"


def _integral(value: float) -> tuple[str, int]:
    """The mantissa as a signed integer and the power of two that it is multiplied by."""
    sign = "-" if math.copysign(1, value) < 0 else ""
    _, exponent = math.frexp(value)
    power = max(exponent - _MANTISSA_BITS - 1, _LEAST_EXPONENT) if value else _LEAST_EXPONENT
    return sign + str(int(math.ldexp(abs(value), -power))), power


def _hexadecimal(value: float, verb: str, precision: int | None) -> str:
    sign = "-" if math.copysign(1, value) < 0 else ""
    mantissa, exponent = 0, 0
    if value:
        fraction, exponent = math.frexp(abs(value))
        mantissa, exponent = int(math.ldexp(fraction, _POINT_BIT + 1)), exponent - 1
    if precision is not None and precision < 15:
        mantissa, exponent = _rounded(mantissa, exponent, precision)
    digits = f"{mantissa & ((1 << _POINT_BIT) - 1):015x}"
    digits = digits.rstrip("0") if precision is None else digits.ljust(precision, "0")[:precision]
    point = "." + digits if digits else ""
    text = f"{sign}0x{mantissa >> _POINT_BIT}{point}p{'-' if exponent < 0 else '+'}{abs(exponent):02d}"
    return text.upper() if verb == "X" else text


def _rounded(mantissa: int, exponent: int, precision: int) -> tuple[int, int]:
    """Round to `precision` hexadecimal digits behind the point, half to even."""
    drop = _POINT_BIT - 4 * precision
    kept, rest = mantissa >> drop, mantissa & ((1 << drop) - 1)
    if rest | (kept & 1) > 1 << (drop - 1):
        kept += 1
    mantissa = kept << drop
    return (mantissa >> 1, exponent + 1) if mantissa >> (_POINT_BIT + 1) else (mantissa, exponent)
