"""Seconds that a network may take in all, over several requests to it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypeVar

from kagent_render.artifacts.deadline import within

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Allowance:
    """What is left of a number of seconds; only work that it is spent on counts."""

    def __init__(self, seconds: float, whole: Allowance | None = None) -> None:
        self._seconds = seconds
        self._whole = whole

    @property
    def left(self) -> float:
        """The seconds that are left, here and in the whole that this is a part of; never less than none."""
        return max(0.0, min(self._seconds, self._whole.left if self._whole else self._seconds))

    def part(self, seconds: float) -> Allowance:
        """At most `seconds` of this, which count here as well."""
        return Allowance(seconds, self)

    def spend(self, work: Callable[[], T]) -> T:
        """What `work` gives or raises; raises TimeoutError when it takes longer than what is left."""
        started = time.monotonic()
        try:
            return within(self.left, work)
        finally:
            self._charge(time.monotonic() - started)

    def wait(self, seconds: float) -> None:
        """Let that much time pass, or what is left where that is less."""
        seconds = min(seconds, self.left)
        time.sleep(seconds)
        self._charge(seconds)

    def _charge(self, seconds: float) -> None:
        self._seconds -= seconds
        if self._whole:
            self._whole._charge(seconds)
