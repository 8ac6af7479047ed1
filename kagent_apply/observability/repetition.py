"""What goes on being wrong is told once, again when it changes, and otherwise every hour."""

from __future__ import annotations

import logging
import threading
import time
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

AGAIN_AFTER: Final = 3600.0
"""Seconds."""

_MOST_SUBJECTS: Final = 2048


@dataclass(frozen=True, slots=True)
class _Told:
    problem: str
    at: float


class Repetition:
    """Which problem of each subject was told when; the one told longest ago is forgotten first."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, most: int = _MOST_SUBJECTS) -> None:
        self._clock = clock
        self._most = most
        self._told: OrderedDict[str, _Told] = OrderedDict()
        self._lock = threading.Lock()

    def is_news(self, subject: str, problem: str) -> bool:
        """Whether to tell of `problem`, which is empty where all is well; asking counts as telling."""
        with self._lock:
            told = self._told.get(subject)
            if not problem:
                return self._told.pop(subject, None) is not None
            now = self._clock()
            if told is not None and told.problem == problem and now - told.at < AGAIN_AFTER:
                return False
            self._told[subject] = _Told(problem, now)
            self._told.move_to_end(subject)
            while len(self._told) > self._most:
                self._told.popitem(last=False)
            return True


class ForeignRepetition(logging.Filter):
    """Drops what a library repeats; what this program logs passes, as it knows by itself what it told."""

    def __init__(self, ours: str, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._ours = ours
        self._repetition = Repetition(clock)

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether a record is written."""
        if record.name == self._ours or record.name.startswith(f"{self._ours}."):
            return True
        # The text before its arguments are put in, so that a counter or an address does not make it another.
        return self._repetition.is_news(f"{record.name} {record.levelno} {str(record.msg)[:512]}", "told")
