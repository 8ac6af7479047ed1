"""What was made of committed values, which never change, so that it is made once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

Value = TypeVar("Value")

_MOST: Final = 256
"""Values that are kept; all are dropped when there is one more."""


class SameObject(Generic[Value]):
    """Values by the very object that they were made of; for several threads."""

    def __init__(self) -> None:
        self._made: dict[tuple[int, Hashable], tuple[object, Value]] = {}

    def get(self, of: object, also: Hashable, make: Callable[[], Value]) -> Value:
        """What `make` gave for the object and something else; nothing is kept where it raises."""
        key = id(of), also
        found = self._made.get(key)
        if found is not None and found[0] is of:
            return found[1]
        made = make()
        if len(self._made) >= _MOST:
            self._made.clear()
        self._made[key] = of, made  # the object stays alive, so that no other has its id
        return made
