"""The comparisons of Go's text/template: eq, ne, lt, le, gt, ge."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.prompt.faults import Refusal
from kagent_render.prompt.values import Byte, Strings, Struct, Value, described

if TYPE_CHECKING:
    from collections.abc import Sequence


def is_equal_to_any(values: Sequence[Value]) -> bool:
    """Whether the first value equals one of the others; raises Refusal for types that do not compare."""
    first, *others = values
    if not others:
        raise Refusal("`eq` needs at least two values")
    return any(_is_equal(first, other) for other in others)


def is_unequal(values: Sequence[Value]) -> bool:
    """Go's `ne`."""
    return not _is_equal(values[0], values[1])


def is_less(values: Sequence[Value]) -> bool:
    """Go's `lt`: of numbers of one kind and of strings, by their bytes."""
    left, right = (_plain(value) for value in values)
    for value in values:
        if value is None or isinstance(value, Strings | Struct):
            raise Refusal(f"{described(value)} has no order")
    if _kind(left) is not _kind(right):
        raise _incomparable(values[0], values[1])
    if isinstance(left, bytes) and isinstance(right, bytes):
        return left < right
    if (
        isinstance(left, bool | complex)
        or not isinstance(left, int | float)
        or not isinstance(right, int | float)
    ):
        raise Refusal(f"{described(values[0])} has no order")
    return left < right


def is_less_or_equal(values: Sequence[Value]) -> bool:
    """Go's `le`."""
    return is_less(values) or _is_equal(values[0], values[1])


def is_greater(values: Sequence[Value]) -> bool:
    """Go's `gt`."""
    return not is_less_or_equal(values)


def is_greater_or_equal(values: Sequence[Value]) -> bool:
    """Go's `ge`."""
    return not is_less(values)


def _is_equal(left: Value, right: Value) -> bool:
    if left is None or right is None:
        return left is right
    if _kind(left) is not _kind(right):
        raise _incomparable(left, right)
    if isinstance(left, Strings | Struct):
        raise Refusal(f"{described(left)} cannot be compared")
    return _plain(left) == _plain(right)


def _plain(value: Value) -> Value:
    return value.value if isinstance(value, Byte) else value


def _kind(value: Value) -> type:
    """The kind that decides whether two values compare; integers of all sizes do."""
    return int if isinstance(value, Byte) else type(value)


def _incomparable(left: Value, right: Value) -> Refusal:
    return Refusal(f"{described(left)} and {described(right)} cannot be compared")
