"""The nodes of a YAML stream with the exact extent of each, aliases and merges left as they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from kagent_render.source.composer import index_of, is_merge_key
from kagent_render.source.events import open_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kagent_render.diagnostics.diagnostic import FieldPath

_PROPERTY: Final = re.compile(r"[!&][^\s,\[\]{}]*|!<[^>]*>")
_SPACE: Final = re.compile(r"(?:\s|#[^\r\n]*)+")


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One key of a mapping with its value; `merges` where the key is `<<`."""

    key: Node
    value: Node
    merges: bool = False


@dataclass(slots=True, eq=False)
class Node:
    """One node: characters from `start`, behind anchor and tag, to `end`.

    `outer` is where its anchor or tag begins. `style` is a scalar's quote or block indicator, empty for a
    plain one. A collection is `flow` or block. An alias stands for its `target`.
    """

    outer: int
    start: int
    end: int
    text: str | None = None
    style: str = ""
    flow: bool = False
    entries: list[Entry] = field(default_factory=list)
    items: list[Node] = field(default_factory=list)
    target: Node | None = None
    is_mapping: bool = False

    @property
    def meant(self) -> Node:
        """The node itself, or what an alias stands for."""
        return self.target or self

    @property
    def is_null(self) -> bool:
        """Whether it is a plain scalar that says nothing."""
        return not self.style and self.text in ("", "~", "null", "Null", "NULL")


@dataclass(frozen=True, slots=True, eq=False)
class Document:
    """One document: its root, and `end`, where the marker that ends it begins, or the stream ends."""

    root: Node
    end: int


def read_nodes(text: str) -> list[Document]:
    """Every document of a stream that has been read without fault before; `text` has no byte order mark."""
    get_event = open_events(text.encode())
    roots: list[tuple[Node, int | None]] = []
    starts: list[int] = []
    while not isinstance(event := get_event(), StreamEndEvent):
        if isinstance(event, DocumentStartEvent):
            starts.append(index_of(event))
            root = _Nodes(get_event, text).read()
            end = get_event()
            roots.append((root, index_of(end) if end.explicit else None))
    starts.append(len(text))
    return [
        Document(root, end if end is not None else starts[index + 1])
        for index, (root, end) in enumerate(roots)
    ]


def entry_of(mapping: Node, name: str) -> tuple[Node, Entry] | None:
    """The entry of a key and the mapping that it is written in, which a merge may lead to."""
    mapping = mapping.meant
    for entry in mapping.entries:
        if not entry.merges and entry.key.meant.text == name:
            return mapping, entry
    for source in _merged(mapping):
        found = entry_of(source, name)
        if found is not None:
            return found
    return None


def node_at(root: Node, path: FieldPath) -> Node | None:
    """The node at a path, aliases and merges followed; an alias itself where the path ends in one."""
    node = root
    for step in path:
        if isinstance(step, str):
            found = entry_of(node, step)
            if found is None:
                return None
            node = found[1].value
        elif step < len(node.meant.items):
            node = node.meant.items[step]
        else:
            return None
    return node


def _merged(mapping: Node) -> Iterator[Node]:
    for entry in mapping.entries:
        if entry.merges:
            value = entry.value.meant
            yield from [item.meant for item in value.items] or [value]


class _Nodes:
    """Reads one document's nodes; nesting is bounded by the reader that has read the text before."""

    def __init__(self, get_event: Callable[[], Any], text: str) -> None:
        self._get_event = get_event
        self._text = text
        self._anchors: dict[str, Node] = {}

    def read(self, event: Any = None) -> Node:
        """The next node with all that is in it."""
        event = event or self._get_event()
        outer, end = index_of(event), _end_of(event)
        if isinstance(event, AliasEvent):
            return Node(outer, outer, end, target=self._anchors[event.anchor or ""])
        start = self._behind_properties(outer, end, event)
        node = Node(outer, start, end)
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        if isinstance(event, ScalarEvent):
            node.text, node.style = event.value, event.style or ""
            if node.style in ("|", ">"):
                node.end = _block_end(self._text, start, end)
        elif isinstance(event, MappingStartEvent):
            node.is_mapping, node.flow = True, bool(event.flow_style)
            self._read_entries(node)
        else:
            assert isinstance(event, SequenceStartEvent)
            node.flow = bool(event.flow_style)
            self._read_items(node)
        return node

    def _read_entries(self, node: Node) -> None:
        while not isinstance(event := self._get_event(), MappingEndEvent):
            key = self.read(event)
            node.entries.append(Entry(key, self.read(), merges=is_merge_key(event)))
        node.end = _end_of(event) if node.flow else node.entries[-1].value.end

    def _read_items(self, node: Node) -> None:
        while not isinstance(event := self._get_event(), SequenceEndEvent):
            node.items.append(self.read(event))
        node.end = _end_of(event) if node.flow else node.items[-1].end

    def _behind_properties(self, start: int, end: int, event: Any) -> int:
        """Where the content begins: a tag and an anchor stand before it, in any order."""
        if event.anchor is None and event.tag is None and self._text[start : start + 1] != "!":
            return start
        if not isinstance(event, ScalarEvent):
            end = len(self._text)
        while start < end and (found := _PROPERTY.match(self._text, start, end)):
            start = found.end()
            if space := _SPACE.match(self._text, start, end):
                start = space.end()
        return start


def _end_of(event: Any) -> int:
    index: int = event.end_mark.index
    return index


def _block_end(text: str, start: int, end: int) -> int:
    """Where a block scalar's text ends: behind its last line, and where `+` keeps them, its blank ones."""
    header = text[start:end].split("\n", 1)[0]
    if "+" in header.split("#", 1)[0]:
        return end
    return start + len(text[start:end].rstrip())
