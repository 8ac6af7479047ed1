"""The parts of an AgentTemplate that both dialects share."""

from typing import Annotated, Literal

from pydantic import Field

from kagent_render.api import hub
from kagent_render.api.schema import Block, ConfigMapKey, ListMap, ListSet, LocalReference, Name, Reference


class PromptSource(Reference):
    """A ConfigMap that a prompt template can include, under an alias or its name."""

    name: Name
    """The ConfigMap's name."""
    alias: Name | None = None
    """What `include` calls it; its own name unless told."""


class PromptTemplate(Block):
    """Makes the system prompt a Go template."""

    data_sources: Annotated[list[PromptSource], Field(max_length=20), ListMap("name")] | None = None
    """The ConfigMaps that `include "name/key"` finds."""


class AgentTool(Block):
    """Another AgentTemplate as a tool."""

    name: Name
    """What the parent calls it: a letter, then letters, digits, `-` and `_`."""
    description: Name
    """Tells the parent when to hand over work."""
    template_ref: LocalReference
    """The AgentTemplate."""
    isolation: Literal["Shared", "Dedicated"] = "Shared"
    """`Shared` runs in the parent's runtime, `Dedicated` in one of its own."""


ToolNames = Annotated[list[Name], Field(min_length=1, max_length=50), ListSet()]
SkillNames = Annotated[list[Name], Field(max_length=50), ListSet()]


def hub_agent(tool: AgentTool) -> hub.AgentBinding:
    """The binding to another template."""
    isolation = hub.Isolation(tool.isolation)
    return hub.AgentBinding(tool.name, tool.description, tool.template_ref.name, isolation)


def hub_prompt(text: str | None, key: ConfigMapKey | None) -> str | hub.ConfigMapKeyRef:
    """The prompt's text, which may be empty, or where it is."""
    return text or "" if key is None else hub.ConfigMapKeyRef(key.name, key.key)


def hub_prompt_sources(template: PromptTemplate | None) -> tuple[hub.PromptSource, ...] | None:
    """The ConfigMaps that a prompt includes; None where the prompt is no template."""
    if template is None:
        return None
    return tuple(hub.PromptSource(source.name, source.alias) for source in template.data_sources or ())
