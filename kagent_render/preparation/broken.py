"""What can still be read of invalid Harnesses and AgentTemplates, so that their pairs are listed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.graph.attachment import BrokenHarness, BrokenTemplate

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kagent_render.api.hub import Inventory, LabelSelector
    from kagent_render.source.document import Document


def broken_templates(documents: Sequence[Document], inventory: Inventory) -> Iterator[BrokenTemplate]:
    """Every AgentTemplate among the inventory's broken, with the Harnesses that it asks for."""
    for document, namespace, name in _broken("AgentTemplate", documents, inventory):
        yield BrokenTemplate(namespace, name, _includes(document), _labels(document))


def broken_harnesses(documents: Sequence[Document], inventory: Inventory) -> Iterator[BrokenHarness]:
    """Every Harness among the inventory's broken, with the templates that it admits."""
    for document, namespace, name in _broken("Harness", documents, inventory):
        yield BrokenHarness(namespace, name, _admission(document))


def _broken(
    kind: str, documents: Sequence[Document], inventory: Inventory
) -> Iterator[tuple[Document, str, str]]:
    for document in documents:
        ref = document.ref
        identity = (ref.kind, ref.namespace or "", ref.name or "")
        if ref.kind == kind and identity in inventory.broken:
            yield document, identity[1], identity[2]


def _admission(document: Document) -> LabelSelector | None:
    """The selector of an invalid Harness; None where it is itself invalid."""
    from kagent_render.api.defaulting import defaulted
    from kagent_render.api.examination import examine
    from kagent_render.api.harness import hub_admission
    from kagent_render.api.selector import Admission

    typed, _ = examine(Admission, defaulted(Admission, _at(document.value, "spec", "allowedAgentTemplates")))
    return hub_admission(typed) if isinstance(typed, Admission) else None


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
