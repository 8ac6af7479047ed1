"""Where the fields of a YAML document are written, found out only when someone asks."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kagent_render.source.trace import trace_document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.source.trace import Node

Place = tuple[int, int]
"""Line and column, from 1."""

_BREAK = re.compile(r"\r\n?|\n")


@dataclass(eq=False)
class SourceText:
    """The characters of one file, and which line each is on, as editors count lines."""

    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _BREAK.finditer(self.text))]

    def place(self, index: int) -> Place:
        """Line and column of the character at `index`."""
        line = bisect.bisect_right(self._line_starts, index)
        return line, index - self._line_starts[line - 1] + 1


class LazyLocator:
    """Locates fields by reading the document's text a second time, at the first question."""

    __slots__ = ("_end", "_root", "_source", "_start")

    def __init__(self, source: SourceText, start: int, end: int) -> None:
        self._source = source
        self._start = start
        self._end = end
        self._root: Node | None = None

    def locate(self, field: FieldPath) -> Place:
        """The place of a mapping entry's key, or of a list item's first character."""
        if self._root is None:
            self._root = trace_document(self._source.text[self._start : self._end])
        return self._source.place(self._start + _index_of(self._root, field))


@dataclass(frozen=True, slots=True, eq=False)
class FixedLocator:
    """Locates fields by places that were found before, so that no text is kept."""

    places: Mapping[FieldPath, Place]

    def locate(self, field: FieldPath) -> Place:
        """The place of a mapping entry's key, or of a list item's first character."""
        while field not in self.places:
            field = field[:-1]
        return self.places[field]


def fix_places(source: SourceText, start: int, end: int, value: Any) -> FixedLocator:
    """The places of the fields that `value` has, in the document between `start` and `end`."""
    root = trace_document(source.text[start:end])
    return FixedLocator(
        {path: source.place(start + index) for path, index in _fields(root[0], root, value, ())}
    )


def _index_of(node: Node, field: FieldPath) -> int:
    """The index of the nearest present ancestor of `field`, the field included."""
    index, children = node
    for step in field:
        if isinstance(children, dict) and isinstance(step, str) and step in children:
            index, (_, children) = children[step]
        elif isinstance(children, list) and isinstance(step, int) and 0 <= step < len(children):
            index, children = children[step]
        else:
            break
    return index


def _fields(index: int, node: Node, value: Any, path: FieldPath) -> Iterator[tuple[FieldPath, int]]:
    yield path, index
    children = node[1]
    if isinstance(children, dict) and isinstance(value, dict):
        for key, (key_index, child) in children.items():
            if key in value:
                yield from _fields(key_index, child, value[key], (*path, key))
    elif isinstance(children, list) and isinstance(value, list):
        for at, (child, item) in enumerate(zip(children, value, strict=False)):
            yield from _fields(child[0], child, item, (*path, at))
