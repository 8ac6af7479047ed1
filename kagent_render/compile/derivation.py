"""What a boundary needs of its runtime, derived from its bundle: the same for every adapter."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kagent_render.api.hub import McpProtocol
from kagent_render.compile.bundle import AgentConfiguration, DedicatedTool, McpTool, protocol_of
from kagent_render.compile.environment import Provenance
from kagent_render.compile.model_options import model_options
from kagent_render.compile.requirement import Requirement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
        protocol = protocol_of(tool)
        about = "" if isinstance(tool, DedicatedTool) else f"{_called(tool)} speaks {protocol}"
        yield Requirement("mcpTransports", tool.provenance, member=_TRANSPORTS[protocol], about=about)
        if isinstance(tool, McpTool) and any(not isinstance(value, str) for _, value in tool.server.headers):
            yield Requirement(
                "mcpCredentials", tool.provenance, about=f"a header of {_called(tool)} is a Secret's value"
            )
    yield Requirement("modelProviders", member.model_choice, member=member.provider.model.provider)
    for option, field in model_options(member.provider):
        provenance = Provenance(member.provider.model.document, field)
        yield Requirement("modelOptions", provenance, member=option)


def _needs_of_child(child: AgentConfiguration, parent: AgentConfiguration) -> Iterator[Requirement]:
    """In what a Shared agent differs from the agent whose runtime it runs in."""
    own, inherited = _selections(child), _selections(parent)
    for tool, names in _by_binding(own, inherited):
        about = f"its parent has no {_tools(tool, names)}"
        yield Requirement("childTools", tool.provenance, member="own", about=about)
    lacking = _by_binding(inherited, own)
    fewer = [_tools(tool, names) for tool, names in lacking if isinstance(tool, McpTool)]
    if fewer:
        about = f"it lacks {' and '.join(fewer)}, which its parent has"
        yield Requirement("childTools", child.provenance, member="fewer", about=about)
    if dedicated := [_tools(tool, names) for tool, names in lacking if isinstance(tool, DedicatedTool)]:
        about = f"it must not reach {' and '.join(dedicated)} of its parent"
        yield Requirement("privateDedicatedTools", child.provenance, about=about)
    if child.provider.model.ref != parent.provider.model.ref:
        about = f"its parent has ModelConfig `{parent.provider.model.name}`"
        yield Requirement("childModels", child.model_choice, about=about)


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


def _by_binding(
    selected: dict[tuple[object, str], McpTool | DedicatedTool], other: Iterable[tuple[object, str]]
) -> list[tuple[McpTool | DedicatedTool, list[str]]]:
    """The bindings with tools that `other` lacks, and the names of these."""
    missing = selected.keys() - set(other)
    found: defaultdict[Provenance, list[str]] = defaultdict(list)
    for server_and_name, tool in selected.items():
        if server_and_name in missing:
            found[tool.provenance].append(server_and_name[1])
    bindings = {tool.provenance: tool for tool in selected.values()}
    return [(bindings[provenance], names) for provenance, names in found.items()]


def _tools(tool: McpTool | DedicatedTool, names: list[str]) -> str:
    if isinstance(tool, DedicatedTool):
        return f"the Dedicated agent `{tool.name}`"
    return f"{', '.join(f'`{name}`' for name in names)} of {_called(tool)}"


def _called(tool: McpTool) -> str:
    ref = tool.server.server.ref
    return f"{ref.kind} `{ref.name}`"
