"""The digest of every object's defaulted spec: what stands for its generation in a lock."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.diagnostics.reasons import Reason
from kagent_render.revision.canonical_json import CanonicalFormError, digest

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.hub import Inventory, Sourced
    from kagent_render.diagnostics.diagnostic import Diagnostic, ObjectRef


@dataclass(frozen=True, slots=True)
class Digested:
    """An inventory whose specs all have a digest; those that cannot have one are among its broken."""

    inventory: Inventory
    digests: Mapping[ObjectRef, str]


def digest_specs(inventory: Inventory) -> tuple[Digested, list[Diagnostic]]:
    """Digest the spec of every Harness, AgentTemplate, ModelConfig and MCP server once."""
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
    return Digested(inventory, digests), faults


def _digested(inventory: Inventory) -> Iterator[Sourced]:
    yield from inventory.harnesses.values()
    yield from inventory.templates.values()
    yield from inventory.model_configs.values()
    yield from inventory.mcp_servers.values()


def _no_digest(resource: Sourced, error: CanonicalFormError) -> Diagnostic:
    return resource.document.fault(
        Reason.INVALID_SPEC,
        ("spec", *error.path),
        f"the value {error.problem}, so it has no canonical form",
        hint="write it as text, or use a number that every reader reads the same",
    )
