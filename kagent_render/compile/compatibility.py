"""What a boundary needs of its runtime, derived from its bundle and held against a capability record."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kagent_render.api.hub import McpProtocol
from kagent_render.compile.bundle import AgentConfiguration, DedicatedTool, McpTool, protocol_of
from kagent_render.compile.environment import Provenance
from kagent_render.compile.model_options import model_options
from kagent_render.compile.requirement import Requirement
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath


_TRANSPORTS = {McpProtocol.STREAMABLE_HTTP: "streamable-http", McpProtocol.SSE: "sse"}


def derive_requirements(agent: AgentConfiguration) -> tuple[Requirement, ...]:
    """What a boundary requires, sorted by name, at every field that needs it in the order of the template."""
    distinct = {(str(need), need.provenance): need for need in _needs(agent)}
    return tuple(sorted(distinct.values(), key=str))


def _needs(agent: AgentConfiguration) -> Iterator[Requirement]:
    yield Requirement("inputModalities", agent.provenance, member="text")
    yield Requirement("outputModalities", agent.provenance, member="text")
    for child in agent.children:
        yield Requirement("nativeAgentTools", child.provenance)
        yield Requirement("maxNativeAgentDepth", child.provenance, minimum=1)
        yield from _needs_of_child(child, agent)
    for member in agent.members():
        yield from _needs_of_member(member)
        for skill in member.skills:
            yield Requirement("skills" if member is agent else "childSkills", skill.provenance)


def _needs_of_member(member: AgentConfiguration) -> Iterator[Requirement]:
    """What an agent needs wherever it stands: its tools, how they are reached, its model's options."""
    for tool in member.tools:
        yield Requirement("mcpInjection", tool.provenance)
        if isinstance(tool, DedicatedTool):
            yield Requirement("dedicatedAgentTools", tool.provenance)
        yield Requirement("mcpTransports", tool.provenance, member=_TRANSPORTS[protocol_of(tool)])
        if isinstance(tool, McpTool) and any(not isinstance(value, str) for _, value in tool.server.headers):
            yield Requirement("mcpCredentials", tool.provenance)
    yield Requirement("modelProviders", member.model_choice, member=member.provider.model.provider)
    for option, field in model_options(member.provider):
        provenance = Provenance(member.provider.model.document, field)
        yield Requirement("modelOptions", provenance, member=option)


def _needs_of_child(child: AgentConfiguration, parent: AgentConfiguration) -> Iterator[Requirement]:
    """In what a Shared agent differs from the agent whose runtime it runs in."""
    own, inherited = _selections(child), _selections(parent)
    for selected, tool in own.items():
        if selected not in inherited:
            yield Requirement("childTools", tool.provenance, member="own")
    missing = [tool for selected, tool in inherited.items() if selected not in own]
    if any(isinstance(tool, McpTool) for tool in missing):
        yield Requirement("childTools", child.provenance, member="fewer")
    if any(isinstance(tool, DedicatedTool) for tool in missing):
        yield Requirement("privateDedicatedTools", child.provenance)
    if child.provider.model.ref != parent.provider.model.ref:
        yield Requirement("childModels", child.model_choice)


def _selections(agent: AgentConfiguration) -> dict[tuple[object, str], McpTool | DedicatedTool]:
    """Every single tool that an agent selects, by its server and name, with the binding."""
    return {
        selected: tool
        for tool in agent.tools
        for selected in (
            [(tool.path, "")]
            if isinstance(tool, DedicatedTool)
            else [(tool.server.server.ref, name) for name in tool.tools]
        )
    }


def check_requirements(requirements: tuple[Requirement, ...], record: CapabilityRecord) -> list[Diagnostic]:
    """What a record denies is an error at every needing field, what nobody proved a warning at the first."""
    first: dict[str, Requirement] = {}
    for requirement in requirements:
        if record.leaves_open(requirement):
            first.setdefault(str(requirement), requirement)
    denied = _by_field(need for need in requirements if record.denies(need))
    return [
        *(_unsupported(needs, record) for needs in denied),
        *(_unproven(needs, record) for needs in _by_field(first.values())),
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
        sensitive="defaultHeaders" in origin.field,
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
        sensitive="defaultHeaders" in origin.field,
    )


def _listed(needs: list[Requirement]) -> str:
    names = [f"`{requirement}`" for requirement in needs]
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
