"""What can still be read of AgentTemplates that are not valid, so that their pairs are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.graph.attachment import BrokenTemplate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kagent_render.api.hub import Inventory
    from kagent_render.source.document import Document


def broken_templates(documents: Sequence[Document], inventory: Inventory) -> Iterator[BrokenTemplate]:
    """Every AgentTemplate among the inventory's broken, with the Harnesses that it asks for."""
    for document in documents:
        ref = document.ref
        identity = (ref.kind, ref.namespace or "", ref.name or "")
        if ref.kind == "AgentTemplate" and identity in inventory.broken:
            yield BrokenTemplate(identity[1], identity[2], _includes(document), _labels(document))


def _includes(document: Document) -> tuple[str, ...] | None:
    """The Harness names that an invalid template asks for, as far as they are names."""
    if not document.ref.api_version.endswith("/v1alpha2"):
        return None
    entries = _at(document.value, "spec", "harnesses", "include")
    entries = entries if isinstance(entries, list) else []
    names = (entry.get("name") for entry in entries if isinstance(entry, dict))
    return tuple(dict.fromkeys(name for name in names if isinstance(name, str) and name))


def _labels(document: Document) -> dict[str, str]:
    labels = _at(document.value, "metadata", "labels")
    labels = labels if isinstance(labels, dict) else {}
    return {key: value for key, value in labels.items() if isinstance(value, str)}


def _at(value: object, *steps: str) -> object:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value
