"""Harness and AgentTemplate as upstream landed them: `kagent.dev/v1alpha3`."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from kagent_render.api import hub
from kagent_render.api.agenttemplate import (
    AgentTool,
    PromptTemplate,
    SkillNames,
    ToolNames,
    hub_agent,
    hub_prompt,
    hub_prompt_sources,
)
from kagent_render.api.artifact_source import ArtifactSourceWithEndpoint, hub_source
from kagent_render.api.harness import Environment, Runtime, Substrate, Workload, hub_admission, hub_env
from kagent_render.api.schema import (
    Block,
    ConfigMapKey,
    ListMap,
    LocalReference,
    Name,
    Reference,
    at_most_one,
    exactly_one,
)
from kagent_render.api.selector import Admission
from kagent_render.source.document import Document


class HarnessSpec(Block):
    """A runtime with its infrastructure policy."""

    kagent: Runtime | None = None
    """Runs agents in kagent's own runtime."""
    codex: Runtime | None = None
    """Runs agents in Codex."""
    claude: Runtime | None = None
    """Runs agents in Claude Code."""
    workload: Workload
    """The image that runs."""
    env: Environment | None = None
    """Variables of the runtime's container."""
    substrate: Substrate
    """Where agents run."""
    allowed_agent_templates: Admission | None = None
    """Which AgentTemplates are admitted; none where it is left out."""

    rules = (exactly_one("kagent", "codex", "claude"),)


class McpServerReference(Reference):
    """A RemoteMCPServer of the same namespace."""

    kind: Literal["RemoteMCPServer"]
    """The server's kind."""
    name: Name
    """The server's name."""


class McpTool(Block):
    """Selected tools of one MCP server."""

    server: McpServerReference
    """The server."""
    tools: ToolNames
    """The names of its tools that the agent gets."""


class ToolBinding(Block):
    """One tool source: an MCP server or another AgentTemplate."""

    mcp: McpTool | None = None
    """Tools of an MCP server; this, or `agent`."""
    agent: AgentTool | None = None
    """Another agent; this, or `mcp`."""

    rules = (exactly_one("mcp", "agent"),)


class Skill(Block):
    """One standalone Agent Skill."""

    name: Name
    """The skill's name."""
    source: ArtifactSourceWithEndpoint
    """Where it comes from."""


class PluginBundle(Block):
    """Agent Skills selected from one Agent Plugins package; without a selection it enables none."""

    source: ArtifactSourceWithEndpoint
    """Where the package comes from."""
    skills: SkillNames | None = None
    """The names of its skills that the agent gets; none where it is left out."""


class AgentTemplateSpec(Block):
    """One agent's behaviour and tools."""

    description: str | None = None
    """What the agent does, for its card."""
    model_ref: Annotated[LocalReference, Field(alias="modelConfig")]
    """The ModelConfig."""
    system_prompt: str | None = None
    """The prompt; this, or `systemPromptFrom`."""
    system_prompt_from: ConfigMapKey | None = None
    """A ConfigMap's key that holds the prompt; this, or `systemPrompt`."""
    prompt_template: PromptTemplate | None = None
    """Makes the prompt a Go template."""
    tools: Annotated[list[ToolBinding], Field(max_length=50)] | None = None
    """What the agent can call."""
    skills: Annotated[list[Skill], Field(max_length=50), ListMap("name")] | None = None
    """Standalone Agent Skills."""
    plugins: Annotated[list[PluginBundle], Field(max_length=20)] | None = None
    """Skills out of Agent Plugins packages."""

    rules = (at_most_one("systemPrompt", "systemPromptFrom"),)


def hub_harness(document: Document, spec: Mapping[str, Any], model: HarnessSpec) -> hub.Harness:
    """The Harness of a valid manifest."""
    return hub.Harness(
        ref=document.ref,
        spec=spec,
        document=document,
        variant=next(variant for variant in hub.Variant if variant in spec),
        image=model.workload.image,
        env=hub_env(model.env),
        worker_pool=model.substrate.worker_pool_ref.name,
        snapshot_location=model.substrate.snapshot_policy.location,
        admission=hub_admission(model.allowed_agent_templates),
    )


def hub_template(document: Document, spec: Mapping[str, Any], model: AgentTemplateSpec) -> hub.AgentTemplate:
    """The AgentTemplate of a valid manifest; the dialect has no list of Harnesses."""
    return hub.AgentTemplate(
        ref=document.ref,
        spec=spec,
        document=document,
        labels=dict(document.value["metadata"].get("labels") or {}),
        description=model.description or "",
        model_config=model.model_ref.name,
        system_prompt=hub_prompt(model.system_prompt, model.system_prompt_from),
        prompt_sources=hub_prompt_sources(model.prompt_template),
        tools=tuple(_tool(tool) for tool in model.tools or ()),
        skills=tuple(hub.Skill(skill.name, hub_source(skill.source)) for skill in model.skills or ()),
        plugins=tuple(
            hub.PluginBundle(hub_source(plugin.source), tuple(plugin.skills or ()))
            for plugin in model.plugins or ()
        ),
        harnesses=None,
    )


def _tool(tool: ToolBinding) -> hub.ToolBinding:
    if tool.agent is not None:
        return hub_agent(tool.agent)
    assert tool.mcp is not None  # the rule of ToolBinding
    return hub.McpBinding(tool.mcp.server.kind, tool.mcp.server.name, tuple(tool.mcp.tools))
