"""Composes YAML events to plain data as Kubernetes' reader does, without recursion and within bounds.

The rules are those of sigs.k8s.io/yaml over yaml.v2. Strict refuses a key that is set twice, also by a
merge; lenient lets the last one win.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from yaml.events import (
    AliasEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from kagent_render.source.failure import CompositionError
from kagent_render.source.scalar import (
    MERGE_TAG,
    NUMBER_STARTS,
    WORDS,
    Scalar,
    ScalarError,
    json_value,
    key_text,
    resolve_plain,
    resolve_tagged,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_NESTING: Final = 100
"""Collections inside one another, aliases followed."""

MAX_NODES: Final = 1_000_000
"""Keys, values and collections of one file, aliases expanded."""


MAX_DOCUMENTS: Final = 100_000
"""Documents of one file."""


@dataclass(frozen=True, slots=True)
class Composed:
    """One YAML document's data and extent: characters of the stream, from the end of the document before."""

    value: Any
    start: int
    end: int


_MERGE: Final = object()
"""Stands for the key `<<` until its value is known."""


class Composer:
    """Turns the events of one stream into documents; `text` is the same stream as characters."""

    def __init__(self, get_event: Callable[[], Any], text: str, *, strict: bool) -> None:
        self._get_event = get_event
        self._strict = strict
        self._tagged_text = text_with_lone_tags(text)
        self._nodes = 0
        self._earlier_nodes = 0
        self._aliased_nodes = 0
        self._anchors: dict[str, Any] = {}
        self._extents: dict[int, tuple[Any, int, int]] = {}

    def documents(self) -> Iterator[Composed]:
        """Every document in turn; raises CompositionError, or the parser's own error."""
        start = count = 0
        while not isinstance(event := self._get_event(), StreamEndEvent):
            if isinstance(event, StreamStartEvent):
                continue
            if event.version is not None and tuple(event.version) != (1, 1):
                message = "the document asks for another YAML version than 1.1"
                raise CompositionError(message, index_of(event), "remove the `%YAML` directive")
            count += 1
            if count > MAX_DOCUMENTS:
                raise CompositionError(f"the file has more than {MAX_DOCUMENTS:,} documents", index_of(event))
            self._anchors.clear()
            self._extents.clear()
            self._earlier_nodes, self._aliased_nodes = self._nodes, 0
            value = self._compose()
            end = self._get_event().end_mark.index
            yield Composed(value, start, end)
            start = end

    def _compose(self) -> Any:
        """The next node with all that is in it: the hot loop, so its state is local."""
        get_event = self._get_event
        strict = self._strict
        stack: list[tuple[Any, bool, Any]] = []
        container: Any = []
        root = container
        in_list = True
        key: Any = None
        while True:
            event = get_event()
            kind = type(event)
            if kind is ScalarEvent:
                value = event.value
                if (
                    value in WORDS
                    or value[0] in NUMBER_STARTS
                    or event.tag is not None
                    or event.anchor is not None
                ):
                    value = self._scalar(event, as_key=key is None and not in_list)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                stack.append((container, in_list, key))
                in_list = kind is SequenceStartEvent
                container = [] if in_list else {}
                key = None
                self._enter(event, container, len(stack))
                continue
            elif kind is AliasEvent:
                value = self._alias(event, stack, container, as_key=key is None and not in_list)
            else:
                value = container
                container, in_list, key = stack.pop()
            if in_list:
                container.append(value)
                if not stack:
                    return root[0]
            elif key is None:
                key = value
                if value.__class__ is not str or value == "<<" or (strict and value in container):
                    key = self._odd_key(event, value, container)
            elif key is _MERGE:
                self._merge(event, value, container)
                key = None
            else:
                container[key] = value
                key = None
            self._nodes += 1
            if self._nodes > MAX_NODES:
                raise _too_many(event)

    def _enter(self, event: Any, container: Any, depth: int) -> None:
        if depth > MAX_NESTING:
            raise CompositionError(f"collections are nested more than {MAX_NESTING} deep", index_of(event))
        if event.anchor is not None:
            self._anchors[event.anchor] = container

    def _scalar(self, event: Any, *, as_key: bool) -> Scalar:
        try:
            value = scalar_value(event, self._tagged_text)
            if event.anchor is not None:
                self._anchors[event.anchor] = value
            return key_text(value) if as_key else json_value(value)
        except ScalarError as error:
            raise CompositionError(str(error), index_of(event)) from None

    def _alias(self, event: Any, stack: list[tuple[Any, bool, Any]], container: Any, *, as_key: bool) -> Any:
        if event.anchor not in self._anchors:
            raise CompositionError("an alias names an anchor that is not before it", index_of(event))
        value = self._anchors[event.anchor]
        if isinstance(value, dict | list) and (
            value is container or any(value is frame[0] for frame in stack)
        ):
            raise CompositionError("an alias stands inside the anchor that it names", index_of(event))
        size, height = self._extent(value)
        if len(stack) + height > MAX_NESTING:
            raise CompositionError(f"collections are nested more than {MAX_NESTING} deep", index_of(event))
        self._expand(event, size)
        if isinstance(value, dict | list):
            return value
        try:
            return key_text(value) if as_key else json_value(value)
        except ScalarError as error:
            raise CompositionError(str(error), index_of(event)) from None

    def _expand(self, event: Any, size: int) -> None:
        """Count what an alias stands for; the ratios are yaml.v2's."""
        self._nodes += size
        self._aliased_nodes += size
        if self._nodes > MAX_NODES:
            raise _too_many(event)
        nodes, aliased = self._nodes - self._earlier_nodes, self._aliased_nodes
        allowed = min(0.99, max(0.10, 0.99 - 0.89 * (nodes - 400_000) / 3_600_000))
        if aliased > 100 and nodes > 1000 and aliased > allowed * nodes:
            raise CompositionError("almost all of the document comes from aliases", index_of(event))

    def _extent(self, value: Any) -> tuple[int, int]:
        """How many nodes `value` has and how deep its collections go; each collection is measured once."""
        if not isinstance(value, dict | list):
            return 1, 0
        known = self._extents.get(id(value))
        if known is None:
            children = value.values() if isinstance(value, dict) else value
            extents = [self._extent(child) for child in children]
            size = 1 + sum(size for size, _ in extents) + (len(value) if isinstance(value, dict) else 0)
            # Holding the value keeps its id from being used again.
            known = self._extents[id(value)] = (
                value,
                size,
                1 + max((height for _, height in extents), default=0),
            )
        return known[1], known[2]

    def _odd_key(self, event: Any, value: Any, container: dict[str, Any]) -> Any:
        if isinstance(value, dict | list):
            raise CompositionError("a mapping key is a collection", index_of(event))
        if is_merge_key(event):
            return _MERGE
        if self._strict and value in container:
            raise CompositionError(f"the key `{value[:80]}` is already set", index_of(event), _DUPLICATE_HINT)
        return value

    def _merge(self, event: Any, value: Any, container: dict[str, Any]) -> None:
        sources = [value] if isinstance(value, dict) or isinstance(event, AliasEvent) else value
        if not isinstance(sources, list) or not all(isinstance(source, dict) for source in sources):
            raise CompositionError(
                "`<<` merges a mapping or a list of mappings, nothing else", index_of(event)
            )
        for source in reversed(sources):
            twice = next((key for key in source if key in container), None) if self._strict else None
            if twice is not None:
                message = f"`<<` sets the key `{twice[:80]}` a second time"
                raise CompositionError(message, index_of(event), _DUPLICATE_HINT)
            container.update(source)


_DUPLICATE_HINT: Final = "keep one of the two"
_LONE_TAG: Final = re.compile(r"!(?:<!>)?(?:[\s,\]}]|$)")
_COMMENT: Final = re.compile(r"(?<!\S)#[^\r\n]*")


def text_with_lone_tags(text: str) -> str:
    """`text` where it may hold the tag `!`, which events do not tell; else nothing, to save looking."""
    return text if "!" in text and _LONE_TAG.search(text) else ""


def scalar_value(event: Any, tagged_text: str) -> Scalar:
    """The value of a scalar event; raises ScalarError. `tagged_text` comes from `text_with_lone_tags`."""
    text: str = event.value
    if event.tag is not None:
        return resolve_tagged(event.tag, text)
    if event.style or not event.implicit[0] or (tagged_text and _has_lone_tag(event, tagged_text)):
        return text
    return resolve_plain(text)


def is_merge_key(event: Any) -> bool:
    """Whether a key's event is the merge key `<<`, rather than the quoted string or an alias."""
    if not isinstance(event, ScalarEvent) or event.value != "<<":
        return False
    return event.implicit[0] or event.tag == MERGE_TAG


def index_of(event: Any) -> int:
    """The character at which an event starts, from the start of the stream."""
    index: int = event.start_mark.index
    return index


def _has_lone_tag(event: Any, text: str) -> bool:
    properties = text[event.start_mark.index : event.end_mark.index].removesuffix(event.value)
    return "!" in _COMMENT.sub("", properties)


def _too_many(event: Any) -> CompositionError:
    return CompositionError(f"the file has more than {MAX_NODES:,} nodes", index_of(event))
