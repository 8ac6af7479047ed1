"""How many calls are served at once, of each caller and of all."""

from __future__ import annotations

import threading
from collections import Counter
from enum import Enum


class Full(Enum):
    """Whose calls are too many."""

    CALLER = "caller"
    SERVER = "server"


class ConcurrencyLimit:
    """Counts calls under way; a bound that is None is none. Only callers with one take memory."""

    def __init__(self, per_caller: int | None, overall: int | None) -> None:
        if any(bound is not None and bound < 1 for bound in (per_caller, overall)):
            raise ValueError("a bound has to let calls through")
        self._per_caller = per_caller
        self._overall = overall
        self._lock = threading.Lock()
        self._under_way: Counter[str] = Counter()
        self._total = 0

    @property
    def callers(self) -> int:
        """How many callers have a call under way."""
        return len(self._under_way)

    def enter(self, caller: str) -> Full | None:
        """Count a call that begins; what is full where it may not, and then it is not counted."""
        with self._lock:
            if self._overall is not None and self._total >= self._overall:
                return Full.SERVER
            if self._per_caller is not None and self._under_way[caller] >= self._per_caller:
                return Full.CALLER
            self._under_way[caller] += 1
            self._total += 1
            return None

    def leave(self, caller: str) -> None:
        """Count a call that has ended, once for every `enter` that let it begin."""
        with self._lock:
            self._total -= 1
            self._under_way[caller] -= 1
            if not self._under_way[caller]:
                del self._under_way[caller]
