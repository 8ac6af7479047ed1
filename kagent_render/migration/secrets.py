"""What the Secrets of a text say, so that it can be compared: the reader of manifests drops it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.migration.nodes import entry_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kagent_render.migration.nodes import Document, Node


def secret_texts(documents: Sequence[Document]) -> list[Any]:
    """Every Secret of a stream in order, as nested texts in which each alias is what it stands for."""
    return [_spelled(secret) for document in documents for secret in _secrets(document.root.meant)]


def _secrets(node: Node) -> Iterator[Node]:
    kind, items = entry_of(node, "kind"), entry_of(node, "items")
    if kind is not None and kind[1].value.meant.text == "Secret":
        yield node
    elif items is not None:
        for item in items[1].value.meant.items:
            yield from _secrets(item.meant)


def _spelled(node: Node) -> Any:
    node = node.meant
    if node.text is not None:
        return node.text
    pairs = [(_spelled(entry.key), _spelled(entry.value)) for entry in node.entries]
    return pairs or [_spelled(item) for item in node.items]
