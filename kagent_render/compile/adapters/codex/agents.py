"""Shared agents as Codex takes them: one TOML file each, and its own agents made impossible to spawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.api.hub import ConfigMapKeyRef
from kagent_render.compile.adapters.codex.models import reasoning_effort
from kagent_render.compile.adapters.codex.toml import toml_text
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.compile.bundle import AgentConfiguration
    from kagent_render.diagnostics.diagnostic import Diagnostic

_BUILT_IN = ("default", "explorer", "worker")
_UNAVAILABLE = "unavailable"
_UNAVAILABLE_FILE = f"{_UNAVAILABLE}.toml"
_DELEGATION = """\
Where the tool `spawn_agent` is offered, its agent types are agents that were bound to you on purpose. Spawn \
one, without being asked again, whenever a task fits its description; wait for it and use what it answers.
"""
"""Codex tells a model never to spawn an agent unless such a file asks for it."""


def agent_files(agent: AgentConfiguration) -> dict[str, str]:
    """The files that an agent with Shared agents needs, by path; none for one without."""
    if not agent.children:
        return {}
    blocked = {"model": agent.provider.model.model, "model_reasoning_effort": _UNAVAILABLE}
    return {
        "AGENTS.md": _DELEGATION,
        _UNAVAILABLE_FILE: toml_text(blocked),
        **{f"agents/{child.name}.toml": toml_text(_agent_table(child)) for child in agent.children},
    }


def agents_table(agent: AgentConfiguration) -> dict[str, Any]:
    """The table `agents`, in which Codex's own ones ask for what no model has: spawning one fails."""
    if not agent.children:
        return {"enabled": False}
    bound = {child.name for child in agent.children}
    role = {"description": "Not available: spawning it fails.", "config_file": _UNAVAILABLE_FILE}
    return {"max_depth": 1, **{name: role for name in _BUILT_IN if name not in bound}}


def agent_entries(agent: AgentConfiguration) -> dict[str, dict[str, str]]:
    """Every Shared agent as KAGENT_CONFIG_JSON names it (facts 6.2)."""
    return {
        child.name: {
            "description": child.description,
            "instruction": child.instruction,
            "model": child.provider.model.model,
        }
        for child in agent.children
    }


def _agent_table(child: AgentConfiguration) -> dict[str, str]:
    table = {
        "name": child.name,
        "description": child.description,
        "developer_instructions": child.instruction,
        "model": child.provider.model.model,
    }
    if effort := reasoning_effort(child):
        table["model_reasoning_effort"] = effort
    return table


def check_agents(agent: AgentConfiguration) -> Iterator[Diagnostic]:
    """What makes Codex leave out a Shared agent without a word, or give it what is its parent's."""
    for child in agent.children:
        if not child.description.strip():
            yield _blank_description(child)
        if not child.instruction.strip():
            yield _blank_prompt(child)
        if reasoning_effort(agent) and not reasoning_effort(child):
            yield _inherited_effort(child)


def _blank_description(child: AgentConfiguration) -> Diagnostic:
    return child.provenance.document.fault(
        Reason.INVALID_SPEC,
        (*child.provenance.field, "description"),
        f"Codex leaves out the agent `{child.name}`, whose description is blank",
        hint="say what the agent is for",
    )


def _blank_prompt(child: AgentConfiguration) -> Diagnostic:
    inline = not isinstance(child.template.system_prompt, ConfigMapKeyRef)
    return child.template.document.fault(
        Reason.CAPABILITY_UNSUPPORTED,
        ("spec", "systemPrompt") if inline else ("spec", "systemPromptFrom", "key"),
        f"Codex leaves out the agent `{child.name}`, whose prompt is blank",
        hint="write a prompt, or bind the agent as Dedicated",
    )


def _inherited_effort(child: AgentConfiguration) -> Diagnostic:
    return child.model_choice.document.fault(
        Reason.CAPABILITY_UNSUPPORTED,
        child.model_choice.field,
        f"Codex would give the agent `{child.name}` the `reasoningEffort` of its parent, since"
        f" ModelConfig `{child.provider.model.name}` has none",
        hint="set `reasoningEffort` there, too, or bind the agent as Dedicated",
    )
