"""The objects of one namespace that attachment and composition look at: no reference ever leaves it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.api.hub import AgentTemplate, Harness, Inventory

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Namespace:
    """The Harnesses and AgentTemplates of one namespace by name, with their names in order.

    `broken_harnesses` and `broken_templates` name documents that exist but could not be decoded.
    """

    harnesses: Mapping[str, Harness] = field(default_factory=dict)
    templates: Mapping[str, AgentTemplate] = field(default_factory=dict)
    harness_names: tuple[str, ...] = ()
    template_names: tuple[str, ...] = ()
    broken_harnesses: frozenset[str] = frozenset()
    broken_templates: frozenset[str] = frozenset()


def split_namespaces(inventory: Inventory) -> dict[str, Namespace]:
    """Divide an inventory into its namespaces, both in name order, in one pass over its objects."""
    harnesses = _by_namespace(inventory.harnesses)
    templates = _by_namespace(inventory.templates)
    broken_harnesses = _broken(inventory, "Harness")
    broken_templates = _broken(inventory, "AgentTemplate")
    return {
        name: Namespace(
            harnesses.get(name, {}),
            templates.get(name, {}),
            tuple(harnesses.get(name, ())),
            tuple(templates.get(name, ())),
            frozenset(broken_harnesses.get(name, ())),
            frozenset(broken_templates.get(name, ())),
        )
        for name in sorted({*harnesses, *templates, *broken_harnesses, *broken_templates})
    }


def _by_namespace(objects: Mapping[tuple[str, str], _T]) -> dict[str, dict[str, _T]]:
    split: defaultdict[str, dict[str, _T]] = defaultdict(dict)
    for namespace, name in sorted(objects):
        split[namespace][name] = objects[namespace, name]
    return split


def _broken(inventory: Inventory, kind: str) -> dict[str, set[str]]:
    split: defaultdict[str, set[str]] = defaultdict(set)
    for broken_kind, namespace, name in inventory.broken:
        if broken_kind == kind:
            split[namespace].add(name)
    return split
