"""Go's number literals, with the type that a template gives them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from kagent_render.prompt.faults import Refusal, literal
from kagent_render.prompt.quoting import unquote_character

Number = int | float | complex

_BASES: Final = {"b": 2, "o": 8, "x": 16}
_DIGITS: Final = "0123456789abcdef"
_LONGEST_INTEGER: Final = 64


@dataclass(frozen=True, slots=True)
class Overflow:
    """An integer literal that an int cannot hold: an error, but only once it is reached."""

    text: str


def read_number(text: str) -> Number | Overflow:
    """The value of a literal as Go's idealised constant; raises Refusal when it is not one."""
    if text[0] == "'":
        return unquote_character(text)
    if text[-1] == "i":
        return _complex(text)
    integer = _integer(text)
    if integer is not None:
        return _int(text, integer)
    real = _float(text)
    if real is None:
        raise Refusal(f"{literal(text)} is no number of Go")
    if not _looks_like_float(text):
        raise Refusal(f"{literal(text)} overflows every integer type")
    return real


def _int(text: str, integer: int) -> Number | Overflow:
    # Go tells `0x1E` from a float by its first two characters, which a sign displaces.
    if _looks_like_float(text) and text[:2].lower() != "0x":
        return float(integer)
    return integer if integer < 1 << 63 else Overflow(text)


def _looks_like_float(text: str) -> bool:
    return any(c in ".eEpP" for c in text)


def _complex(text: str) -> complex:
    split = next((i for i in range(len(text) - 2, 0, -1) if text[i] in "+-" and text[i - 1] not in "eEpP"), 0)
    real = _float(text[:split]) if split else 0.0
    imaginary = _float(text[split:-1])
    if real is None or imaginary is None:
        raise Refusal(f"{literal(text)} is no number of Go")
    return complex(real, imaginary)


def _integer(text: str) -> int | None:
    """The value of an integer literal, or None where it is none or fits neither an int nor a uint."""
    sign, digits = _sign(text)
    if not _underscores_stand_between_digits(digits):
        return None
    base = 10
    if len(digits) > 2 and digits[0] == "0" and digits[1].lower() in _BASES:
        base, digits = _BASES[digits[1].lower()], digits[2:]
    elif digits[:1] == "0":
        base = 8
    digits = digits.replace("_", "").lower()
    if not digits or any(d not in _DIGITS[:base] for d in digits):
        return None
    digits = digits.lstrip("0") or "0"
    if len(digits) > _LONGEST_INTEGER:
        return None
    value = int(digits, base)
    if sign:
        value = -value if sign == "-" else value
        return value if -(1 << 63) <= value < 1 << 63 else None
    return value if value < 1 << 64 else None


def _float(text: str) -> float | None:
    """The value of a floating-point literal, or None where it is none or too large."""
    sign, digits = _sign(text)
    if not _underscores_stand_between_digits(digits):
        return None
    digits = sign + digits.replace("_", "").lower()
    is_hex = "x" in digits
    if is_hex and "p" not in digits:
        return None
    try:
        value = float.fromhex(digits) if is_hex else float(digits)
    except (ValueError, OverflowError):
        return None
    return value if math.isfinite(value) else None


def _sign(text: str) -> tuple[str, str]:
    return (text[0], text[1:]) if text[:1] in ("+", "-") else ("", text)


def _underscores_stand_between_digits(digits: str) -> bool:
    """Go's rule for `_` in a number; the prefix of a base counts as a digit."""
    if "_" not in digits:
        return True
    prefixed = digits[:1] == "0" and digits[1:2].lower() in _BASES
    allowed = "0123456789abcdefABCDEF" if digits[1:2].lower() == "x" and prefixed else "0123456789"
    rest = "0" + digits[2:] if prefixed else digits
    return not any(
        c == "_" and not (i and rest[i - 1] in allowed and rest[i + 1 : i + 2] in tuple(allowed))
        for i, c in enumerate(rest)
    )
