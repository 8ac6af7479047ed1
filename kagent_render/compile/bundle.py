"""The bundle: the resolved configuration of one boundary, the same for every runtime variant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.api.hub import ConfigMapKeyRef, McpProtocol
from kagent_render.compile.environment import Provenance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.api.hub import AgentTemplate, ArtifactSource, Harness
    from kagent_render.compile.mcp import ResolvedServer
    from kagent_render.compile.provider import Provider
    from kagent_render.compile.requirement import Requirement


@dataclass(frozen=True, slots=True)
class ResolvedSkill:
    """One Agent Skill by itself: where its directory is and the sha256 tree digest of that."""

    name: str
    source: ArtifactSource
    digest: str
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class McpTool:
    """Selected tools of one MCP server."""

    server: ResolvedServer
    tools: tuple[str, ...]
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class DedicatedTool:
    """A bound agent in a boundary of its own, seen as one MCP server with the tool `invoke(task)`."""

    path: str
    name: str
    description: str
    provenance: Provenance


def protocol_of(tool: McpTool | DedicatedTool) -> McpProtocol:
    """How a tool's server is reached."""
    if isinstance(tool, DedicatedTool):
        return McpProtocol.STREAMABLE_HTTP
    return tool.server.server.protocol


@dataclass(frozen=True, slots=True)
class AgentConfiguration:
    """One agent of a boundary: its root, or a native sub-agent.

    `name` and `description` are the template's at the pair's root and the binding's everywhere else;
    `tools` keeps the template's order; `provenance` is the binding, or the template's spec at the root.
    """

    path: str
    name: str
    description: str
    instruction: str
    provider: Provider
    tools: tuple[McpTool | DedicatedTool, ...]
    skills: tuple[ResolvedSkill, ...]
    template: AgentTemplate
    provenance: Provenance
    children: tuple[AgentConfiguration, ...] = ()

    @property
    def model_choice(self) -> Provenance:
        """The field that chose the agent's model."""
        return Provenance(self.template.document, ("spec", "modelConfig", "name"))

    def members(self) -> tuple[AgentConfiguration, ...]:
        """The agent and its sub-agents, root first, in the order of the bindings."""
        return (self, *(member for child in self.children for member in child.members()))


@dataclass(frozen=True, slots=True)
class Bundle:
    """Everything that one runtime boundary needs; `path` is its head's binding path."""

    namespace: str
    root_template: str
    path: str
    harness: Harness
    image: str
    agent: AgentConfiguration
    egress: tuple[str, ...]
    requirements: tuple[Requirement, ...]

    @property
    def dedicated(self) -> tuple[DedicatedTool, ...]:
        """The boundaries that this one may call."""
        return tuple(
            tool
            for member in self.agent.members()
            for tool in member.tools
            if isinstance(tool, DedicatedTool)
        )


def longest_text(bundle: Bundle) -> Provenance:
    """The field that takes most of a boundary's configuration: where to cut when it does not fit."""
    return max(_texts(bundle.agent), key=lambda text: text[0])[1]


def _texts(agent: AgentConfiguration) -> Iterator[tuple[int, Provenance]]:
    """Each text that goes into the configuration, by its length."""
    template = agent.template
    inline = not isinstance(template.system_prompt, ConfigMapKeyRef)
    prompt = ("spec", "systemPrompt") if inline else ("spec", "systemPromptFrom", "key")
    yield len(agent.instruction), Provenance(template.document, prompt)
    origin = agent.provenance
    yield len(agent.description), Provenance(origin.document, (*origin.field, "description"))
    for server in (tool.server for tool in agent.tools if isinstance(tool, McpTool)):
        for index, (_, value) in enumerate(server.headers):
            if isinstance(value, str):
                yield len(value), Provenance(server.server.document, ("spec", "headersFrom", index))
    for child in agent.children:
        yield from _texts(child)
