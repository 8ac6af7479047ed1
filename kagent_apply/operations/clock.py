"""Time, as operations need it."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from threading import Event


@dataclass(frozen=True, slots=True)
class Clock:
    """The time of day, seconds that only grow, waiting for an event, and a number from 0 to 1 at random."""

    utc: Callable[[], datetime]
    steady: Callable[[], float]
    wait: Callable[[Event, float], bool]
    jitter: Callable[[], float]

    def utc_since(self, earlier: datetime) -> datetime:
        """The time of day, and where that was put back, the earlier one: a change is never before another."""
        return max(self.utc(), earlier)

    def pause(self, seconds: float) -> None:
        """Let time pass."""
        self.wait(Event(), seconds)


def system_clock() -> Clock:
    """The clock of the machine."""
    return Clock(
        utc=lambda: datetime.now(UTC),
        steady=_seconds,
        wait=lambda event, seconds: event.wait(max(0.0, seconds)),
        jitter=random.random,
    )


def _seconds() -> float:
    """With the time that the machine slept, where it counts that: leases lapse in sleep."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)
