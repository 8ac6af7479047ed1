"""Follows the events of a YAML document for where its nodes are, as the composer does for their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from yaml.events import AliasEvent, DocumentStartEvent, MappingStartEvent, ScalarEvent, SequenceStartEvent

from kagent_render.source.composer import index_of, is_merge_key, scalar_value, text_with_lone_tags
from kagent_render.source.events import open_events
from kagent_render.source.literal import Literal, find_literal
from kagent_render.source.scalar import NUMBER_STARTS, WORDS, Scalar, key_text

if TYPE_CHECKING:
    from collections.abc import Callable

Node = tuple[int, "dict[str, tuple[int, Node]] | list[Node] | Literal | None"]
"""Where a node starts, as characters into the document, and what is in it: entries with keys' starts.

Of a literal block it is the place of its lines.
"""


def trace_document(text: str) -> Node:
    """The places of a document that has been composed without fault before."""
    get_event = open_events(text.encode())
    while not isinstance(get_event(), DocumentStartEvent):
        pass
    return _Tracer(text).follow(get_event)


class _Tracer:
    def __init__(self, text: str) -> None:
        self._text = text
        self._tagged_text = text_with_lone_tags(text)
        self._anchors: dict[str, tuple[Node, Scalar]] = {}

    def follow(self, get_event: Callable[[], Any]) -> Node:
        """The next node with all that is in it; like the composer's, a loop with local state."""
        stack: list[tuple[Node, Any, int]] = []
        node: Node = (0, [])
        container: Any = node[1]
        key: Any = None
        key_index = 0
        while True:
            event = get_event()
            kind = type(event)
            if kind is ScalarEvent or kind is AliasEvent:
                if key is None and type(container) is dict:
                    key, key_index = self._key(event), event.start_mark.index
                    continue
                child = self._leaf(event)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                stack.append((node, key, key_index))
                container = {} if kind is MappingStartEvent else []
                node = (event.start_mark.index, container)
                key = None
                if event.anchor is not None:
                    self._anchors[event.anchor] = node, None
                continue
            else:
                child = node
                node, key, key_index = stack.pop()
                container = node[1]
            if type(container) is list:
                container.append(child)
                if not stack:
                    return child
            elif key is _MERGE:
                _merge(child, container)
            else:
                container[key] = key_index, child
            key = None

    def _leaf(self, event: Any) -> Node:
        if isinstance(event, AliasEvent):
            return index_of(event), self._anchors[event.anchor or ""][0][1]
        node = index_of(event), find_literal(event, self._text)
        if event.anchor is None:
            return node
        self._anchors[event.anchor] = node, scalar_value(event, self._tagged_text)
        return node

    def _key(self, event: Any) -> Any:
        text = getattr(event, "value", "")
        if event.anchor is None and event.tag is None and text not in WORDS and text[0] not in NUMBER_STARTS:
            return _MERGE if is_merge_key(event) else text
        if isinstance(event, AliasEvent):
            return key_text(self._anchors[event.anchor or ""][1])
        if event.anchor is not None:
            self._leaf(event)
        return _MERGE if is_merge_key(event) else key_text(scalar_value(event, self._tagged_text))


_MERGE = object()


def _merge(merged: Node, entries: dict[str, tuple[int, Node]]) -> None:
    """Entries keep the places of the mapping that they come from."""
    sources = list(merged[1]) if isinstance(merged[1], list) else [merged]
    for _, children in reversed(sources):
        if isinstance(children, dict):
            entries.update(children)
