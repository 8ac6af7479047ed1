"""Remembers what was made of objects, as long as each reading needs it again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Key = TypeVar("Key")
Value = TypeVar("Value")


class Memo(Generic[Key, Value]):
    """Values by key; whatever was not asked for between two turns is forgotten at the second."""

    def __init__(self) -> None:
        self._before: dict[Key, Value] = {}
        self._now: dict[Key, Value] = {}

    def __contains__(self, key: Key) -> bool:
        return key in self._now or key in self._before

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of a key, made now unless it is known; nothing is remembered where `make` raises."""
        if key not in self._now:
            self._now[key] = self._before[key] if key in self._before else make()
        return self._now[key]

    def turn(self) -> None:
        """End one reading."""
        self._before, self._now = self._now, {}
