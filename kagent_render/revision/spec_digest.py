"""The digest of every object's defaulted spec: what stands for its generation in a lock."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.diagnostics.reasons import Reason
from kagent_render.revision.canonical_json import CanonicalFormError, digest
from kagent_render.revision.lock_document import field_digests

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.hub import Inventory
    from kagent_render.api.sourced import Sourced
    from kagent_render.diagnostics.diagnostic import Diagnostic, ObjectRef


class SpecDigests:
    """The digest `of` each object's spec; those of its fields are made when they are asked for."""

    def __init__(self, of: Mapping[ObjectRef, str]) -> None:
        self.of = of
        self._fields: dict[ObjectRef, dict[str, str]] = {}

    def of_fields(self, resource: Sourced) -> dict[str, str]:
        """The short digest of each top-level field, once for all places where the object stands."""
        known = self._fields.get(resource.ref)
        if known is None:
            known = self._fields[resource.ref] = field_digests(resource.spec)
        return known


@dataclass(frozen=True, slots=True)
class Digested:
    """An inventory whose specs all have a digest; those that cannot have one are among its broken."""

    inventory: Inventory
    digests: SpecDigests


def digest_specs(inventory: Inventory) -> tuple[Digested, list[Diagnostic]]:
    """Digest the spec of every object of our own kinds once."""
    digests: dict[ObjectRef, str] = {}
    broken: set[tuple[str, str, str]] = set()
    faults: list[Diagnostic] = []
    for resource in _digested(inventory):
        try:
            digests[resource.ref] = digest(resource.spec)
        except CanonicalFormError as error:
            broken.add((resource.ref.kind, resource.namespace, resource.name))
            faults.append(_no_digest(resource, error))
    if broken:
        inventory = dataclasses.replace(inventory, broken=inventory.broken | broken)
    return Digested(inventory, SpecDigests(digests)), faults


def _digested(inventory: Inventory) -> Iterator[Sourced]:
    yield from inventory.harnesses.values()
    yield from inventory.templates.values()
    yield from inventory.model_configs.values()
    yield from inventory.mcp_servers.values()
    yield from inventory.agent_plugins.values()
    yield from inventory.platform_agents.values()


def _no_digest(resource: Sourced, error: CanonicalFormError) -> Diagnostic:
    return resource.document.fault(
        Reason.INVALID_SPEC,
        ("spec", *error.path),
        f"the value {error.problem}, so it has no canonical form",
        hint="write it as text, or use a number that every reader reads the same",
    )
