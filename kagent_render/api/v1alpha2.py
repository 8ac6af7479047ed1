"""Harness and AgentTemplate as the proposal shapes them: `kagent.dev/v1alpha2`."""

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
from kagent_render.api.artifact_source import ArtifactSource, hub_source
from kagent_render.api.harness import Environment, PinnedImage, Runtime, Substrate, hub_admission, hub_env
from kagent_render.api.schema import (
    Block,
    Check,
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

HarnessName = Annotated[
    str,
    Field(min_length=1),
    Check(
        "a template includes each Harness by its name; wildcards are not supported",
        holds=lambda name: not set(name) & set("*?["),
        hint="list the Harnesses by name",
        schema={"pattern": "^[^*?[]*$"},
    ),
]


class WorkloadOverride(Block):
    """The image of the runtime; without one, RenderConfig gives it."""

    image: PinnedImage | None = None
    """The image of the runtime, by digest; `images` of RenderConfig where it is left out."""


class HarnessSpec(Block):
    """A runtime with its infrastructure policy; what it leaves out comes from RenderConfig."""

    python: Runtime | None = None
    """Runs agents in the Python runtime."""
    claude: Runtime | None = None
    """Runs agents in Claude Code."""
    codex: Runtime | None = None
    """Runs agents in Codex."""
    workload: WorkloadOverride | None = None
    """The image that runs."""
    env: Environment | None = None
    """Variables of the runtime's container."""
    substrate: Substrate | None = None
    """Where agents run; `substrate` of RenderConfig where it is left out."""
    allowed_agent_templates: Admission | None = None
    """Which AgentTemplates are admitted; none where it is left out."""

    rules = (exactly_one("python", "claude", "codex"),)


class McpServerReference(Reference):
    """An MCP server of the same namespace."""

    kind: Literal["RemoteMCPServer", "MCPServer"]
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
    source: ArtifactSource
    """Where it comes from."""


class PluginBundle(Block):
    """Agent Skills selected from one Agent Plugins package; the selection is explicit."""

    source: ArtifactSource
    """Where the package comes from."""
    skills: SkillNames
    """The names of its skills that the agent gets."""


class HarnessReference(Reference):
    """A Harness of the same namespace."""

    name: HarnessName
    """The Harness's name."""


class HarnessAttachments(Block):
    """The Harnesses that a template asks for."""

    include: Annotated[list[HarnessReference], ListMap("name")] | None = None
    """The Harnesses that may run the agent; each must admit it, too."""


class AgentTemplateSpec(Block):
    """One agent's behaviour, its tools and the Harnesses that it asks for."""

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
    harnesses: HarnessAttachments | None = None
    """Where the agent may run."""

    rules = (at_most_one("systemPrompt", "systemPromptFrom"),)


def hub_harness(document: Document, spec: Mapping[str, Any], model: HarnessSpec) -> hub.Harness:
    """The Harness of a valid manifest."""
    substrate = model.substrate
    return hub.Harness(
        ref=document.ref,
        spec=spec,
        document=document,
        variant=next(variant for variant in hub.Variant if variant in spec),
        image=model.workload.image if model.workload else None,
        env=hub_env(model.env),
        worker_pool=substrate.worker_pool_ref.name if substrate else None,
        snapshot_location=substrate.snapshot_policy.location if substrate else None,
        admission=hub_admission(model.allowed_agent_templates),
    )


def hub_template(document: Document, spec: Mapping[str, Any], model: AgentTemplateSpec) -> hub.AgentTemplate:
    """The AgentTemplate of a valid manifest."""
    included = (model.harnesses.include if model.harnesses else None) or ()
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
            hub.PluginBundle(hub_source(plugin.source), tuple(plugin.skills))
            for plugin in model.plugins or ()
        ),
        harnesses=tuple(harness.name for harness in included),
    )


def _tool(tool: ToolBinding) -> hub.ToolBinding:
    if tool.agent is not None:
        return hub_agent(tool.agent)
    assert tool.mcp is not None  # the rule of ToolBinding
    return hub.McpBinding(tool.mcp.server.kind, tool.mcp.server.name, tuple(tool.mcp.tools))
