"""Names as the labels of metrics: so many, and everything after them is `other`."""

from __future__ import annotations

import threading
from typing import Final

OTHER: Final = "other"

_LONGEST: Final = 128


class BoundedNames:
    """Keeps the names that come first; whoever sends others can make no more series."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: set[str] = set()
        self._lock = threading.Lock()

    def label(self, name: str) -> str:
        """The name itself, or `other`."""
        if name in self._known:
            return name
        with self._lock:
            if len(self._known) >= self._most or len(name) > _LONGEST or not name.isprintable():
                return OTHER
            self._known.add(name)
            return name
