"""Where the fields of a YAML document are written, found out only when someone asks."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from kagent_render.source.composer import index_of, is_merge_key, scalar_value, text_with_lone_tags
from kagent_render.source.events import open_events
from kagent_render.source.scalar import Scalar, key_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kagent_render.diagnostics.diagnostic import FieldPath

_BREAK = re.compile(r"\r\n?|\n")


@dataclass(eq=False)
class SourceText:
    """The characters of one file, and which line each is on, as editors count lines."""

    text: str

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in _BREAK.finditer(self.text))]

    def place(self, index: int) -> tuple[int, int]:
        """Line and column, from 1, of the character at `index`."""
        line = bisect.bisect_right(self._line_starts, index)
        return line, index - self._line_starts[line - 1] + 1


@dataclass(slots=True, eq=False)
class Trace:
    """The place of one node, and of the nodes in it: entries have their key's place as well."""

    place: tuple[int, int]
    entries: dict[str, tuple[tuple[int, int], Trace]] = field(default_factory=dict)
    items: list[Trace] = field(default_factory=list)

    def locate(self, path: FieldPath) -> tuple[int, int]:
        """The place of the field at `path`, or of its nearest present ancestor."""
        place, trace = self.place, self
        for step in path:
            if isinstance(step, str) and step in trace.entries:
                place, trace = trace.entries[step]
            elif isinstance(step, int) and 0 <= step < len(trace.items):
                trace = trace.items[step]
                place = trace.place
            else:
                break
        return place

    def restricted(self, value: Any) -> Trace:
        """The same places, less those of fields that `value` does not have."""
        entries: Mapping[str, Any] = value if isinstance(value, dict) else {}
        items: list[Any] = value if isinstance(value, list) else []
        return Trace(
            self.place,
            {
                key: (place, trace.restricted(entries[key]))
                for key, (place, trace) in self.entries.items()
                if key in entries
            },
            [trace.restricted(item) for trace, item in zip(self.items, items, strict=False)],
        )


class LazyLocator:
    """Locates fields by reading the document's text a second time, at the first question."""

    __slots__ = ("_end", "_source", "_start", "_trace")

    def __init__(self, source: SourceText, start: int, end: int) -> None:
        self._source = source
        self._start = start
        self._end = end
        self._trace: Trace | None = None

    def locate(self, field: FieldPath) -> tuple[int, int]:
        """The place of a mapping entry's key, or of a list item's first character."""
        if self._trace is None:
            self._trace = trace_document(self._source, self._start, self._end)
        return self._trace.locate(field)


def trace_document(source: SourceText, start: int, end: int) -> Trace:
    """The places of a document that has been composed without fault before."""
    text = source.text[start:end]
    tracer = _Tracer(text, lambda index: source.place(start + index))
    return tracer.trace()


class _Tracer:
    """Follows the events of one document; recursion is as deep as the nesting that composing allowed."""

    def __init__(self, text: str, place: Callable[[int], tuple[int, int]]) -> None:
        self._get_event = open_events(text.encode())
        self._tagged_text = text_with_lone_tags(text)
        self._place = place
        self._anchors: dict[str | None, tuple[Trace, Scalar]] = {}

    def trace(self) -> Trace:
        while not isinstance(self._get_event(), DocumentStartEvent):
            pass
        return self._node(self._get_event())[0]

    def _node(self, event: Any) -> tuple[Trace, Scalar]:
        """The next node's trace and, of a scalar, the value."""
        place = self._place(index_of(event))
        if isinstance(event, AliasEvent):
            trace, value = self._anchors[event.anchor]
            return Trace(place, trace.entries, trace.items), value
        node = (
            Trace(place),
            scalar_value(event, self._tagged_text) if isinstance(event, ScalarEvent) else None,
        )
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        if isinstance(event, SequenceStartEvent):
            self._fill_items(node[0].items)
        elif isinstance(event, MappingStartEvent):
            self._fill_entries(node[0].entries)
        return node

    def _fill_items(self, items: list[Trace]) -> None:
        while not isinstance(event := self._get_event(), SequenceEndEvent):
            items.append(self._node(event)[0])

    def _fill_entries(self, entries: dict[str, tuple[tuple[int, int], Trace]]) -> None:
        while not isinstance(event := self._get_event(), MappingEndEvent):
            merge = is_merge_key(event)
            key, value = self._node(event)
            child, _ = self._node(self._get_event())
            if not merge:
                entries[key_text(value)] = key.place, child
                continue
            for source in [child, *reversed(child.items)]:
                entries.update(source.entries)
