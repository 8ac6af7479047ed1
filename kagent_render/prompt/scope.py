"""The variables of a template: a stack in which the last of a name is the one that is seen."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Cell(Generic[T]):
    """One variable."""

    __slots__ = ("name", "value")

    def __init__(self, name: str, value: T) -> None:
        self.name = name
        self.value = value


class Scope(Generic[T]):
    """Variables by name, to be given up in the reverse order; `$` is the first of every scope."""

    def __init__(self, value: T) -> None:
        self._stack: list[Cell[T]] = []
        self._named: dict[str, list[Cell[T]]] = {}
        self.declare("$", value)

    def declare(self, name: str, value: T) -> None:
        """Add a variable that hides others of its name."""
        cell = Cell(name, value)
        self._stack.append(cell)
        self._named.setdefault(name, []).append(cell)

    def find(self, name: str) -> Cell[T] | None:
        """The last variable of a name, if there is one."""
        cells = self._named.get(name)
        return cells[-1] if cells else None

    def last(self, count: int) -> list[Cell[T]]:
        """The `count` variables that were declared last, in their order."""
        return self._stack[len(self._stack) - count :]

    def mark(self) -> int:
        """How many variables there are, for `release`."""
        return len(self._stack)

    def release(self, mark: int) -> None:
        """Give up all variables that were declared since `mark`."""
        while len(self._stack) > mark:
            self._named[self._stack.pop().name].pop()
