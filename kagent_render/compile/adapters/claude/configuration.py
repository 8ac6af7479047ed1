"""The `claude` variant: Claude Code with the agents, servers and settings of one boundary (facts 6.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.api.hub import ConfigMapKeyRef
from kagent_render.compile.adapters.adapter import (
    CARD_VARIABLE,
    CONFIG_VARIABLE,
    FILES_VARIABLE,
    AdapterOutput,
    Places,
)
from kagent_render.compile.adapters.agent_card import agent_card, runtime_name
from kagent_render.compile.adapters.claude.files import AGENTS, MCP, config_files
from kagent_render.compile.adapters.claude.model_faults import check_models
from kagent_render.compile.adapters.claude.names import check_names
from kagent_render.compile.adapters.claude.provider import KEY_HEADERS, model_variables, origins
from kagent_render.compile.adapters.claude.reserved import reserves
from kagent_render.compile.adapters.claude.server_faults import check_servers
from kagent_render.compile.adapters.claude.servers import (
    CREDENTIAL_PREFIX,
    connection,
    server_credentials,
    server_entries,
)
from kagent_render.compile.adapters.cli_servers import server_name
from kagent_render.compile.adapters.documents import document_variables
from kagent_render.compile.adapters.skill_resources import skill_resource
from kagent_render.diagnostics.reasons import Reason
from kagent_render.revision.canonical_json import compact

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.compile.bundle import AgentConfiguration, Bundle, ResolvedSkill
    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.compile.policy import Policy
    from kagent_render.compile.requirement import Requirement
    from kagent_render.diagnostics.diagnostic import Diagnostic

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

NAME = "claude"
FORMAT = 1

_CONFIG_VERSION = 4
_OPTIONS = ("maxTokens", "defaultHeaders")
"""The options of a model that a variable of the process can say."""


def adapt(bundle: Bundle, policy: Policy, record: CapabilityRecord) -> AdapterOutput:
    """Write the configuration and the files of one boundary for the CLI's version in `record`."""
    agent = bundle.agent
    entries = server_entries(agent)
    documents: dict[str, Mapping[str, Any]] = {
        CONFIG_VARIABLE: _config(agent, entries, policy, record),
        CARD_VARIABLE: agent_card(agent),
        FILES_VARIABLE: {
            path: compact(value) for path, value in sorted(config_files(agent, entries).items())
        },
    }
    return AdapterOutput(
        NAME,
        FORMAT,
        models=model_variables(agent),
        servers=server_credentials(agent),
        documents=document_variables(bundle, documents),
        faults=(
            *check_models(agent, {entry.name for entry in bundle.harness.env}),
            *_check_prompt(agent),
            *check_names(agent),
            *check_servers(agent),
        ),
    )


def writes(requirement: Requirement) -> bool:
    """All but the other options of a model."""
    option = (requirement.member or "").partition(".")[2]
    return requirement.capability != "modelOptions" or option in _OPTIONS


def places(bundle: Bundle) -> dict[str, Places]:
    """Where each agent's values stand in the configuration and the files, by binding path."""
    agent = bundle.agent
    resources = [skill.name for skill in _skills(agent)]
    return {member.path: _places(member, agent, resources) for member in agent.members()}


def _config(
    agent: AgentConfiguration, entries: Mapping[str, dict[str, Any]], policy: Policy, record: CapabilityRecord
) -> dict[str, Any]:
    """What the runtime around the CLI reads, in the order of facts 6.3; empty parts are left out."""
    parts: dict[str, Any] = {
        "agents": {
            child.name: {
                "description": child.description,
                "prompt": child.instruction,
                "model": child.provider.model.model,
            }
            for child in agent.members()[1:]
        },
        "skill_resources": [skill_resource(skill, policy) for skill in _skills(agent)],
        "mcp_servers": {name: connection(entry) for name, entry in entries.items()},
    }
    return {
        "version": _CONFIG_VERSION,
        "claude_executable": "claude",
        "expected_claude_version": record.runtime_version,
        "strict_version": True,
        "model": agent.provider.model.model,
        "append_system_prompt": agent.instruction,
        **{key: part for key, part in parts.items() if part},
        "max_event_bytes": 1 << 20,
        "max_stderr_bytes": 64 << 10,
        "interrupt_grace_millis": 2000,
    }


def _skills(agent: AgentConfiguration) -> tuple[ResolvedSkill, ...]:
    """Every skill of a boundary once, since the CLI has one folder for each name."""
    found = {skill.name: skill for member in reversed(agent.members()) for skill in member.skills}
    return tuple(found[name] for name in sorted(found))


def _check_prompt(agent: AgentConfiguration) -> Iterator[Diagnostic]:
    """A root without a prompt: the CLI would take its own, which makes an agent that writes code."""
    if agent.instruction.strip():
        return
    referred = isinstance(agent.template.system_prompt, ConfigMapKeyRef)
    yield agent.template.document.fault(
        Reason.CAPABILITY_UNSUPPORTED,
        ("spec", "systemPromptFrom" if referred else "systemPrompt"),
        "without a system prompt Claude Code runs on one of its own, for writing code",
        hint="write a system prompt",
    )


def _places(member: AgentConfiguration, root: AgentConfiguration, resources: list[str]) -> Places:
    config, files = f"env[{CONFIG_VARIABLE}]", f"env[{FILES_VARIABLE}]"
    tools = tuple(f"{files}[{MCP}].mcpServers.{server_name(tool)}" for tool in member.tools)
    skills = tuple(f"{config}.skill_resources[{resources.index(skill.name)}]" for skill in member.skills)
    if member is root:
        card = f"env[{CARD_VARIABLE}]"
        return Places(
            f"{card}.name",
            runtime_name(member.name),
            f"{card}.description",
            f"{config}.model",
            f"{config}.append_system_prompt",
            tools,
            skills,
        )
    own = f"{files}[{AGENTS}].{member.name}"
    return Places(own, member.name, f"{own}.description", f"{own}.model", f"{own}.prompt", tools, skills)
