"""What a boundary needs of its runtime, derived from its bundle and held against a capability record."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kagent_render.compile.bundle import AgentConfiguration, DedicatedTool
from kagent_render.compile.capabilities.record import UNPROVEN
from kagent_render.compile.requirement import Requirement
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath


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
    denied = _by_field(need for need in requirements if record.denies(need.capability, need.minimum))
    unproven = _by_field(
        requirement for requirement in requirements if record.value(requirement.capability) == UNPROVEN
    )
    return [
        *(_unsupported(needs, record) for needs in denied),
        *(_unproven(needs, record) for needs in unproven),
    ]


def _by_field(requirements: Iterable[Requirement]) -> list[list[Requirement]]:
    """Requirements that one field has, together: they are one fault."""
    groups: defaultdict[tuple[int, FieldPath], list[Requirement]] = defaultdict(list)
    for requirement in requirements:
        origin = requirement.provenance
        groups[id(origin.document), origin.field].append(requirement)
    return list(groups.values())


def _unsupported(needs: list[Requirement], record: CapabilityRecord) -> Diagnostic:
    origin = needs[0].provenance
    return origin.document.fault(
        Reason.CAPABILITY_UNSUPPORTED,
        origin.field,
        f"this needs {_listed(needs)}, which the capability record `{record.name}` denies to"
        f" {record.runtime}",
        hint="attach the template to a Harness whose runtime has it, or remove the field",
    )


def _unproven(needs: list[Requirement], record: CapabilityRecord) -> Diagnostic:
    origin = needs[0].provenance
    return origin.document.fault(
        Reason.CAPABILITY_UNPROVEN,
        origin.field,
        f"this needs {_listed(needs)}, which no conformance run has proven for {record.runtime}"
        f" (capability record `{record.name}`)",
        hint="try it before you rely on it; `--strict` makes this an error",
        severity=Severity.WARNING,
    )


def _listed(needs: list[Requirement]) -> str:
    return " and ".join(f"`{requirement}`" for requirement in needs)
