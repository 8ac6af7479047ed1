"""The bundle: the resolved configuration of one boundary, the same for every runtime variant."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.api.hub import McpProtocol
from kagent_render.compile.environment import Provenance

if TYPE_CHECKING:
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
