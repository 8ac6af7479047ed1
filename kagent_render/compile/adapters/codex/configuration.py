"""The `codex` variant: what its runtime reads, and the files of the Codex CLI that it starts (facts 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.compile.adapters.adapter import (
    CARD_VARIABLE,
    CONFIG_VARIABLE,
    FILES_VARIABLE,
    AdapterOutput,
    ModelVariable,
    Places,
)
from kagent_render.compile.adapters.agent_card import agent_card, runtime_name
from kagent_render.compile.adapters.cli_servers import server_name
from kagent_render.compile.adapters.codex.agents import agent_entries, check_agents
from kagent_render.compile.adapters.codex.files import codex_files
from kagent_render.compile.adapters.codex.provider import (
    KEY_HEADERS,
    check_providers,
    endpoint_of,
    origins,
    provider_entry,
)
from kagent_render.compile.adapters.codex.reserved import reserves
from kagent_render.compile.adapters.codex.server_faults import check_servers
from kagent_render.compile.adapters.codex.servers import CREDENTIAL_PREFIX, server_credentials, server_entries
from kagent_render.compile.adapters.documents import document_variables
from kagent_render.compile.adapters.skill_resources import skill_resource

if TYPE_CHECKING:
    from kagent_render.compile.bundle import AgentConfiguration, Bundle, ResolvedSkill
    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.compile.policy import Policy
    from kagent_render.compile.requirement import Requirement

__all__ = [
    "CREDENTIAL_PREFIX",
    "FORMAT",
    "KEY_HEADERS",
    "NAME",
    "adapt",
    "origins",
    "places",
    "reserves",
    "writes",
]

NAME = "codex"
FORMAT = 1

_VERSION = 3
_UNWRITTEN = frozenset({"skills", "childSkills", "childTools"})
"""Needs that no file of Codex can meet."""

_MEMBERS = {
    "mcpTransports": frozenset({"streamable-http"}),
    "modelOptions": frozenset({"OpenAI.reasoningEffort", "OpenAI.defaultHeaders", "Bedrock.defaultHeaders"}),
}
"""Of these, what its files can say."""

_LIMITS = {
    "max_frame_bytes": 16 * 1024 * 1024,
    "max_stderr_bytes": 64 * 1024,
    "interrupt_grace_millis": 2000,
}


def adapt(bundle: Bundle, policy: Policy, record: CapabilityRecord) -> AdapterOutput:
    """Write the configuration of one boundary for the Codex that `record` pins."""
    agent = bundle.agent
    models = tuple(
        ModelVariable(variable, member.model_choice)
        for member in agent.members()
        for variable in member.provider.env
    )
    names = {model.variable.name for model in models} | {entry.name for entry in bundle.harness.env}
    documents = {
        CONFIG_VARIABLE: _config(agent, policy, record),
        CARD_VARIABLE: agent_card(agent),
        FILES_VARIABLE: codex_files(agent, names),
    }
    return AdapterOutput(
        NAME,
        FORMAT,
        models=models,
        servers=server_credentials(agent),
        documents=document_variables(bundle, documents),
        faults=(*check_providers(agent), *check_agents(agent), *check_servers(agent)),
    )


def writes(requirement: Requirement) -> bool:
    """Whether some file of Codex can say it."""
    name, member = requirement.capability, requirement.member
    return name not in _UNWRITTEN and (name not in _MEMBERS or member in _MEMBERS[name])


def places(bundle: Bundle) -> dict[str, Places]:
    """Where each agent's values stand in KAGENT_CONFIG_JSON and in the card, by binding path."""
    agent, config = bundle.agent, f"env[{CONFIG_VARIABLE}]"
    card = f"env[{CARD_VARIABLE}]"
    skills = {skill.name: index for index, skill in enumerate(_skills(agent))}
    found = {}
    for member in agent.members():
        own = config if member is agent else f"{config}.agents.{member.name}"
        found[member.path] = Places(
            name=f"{card}.name" if member is agent else own,
            named=runtime_name(member.name) if member is agent else member.name,
            description=f"{card if member is agent else own}.description",
            model=f"{own}.model",
            instruction=f"{own}.developer_instruction" if member is agent else f"{own}.instruction",
            tools=tuple(f"{config}.mcp_servers.{server_name(tool)}" for tool in member.tools),
            skills=tuple(f"{config}.skill_resources[{skills[skill.name]}]" for skill in member.skills),
        )
    return found


def _config(agent: AgentConfiguration, policy: Policy, record: CapabilityRecord) -> dict[str, Any]:
    config: dict[str, Any] = {
        "version": _VERSION,
        "codex_executable": "codex",
        "expected_codex_version": record.runtime_version,
        "strict_version": True,
        "model": agent.provider.model.model,
        "provider": provider_entry(endpoint_of(agent.provider)),
        "developer_instruction": agent.instruction,
    }
    lists = {
        "agents": agent_entries(agent),
        "skill_resources": [skill_resource(skill, policy) for skill in _skills(agent)],
        "mcp_servers": server_entries(agent),
    }
    config |= {name: value for name, value in lists.items() if value}
    return config | _LIMITS


def _skills(agent: AgentConfiguration) -> tuple[ResolvedSkill, ...]:
    """Every skill of a boundary once."""
    return tuple({skill.name: skill for member in agent.members() for skill in member.skills}.values())
