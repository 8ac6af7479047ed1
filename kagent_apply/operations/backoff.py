"""How long an operation that nobody asks for waits after trouble."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

    from kagent_apply.instances.requests import InstanceName
    from kagent_apply.operations.clock import Clock

_FIRST: Final = 1.0
"""Seconds after the first trouble; each further one doubles them."""


class Backoff:
    """Of each instance whose operation had trouble, how often, and when it is due again."""

    def __init__(self, clock: Clock, longest: float) -> None:
        self._clock = clock
        self._longest = longest
        self._lock = Lock()
        self._waiting: dict[InstanceName, tuple[int, float]] = {}

    def __len__(self) -> int:
        return len(self._waiting)

    def trouble(self, name: InstanceName) -> None:
        """Wait longer than the last time, by half or by all of it, so that not all come at once."""
        with self._lock:
            times = self._waiting.get(name, (0, 0.0))[0] + 1
            seconds = min(self._longest, _FIRST * 2 ** min(times - 1, 30))
            due = self._clock.steady() + seconds * (1 + self._clock.jitter()) / 2
            self._waiting[name] = (times, due)

    def forget(self, name: InstanceName) -> None:
        """Its operation has ended, or others have it."""
        with self._lock:
            self._waiting.pop(name, None)

    def keep(self, left: Collection[InstanceName], lease: float) -> None:
        """Forget those that should be left by now and are not: others have ended their operations.

        After trouble of ours, an operation is left when its lease of so many seconds has lapsed.
        """
        with self._lock:
            now = self._clock.steady()
            self._waiting = {
                name: (times, due)
                for name, (times, due) in self._waiting.items()
                if name in left or now < due + lease
            }

    def is_due(self, name: InstanceName) -> bool:
        """Whether it is time to try again."""
        with self._lock:
            return self._clock.steady() >= self._waiting.get(name, (0, 0.0))[1]
