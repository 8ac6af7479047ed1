"""Durations as Go writes them (`1m30s`)."""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {
    "ns": 1,
    "us": 1_000,
    "µs": 1_000,
    "μs": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "m": 60_000_000_000,
    "h": 3_600_000_000_000,
}
_TERM: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)")
_LARGEST: Final = 2**63 - 1
_LONGEST: Final = 128


def seconds(text: str) -> float:
    """The duration `text` in seconds, read as Go's `time.ParseDuration` does; ValueError if it is none.

    A negative duration is no time-out, so that it raises ValueError too.
    """
    nanoseconds = _nanoseconds(text.removeprefix("+"))
    whole, rest = divmod(nanoseconds, _UNITS["s"])
    return whole + rest / 1e9


def is_duration(text: str) -> bool:
    """Whether `text` is a duration that is not negative."""
    try:
        seconds(text)
    except ValueError:
        return False
    return True


def _nanoseconds(text: str) -> int:
    if text == "0":
        return 0
    if not text or len(text) > _LONGEST:
        raise ValueError("no duration")
    total = place = 0
    while place < len(text):
        term = _TERM.match(text, place)
        if term is None or not (term[1] or term[2]):
            raise ValueError("no duration")
        total += _term(term[1], term[2] or "", _UNITS[term[3]])
        place = term.end()
    if total > _LARGEST:
        raise ValueError("the duration is too long")
    return total


def _term(whole: str, fraction: str, unit: int) -> int:
    # Go multiplies a fraction in floating point and cuts the rest off.
    part = int(int(fraction) * (unit / 10 ** len(fraction))) if fraction else 0
    return int(whole or "0") * unit + part
