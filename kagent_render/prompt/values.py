"""The values of a template: Go's types as plain data, none of which leads to an attribute of Python.

nil is None, bool is bool, int is int, uint8 is Byte, float64 is float, complex128 is complex, string is
bytes, a slice of strings is Strings and a struct is Struct.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kagent_render.prompt.faults import Refusal, literal


@dataclass(frozen=True, slots=True)
class Byte:
    """One byte of a string, as `index` takes it out."""

    value: int


@dataclass(frozen=True, slots=True)
class Strings:
    """A Go slice of strings: a window on shared items that can be widened up to `capacity`."""

    items: tuple[bytes, ...]
    start: int
    stop: int
    capacity: int

    @classmethod
    def of(cls, items: tuple[bytes, ...]) -> Strings:
        """A slice of exactly `items`."""
        return cls(items, 0, len(items), len(items))

    def __len__(self) -> int:
        return self.stop - self.start

    def shown(self) -> tuple[bytes, ...]:
        """The items inside the window."""
        return self.items[self.start : self.stop]

    def window(self, first: int, end: int, capacity: int) -> Strings:
        """The slice from `first` to `end` with room up to `capacity`, each counted from the start."""
        start = self.start
        return Strings(self.items, start + first, start + end, capacity - first)


@dataclass(frozen=True, slots=True)
class Struct:
    """A struct: its exported fields by name, in order."""

    fields: Mapping[str, bytes | Strings]


Value = None | bool | int | Byte | float | complex | bytes | Strings | Struct

_TYPE_NAMES: Final[dict[type, bytes]] = {
    bool: b"bool",
    int: b"int",
    Byte: b"uint8",
    float: b"float64",
    complex: b"complex128",
    bytes: b"string",
    Strings: b"[]string",
}


def type_name(value: Value) -> bytes:
    """The name of a value's Go type; raises Refusal for the struct, whose name is the controller's own."""
    if isinstance(value, Struct):
        raise Refusal("the Go type name of the template's data is not supported")
    return b"nil" if value is None else _TYPE_NAMES[type(value)]


def described(value: Value) -> str:
    """The type of a value for a message."""
    if value is None:
        return "`nil`"
    return "the template's data" if isinstance(value, Struct) else f"`{type_name(value).decode()}`"


def is_true(value: Value) -> bool:
    """The truth of a value as `if` sees it: false is nil, false, zero and what is empty."""
    if isinstance(value, Byte):
        return value.value != 0
    return isinstance(value, Struct) or bool(value)


def field(value: Value, name: str) -> Value:
    """A field of a value, nil for every field of nil; raises Refusal when there is none of that name."""
    if value is None:
        return None
    if not isinstance(value, Struct):
        raise Refusal(f"{described(value)} has no field {literal(name)}")
    if name not in value.fields:
        known = ", ".join(f"`.{known}`" for known in value.fields)
        raise Refusal(f"there is no field {literal('.' + name)}; the fields are {known}")
    return value.fields[name]
