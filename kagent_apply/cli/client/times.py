"""Times as people read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from datetime import datetime

_UNITS: Final = ((86_400, "d"), (3_600, "h"), (60, "m"))


def age(then: datetime, now: datetime) -> str:
    """How long ago something was, in its largest unit: `45s`, `3m`, `2h`, `5d`."""
    seconds = max(0, int((now - then).total_seconds()))
    for size, unit in _UNITS:
        if seconds >= size:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


def moment(then: datetime, now: datetime) -> str:
    """A time in UTC, and how long ago it was."""
    return f"{then:%Y-%m-%d %H:%M:%S} UTC, {age(then, now)} ago"
