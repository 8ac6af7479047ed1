"""Where to cut when a boundary's configuration does not fit: the authored texts by what they take of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.api.hub import ConfigMapKeyRef, Variant
from kagent_render.compile.bundle import AgentConfiguration, McpTool
from kagent_render.compile.environment import Provenance
from kagent_render.revision.canonical_json import compact

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.api.hub import ModelConfig
    from kagent_render.compile.bundle import Bundle


def longest_text(bundle: Bundle) -> Provenance:
    """The field that takes most bytes of a boundary's configuration."""
    texts = [text for member in bundle.agent.members() for text in _texts(member)]
    if bundle.harness.variant is not Variant.CLAUDE:  # which has them in a variable of their own
        texts += (text for member in bundle.agent.members() for text in _model_headers(member.provider.model))
    return max(texts, key=lambda text: len(compact(text[0]).encode()))[1]


def prompt_of(agent: AgentConfiguration) -> Provenance:
    """The field that holds an agent's system prompt, or the key of the ConfigMap that does."""
    inline = not isinstance(agent.template.system_prompt, ConfigMapKeyRef)
    prompt = ("spec", "systemPrompt") if inline else ("spec", "systemPromptFrom", "key")
    return Provenance(agent.template.document, prompt)


def description_of(agent: AgentConfiguration) -> Provenance:
    """The field that describes an agent: its binding's, or the template's at the pair's root."""
    return Provenance(agent.provenance.document, (*agent.provenance.field, "description"))


def _texts(agent: AgentConfiguration) -> Iterator[tuple[str, Provenance]]:
    model = agent.provider.model
    yield agent.instruction, prompt_of(agent)
    yield agent.description, description_of(agent)
    yield model.model, Provenance(model.document, ("spec", "model"))
    for tool in agent.tools:
        if isinstance(tool, McpTool):
            yield from _of_server(tool)


def _of_server(tool: McpTool) -> Iterator[tuple[str, Provenance]]:
    origin, server = tool.provenance, tool.server.server
    for index, name in enumerate(tool.tools):
        yield name, Provenance(origin.document, (*origin.field, "tools", index))
    yield server.url, Provenance(server.document, ("spec", "url"))
    for index, (_, value) in enumerate(tool.server.headers):
        if isinstance(value, str):
            yield value, Provenance(server.document, ("spec", "headersFrom", index))


def _model_headers(model: ModelConfig) -> Iterator[tuple[str, Provenance]]:
    for name, value in (model.spec.get("defaultHeaders") or {}).items():
        yield value, Provenance(model.document, ("spec", "defaultHeaders", name))
