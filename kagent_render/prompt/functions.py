"""The built-in functions of Go's text/template, but for `and` and `or`, which are part of the language."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from kagent_render.prompt import comparison, escaping
from kagent_render.prompt.faults import Refusal
from kagent_render.prompt.limits import Budget
from kagent_render.prompt.printf import print_format
from kagent_render.prompt.printing import print_line, print_values
from kagent_render.prompt.values import Byte, Strings, Value, described, is_true

SHORT_CIRCUITS: Final = frozenset({"and", "or"})


@dataclass(frozen=True, slots=True)
class Builtin:
    """A function: how many arguments it takes, and whether more may follow and the first is a string."""

    call: Callable[[Sequence[Value], Budget], Value]
    arguments: int
    variadic: bool = False
    takes_string: bool = False
    reads_all: bool = False
    """Whether the work grows with the size of the arguments."""

    def accepts(self, count: int) -> bool:
        """Whether it can be called with `count` arguments."""
        return count >= self.arguments if self.variadic else count == self.arguments


def length(values: Sequence[Value]) -> int:
    """The bytes of a string or the items of a slice."""
    value = values[0]
    if isinstance(value, bytes | Strings):
        return len(value)
    raise Refusal(f"{described(value)} has no length")


def index(values: Sequence[Value]) -> Value:
    """The item at each index in turn: a byte of a string, a string of a slice."""
    item, *places = values
    if item is None:
        raise Refusal("nil cannot be indexed")
    for place in places:
        if not isinstance(item, bytes | Strings):
            raise Refusal(f"{described(item)} cannot be indexed")
        at = _place(place, len(item) - 1)
        item = Byte(item[at]) if isinstance(item, bytes) else item.items[item.start + at]
    return item


def cut(values: Sequence[Value]) -> Value:
    """Go's `slice`: a string or a slice between two indexes; a third bounds what a slice can grow to."""
    item, *places = values
    if not isinstance(item, bytes | Strings):
        raise Refusal(f"{described(item)} cannot be sliced")
    if len(places) > (2 if isinstance(item, bytes) else 3):
        raise Refusal(f"{described(item)} cannot be sliced with {len(places)} indexes")
    room = len(item) if isinstance(item, bytes) else item.capacity
    bounds = [_place(place, room) for place in places]
    first, end, most = (bounds + [0, len(item), room][len(bounds) :])[:3]
    if not first <= end <= most:
        raise Refusal("the indexes of `slice` are not in order")
    return item[first:end] if isinstance(item, bytes) else item.window(first, end, most)


def _place(value: Value, last: int) -> int:
    if isinstance(value, Byte):
        value = value.value
    if isinstance(value, bool) or not isinstance(value, int):
        raise Refusal(f"{described(value)} is no index")
    if not 0 <= value <= last:
        raise Refusal(f"the index {value} is out of range")
    return value


def _refuse_call(values: Sequence[Value]) -> Value:
    raise Refusal(f"{described(values[0])} is no function that `call` could call")


def _plain(call: Callable[[Sequence[Value]], Value], arguments: int, **more: bool) -> Builtin:
    return Builtin(lambda values, _: call(values), arguments, **more)


def _printf(values: Sequence[Value], budget: Budget) -> Value:
    text, *operands = values
    if not isinstance(text, bytes):
        raise Refusal("`printf` needs a string first")
    return print_format(text, operands, budget)


BUILTINS: Final = {
    "call": _plain(_refuse_call, 1, variadic=True),
    "eq": _plain(comparison.is_equal_to_any, 1, variadic=True, reads_all=True),
    "ge": _plain(comparison.is_greater_or_equal, 2, reads_all=True),
    "gt": _plain(comparison.is_greater, 2, reads_all=True),
    "html": Builtin(escaping.escape_html, 0, variadic=True, reads_all=True),
    "index": _plain(index, 1, variadic=True),
    "js": Builtin(escaping.escape_js, 0, variadic=True, reads_all=True),
    "le": _plain(comparison.is_less_or_equal, 2, reads_all=True),
    "len": _plain(length, 1),
    "lt": _plain(comparison.is_less, 2, reads_all=True),
    "ne": _plain(comparison.is_unequal, 2, reads_all=True),
    "not": _plain(lambda values: not is_true(values[0]), 1),
    "print": Builtin(print_values, 0, variadic=True, reads_all=True),
    "printf": Builtin(_printf, 1, variadic=True, takes_string=True, reads_all=True),
    "println": Builtin(print_line, 0, variadic=True, reads_all=True),
    "slice": _plain(cut, 1, variadic=True),
    "urlquery": Builtin(escaping.escape_query, 0, variadic=True, reads_all=True),
}
"""The built-in functions by name."""
