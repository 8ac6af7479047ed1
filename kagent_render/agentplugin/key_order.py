"""The order in which yaml.v2 writes a mapping's keys: as people count, `a2` before `a10`."""

from __future__ import annotations

import functools
import itertools
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

_HALF: Final = 2**63


def natural_order(keys: Iterable[str]) -> list[str]:
    """Keys sorted as yaml.v2 does: what is no letter first, runs of digits by their number."""
    return sorted(keys, key=functools.cmp_to_key(_compare))


def _compare(one: str, other: str) -> int:
    at = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if at is None:
        return len(one) - len(other)
    return -1 if _weight(one, other, at) < _weight(other, one, at) else 1


def _weight(text: str, other: str, at: int) -> tuple[int, ...]:
    """What decides between two texts that differ first at `at`."""
    character = ord(text[at])
    if text[at].isalpha() or other[at].isalpha():
        return int(text[at].isalpha()), character
    # A zero behind other digits is a digit of their number, and no leading zero.
    within = "0" in (text[at], other[at]) and _ends_in_number(text[:at])
    return (*_run(text, at, int(within)), character)


def _ends_in_number(text: str) -> bool:
    """Whether the digits at the end of `text` are not all zeros."""
    return any(digit != "0" for digit in itertools.takewhile(str.isdecimal, reversed(text)))


def _run(text: str, at: int, number: int) -> tuple[int, int]:
    """The number that `number` and the digits from `at` spell, and where they end; Go wraps at 64 bits."""
    for digit in itertools.takewhile(str.isdecimal, text[at:]):
        number = (number * 10 + ord(digit) - ord("0") + _HALF) % (2 * _HALF) - _HALF
        at += 1
    return number, at
