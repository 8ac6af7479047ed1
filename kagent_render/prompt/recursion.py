"""Recursion without Python's stack, so that nesting is bounded by us and not by the interpreter.

A recursive function is written as a generator: it yields the step that it needs and is sent its result.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, Final, TypeAlias, TypeVar

T = TypeVar("T")

Step: TypeAlias = Generator[Any, Any, T]
"""A computation that yields the steps it needs and returns a T."""

DEEPEST: Final = 100_000
"""How many steps may wait for another; about 50 MB."""


def run(step: Step[T], too_deep: Callable[[], Exception]) -> T:
    """The result of `step` and of all the steps that it yields; raises `too_deep()` beyond DEEPEST."""
    waiting: list[Step[Any]] = [step]
    result: Any = None
    while waiting:
        try:
            needed = waiting[-1].send(result)
        except StopIteration as done:
            result = done.value
            waiting.pop()
            continue
        if len(waiting) >= DEEPEST:
            raise too_deep()
        waiting.append(needed)
        result = None
    answer: T = result
    return answer
