"""What controllers report of Harnesses, AgentTemplates and AgentPlugins; nothing here reads it."""

from typing import Annotated, Literal

from pydantic import Field

from kagent_render.api.schema import Block, Format, ListMap, ListSet, Name

_REASON = r"^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$"
_TYPE = (
    r"^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
    r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$"
)

Generation = Annotated[int, Format("int64")]
Time = Annotated[str, Format("date-time")]


class Condition(Block):
    """One aspect of the object's state (meta.k8s.io/v1 Condition)."""

    type: Annotated[str, Field(max_length=316, pattern=_TYPE)]
    """The aspect."""
    status: Literal["True", "False", "Unknown"]
    """Whether it holds."""
    reason: Annotated[str, Field(min_length=1, max_length=1024, pattern=_REASON)]
    """Why, in one word."""
    message: Annotated[str, Field(max_length=32768)]
    """Why, in a sentence."""
    last_transition_time: Time
    """Since when."""
    observed_generation: Annotated[int, Field(ge=0), Format("int64")] | None = None
    """The generation that it was found for."""


Modalities = Annotated[list[str], Field(max_length=16), ListSet()]


class Capabilities(Block):
    """What the runtime can do, from a controller's catalog."""

    version: Name
    """The version of the record."""
    native_agent_tools: bool
    """Whether agents run in their parent's runtime."""
    max_native_agent_depth: Annotated[int, Field(ge=0), Format("int32")]
    """How deep such agents nest."""
    dedicated_agent_tools: bool
    """Whether agents of runtimes of their own can be called."""
    mcp_injection: bool
    """Whether MCP servers reach the agent."""
    streaming: bool
    """Whether answers stream."""
    interruption: bool
    """Whether a run can be interrupted."""
    input_required: bool
    """Whether a run can ask for input."""
    approvals: bool
    """Whether a run can ask for approval."""
    input_modalities: Modalities | None = None
    """The media types that it takes."""
    output_modalities: Modalities | None = None
    """The media types that it gives."""
    resume: bool
    """Whether a suspended agent resumes."""
    checkpoint: bool
    """Whether a run can be saved and forked."""


class HarnessStatus(Block):
    """What a controller found out about a Harness."""

    observed_generation: Generation | None = None
    """The generation that was looked at last."""
    capabilities: Capabilities | None = None
    """What the runtime can do."""
    conditions: Annotated[list[Condition], Field(max_length=8), ListMap("type")] | None = None
    """The health of the runtime and of what it needs."""


class AgentTemplateHarness(Block):
    """A pair: the template in one of the Harnesses that admit it."""

    harness: Name
    """The Harness."""
    desired_revision: Name
    """The revision of the template as it is now."""
    latest_successful_revision: Name | None = None
    """The revision that serves."""
    conditions: Annotated[list[Condition], Field(max_length=4), ListMap("type")] | None = None
    """How far its preparation came."""


class AgentTemplateStatus(Block):
    """What a controller made of an AgentTemplate."""

    observed_generation: Generation | None = None
    """The generation that was looked at last."""
    harnesses: Annotated[list[AgentTemplateHarness], ListMap("harness")] | None = None
    """The template's pairs."""


class AgentPluginStatus(Block):
    """What the operator made of an AgentPlugin."""

    observed_generation: Generation | None = None
    """The generation that was looked at last."""
    phase: str | None = None
    """The state in one word."""
    target_agents: list[str] | None = None
    """The PlatformAgents that have the plugin."""
    last_updated: Time | None = None
    """When the operator looked last."""
    conditions: Annotated[list[Condition], ListMap("type")] | None = None
    """The state by aspects."""
