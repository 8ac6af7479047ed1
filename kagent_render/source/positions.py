"""Where the fields of a YAML document are written, found out only when someone asks."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kagent_render.source.literal import Literal
from kagent_render.source.trace import trace_document

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import FieldPath
    from kagent_render.source.trace import Node

Place = tuple[int, int]
"""Line and column, from 1."""

_BREAK = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """Which line each character of a file is on, as editors count lines; holds none of the characters."""

    starts: list[int]

    def place(self, index: int) -> Place:
        """Line and column of the character at `index`."""
        line = bisect.bisect_right(self.starts, index)
        return line, index - self.starts[line - 1] + 1


@dataclass(eq=False)
class SourceText:
    """The characters of one file, and their lines."""

    text: str

    @cached_property
    def lines(self) -> Lines:
        """The file's lines, found when first asked for."""
        return Lines([0, *(match.end() for match in _BREAK.finditer(self.text))])


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
        return self._fixed().locate(field)

    def locate_literal(self, field: FieldPath) -> tuple[int, int] | None:
        """The first line of a literal block's text, and the indentation of its lines."""
        return self._fixed().locate_literal(field)

    def _fixed(self) -> FixedLocator:
        if self._root is None:
            self._root = trace_document(self._source.text[self._start : self._end])
        return FixedLocator(self._root, self._start, self._source.lines)


@dataclass(frozen=True, slots=True, eq=False)
class FixedLocator:
    """Locates fields by places that were found before, so that no text is kept."""

    root: Node
    start: int
    lines: Lines

    def locate(self, field: FieldPath) -> Place:
        """The place of a mapping entry's key, or of a list item's first character."""
        return self.lines.place(self.start + _index_of(self.root, field))

    def locate_literal(self, field: FieldPath) -> tuple[int, int] | None:
        """The first line of a literal block's text, and the indentation of its lines."""
        literal = _literal_at(self.root, field)
        if literal is None:
            return None
        return self.lines.place(self.start + literal.index)[0], literal.indentation


def fix_places(source: SourceText, start: int, end: int, value: Any) -> FixedLocator:
    """The places of the fields that `value` has, in the document between `start` and `end`."""
    root = trace_document(source.text[start:end])
    return FixedLocator(_restricted(root, value), start, source.lines)


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


def _literal_at(node: Node, field: FieldPath) -> Literal | None:
    """The literal block that `field` itself holds."""
    for step in field:
        children = node[1]
        if isinstance(children, dict) and isinstance(step, str) and step in children:
            node = children[step][1]
        elif isinstance(children, list) and isinstance(step, int) and 0 <= step < len(children):
            node = children[step]
        else:
            return None
    return node[1] if isinstance(node[1], Literal) else None


def _restricted(node: Node, value: Any) -> Node:
    """The same node without the fields that `value` lacks, so that not even their names are kept."""
    index, children = node
    if isinstance(children, dict) and isinstance(value, dict):
        entries = {
            key: (at, _restricted(child, value[key])) for key, (at, child) in children.items() if key in value
        }
        return index, entries
    if isinstance(children, list) and isinstance(value, list):
        return index, [_restricted(child, item) for child, item in zip(children, value, strict=False)]
    return index, children if isinstance(children, Literal) and isinstance(value, str) else None
