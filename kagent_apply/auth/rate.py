"""How many calls each caller may make in a while."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kagent_apply.auth.watched_file import Clock

MOST_CALLERS: Final = 10_000
"""Callers whose calls are counted apart; whoever comes beyond them shares one count."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many calls a second for ever, and `burst` of them at once after a rest."""

    per_second: float
    burst: int

    def __post_init__(self) -> None:
        if not self.per_second > 0 or self.burst < 1:
            raise ValueError("a rate has to let calls through")


@dataclass(frozen=True, slots=True)
class Bucket:
    """What is left of a burst as of a time."""

    left: float
    at: float


def refilled(bucket: Bucket, rate: Rate, now: float) -> Bucket:
    """The bucket at a later time."""
    gained = (now - bucket.at) * rate.per_second
    return Bucket(min(float(rate.burst), bucket.left + gained), now)


def seconds_to_next(bucket: Bucket, rate: Rate) -> float:
    """How long until a call may be made; 0 where one may."""
    return max(0.0, (1 - bucket.left) / rate.per_second)


class RateLimit:
    """A bucket for every caller who made a call lately."""

    def __init__(self, rate: Rate, clock: Clock, most_callers: int = MOST_CALLERS) -> None:
        self._rate = rate
        self._clock = clock
        self._most_callers = most_callers
        self._lock = threading.Lock()
        self._now = clock()
        self._buckets: dict[str, Bucket] = {}
        self._shared = Bucket(float(rate.burst), self._now)
        self._next_sweep = self._now

    @property
    def callers(self) -> int:
        """How many buckets there are."""
        return len(self._buckets)

    def take(self, caller: str) -> float:
        """Count a call: 0 where it may be made, else the seconds until one may, and it is not counted."""
        with self._lock:
            now = self._now = max(self._now, self._clock())  # a clock that goes back adds nothing
            # The shared one is full, unless it had to serve this caller, too, a moment ago.
            bucket = refilled(self._buckets.get(caller, self._shared), self._rate, now)
            wait = seconds_to_next(bucket, self._rate)
            if not wait:
                self._put(caller, Bucket(bucket.left - 1, bucket.at), now)
            return wait

    def _put(self, caller: str, bucket: Bucket, now: float) -> None:
        if caller in self._buckets or self._has_room(now):
            self._buckets[caller] = bucket
        else:
            # To drop somebody's bucket would give them a new burst.
            self._shared = bucket

    def _has_room(self, now: float) -> bool:
        if len(self._buckets) >= self._most_callers and now >= self._next_sweep:
            self._next_sweep = now + 1
            self._buckets = {
                caller: bucket for caller, bucket in self._buckets.items() if not self._full(bucket, now)
            }
        return len(self._buckets) < self._most_callers

    def _full(self, bucket: Bucket, now: float) -> bool:
        """Whether it is as one that is not kept."""
        return refilled(bucket, self._rate, now).left >= self._rate.burst
