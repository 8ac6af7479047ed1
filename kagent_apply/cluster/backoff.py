"""How long to wait before trying again."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(slots=True)
class Backoff:
    """Doubles from `first` seconds up to `longest`; each wait is up to a fifth shorter, to spread many."""

    first: float = 0.5
    longest: float = 30.0
    _failures: int = 0

    def reset(self) -> None:
        """Begin anew, after a success."""
        self._failures = 0

    def next(self) -> float:
        """The seconds to wait after one more failure."""
        seconds = min(self.longest, self.first * 2.0 ** min(self._failures, 30))
        self._failures += 1
        return seconds * random.uniform(0.8, 1.0)  # noqa: S311 - no secret depends on it
