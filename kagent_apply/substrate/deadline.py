"""How long something may still take, and how long to wait before the next look."""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

_SHORTEST: Final = 0.02
_FIRST: Final = 0.05
_LONGEST: Final = 2.0
_KEPT: Final = 0.1


class Clock(Protocol):
    """Time that passes, in seconds."""

    def now(self) -> float:
        """Seconds since some moment that stays."""
        ...

    def wait(self, seconds: float) -> None:
        """Return after `seconds`."""
        ...


class SystemClock:
    """The time of this machine, which never goes back, with that in which it slept where it counts that."""

    def now(self) -> float:
        """Seconds since some moment that stays."""
        boot = getattr(time, "CLOCK_BOOTTIME", None)
        return time.monotonic() if boot is None else time.clock_gettime(boot)

    def wait(self, seconds: float) -> None:
        """Return after `seconds`."""
        time.sleep(seconds)


@dataclass(slots=True)
class Deadline:
    """The end of one method of the port.

    Jitter keeps many who wait for one server from asking it at the same moment.
    """

    clock: Clock
    end: float
    jitter: Callable[[], float] = random.random
    _next: float = field(default=_FIRST, init=False)

    def left(self) -> float:
        """Seconds that remain; at least a moment, since a call without any would not be made."""
        return max(self.end - self.clock.now(), 0.001)

    def for_a_change(self) -> float:
        """Seconds for a call that changes something: the rest is for a look at what became of it."""
        return self.left() * (1 - _KEPT)

    def is_over(self) -> bool:
        """Whether nothing remains."""
        return self.clock.now() >= self.end

    def pause(self) -> bool:
        """Wait, longer each time, and half of what remains at most; False at once where that is nothing."""
        rest = self.end - self.clock.now()
        if rest < _SHORTEST:
            return False
        wanted = self._next * (0.5 + self.jitter())
        self._next = min(self._next * 2, _LONGEST)
        self.clock.wait(min(wanted, rest / 2))
        return True


def deadline_in(clock: Clock, seconds: float) -> Deadline:
    """The end of what may take `seconds` from now on."""
    return Deadline(clock, clock.now() + seconds)
