"""What a boundary needs of its runtime, derived from its bundle and held against a capability record."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.compile.bundle import AgentConfiguration, DedicatedTool
from kagent_render.compile.environment import Provenance
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.diagnostics.diagnostic import Diagnostic

UNPROVEN = "unproven"


@dataclass(frozen=True, slots=True)
class Requirement:
    """One capability that a field needs; `minimum` is set for capabilities that count."""

    capability: str
    provenance: Provenance = dataclasses.field(compare=False)
    minimum: int | None = None

    def __str__(self) -> str:
        return self.capability if self.minimum is None else f"{self.capability}>={self.minimum}"


def derive_requirements(agent: AgentConfiguration) -> tuple[Requirement, ...]:
    """The distinct requirements of a boundary, sorted by name, each at the first field that needs it."""
    first: dict[str, Requirement] = {}
    for requirement in _needs(agent):
        first.setdefault(str(requirement), requirement)
    return tuple(first[name] for name in sorted(first))


def _needs(agent: AgentConfiguration) -> Iterator[Requirement]:
    for child in agent.children:
        yield Requirement("nativeAgentTools", child.provenance)
        yield Requirement("maxNativeAgentDepth", child.provenance, minimum=1)
    for member in agent.members():
        for tool in member.tools:
            yield Requirement("mcpInjection", tool.provenance)
            if isinstance(tool, DedicatedTool):
                yield Requirement("dedicatedAgentTools", tool.provenance)
        for skill in member.skills:
            yield Requirement("skills" if member is agent else "childSkills", skill.provenance)


def check_requirements(requirements: tuple[Requirement, ...], record: CapabilityRecord) -> list[Diagnostic]:
    """What the record denies is an error, what nobody has proven a warning, each at the needing field."""
    found = []
    for requirement in requirements:
        value = record.value(requirement.capability)
        if value == UNPROVEN:
            found.append(_unproven(requirement, record))
        elif not value or (isinstance(value, int) and value < (requirement.minimum or 0)):
            found.append(_unsupported(requirement, record))
    return found


def _unsupported(requirement: Requirement, record: CapabilityRecord) -> Diagnostic:
    origin = requirement.provenance
    return origin.document.fault(
        Reason.CAPABILITY_UNSUPPORTED,
        origin.field,
        f"this needs the capability `{requirement}`, which the record `{record.name}` denies to"
        f" {record.runtime}",
        hint="attach the template to a Harness whose runtime has it, or remove the field",
    )


def _unproven(requirement: Requirement, record: CapabilityRecord) -> Diagnostic:
    origin = requirement.provenance
    return origin.document.fault(
        Reason.CAPABILITY_UNPROVEN,
        origin.field,
        f"this needs the capability `{requirement}`, which no conformance run has proven for"
        f" {record.runtime} (record `{record.name}`)",
        hint="try it before you rely on it; `--strict` makes this an error",
        severity=Severity.WARNING,
    )
