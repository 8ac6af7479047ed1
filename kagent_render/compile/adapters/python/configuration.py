"""The `python` and `kagent` variants: an ADK AgentConfig and a private agent card (facts 3, 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.api.hub import McpProtocol
from kagent_render.compile.adapters.adapter import (
    CARD_VARIABLE,
    CONFIG_VARIABLE,
    AdapterOutput,
    ModelVariable,
    Places,
)
from kagent_render.compile.adapters.agent_card import agent_card, runtime_name
from kagent_render.compile.adapters.dedicated import INVOKE, INVOKE_TIMEOUT, invoke_url
from kagent_render.compile.adapters.documents import document_variables
from kagent_render.compile.adapters.ignored_fields import ignored_server_fields
from kagent_render.compile.adapters.python.agent_names import check_agent_name
from kagent_render.compile.adapters.python.model import KEY_HEADERS, model_settings, tls_settings
from kagent_render.compile.adapters.python.tool_names import check_tool_names
from kagent_render.compile.adapters.skill_resources import skill_resource
from kagent_render.compile.bundle import AgentConfiguration, DedicatedTool, McpTool, protocol_of
from kagent_render.compile.environment import EnvVar, Provenance
from kagent_render.compile.mcp import CREDENTIAL_PREFIX, ResolvedServer, credential_env, written_headers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.compile.bundle import Bundle
    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.compile.policy import Policy
    from kagent_render.compile.provider import Provider
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

NAME = "python"
FORMAT = 1

_EXPANDED = "__KAGENT_ENV[{}]__"
_SESSION_DATABASE = "sqlite+aiosqlite:////data/sessions.db"


def adapt(
    bundle: Bundle,
    policy: Policy,
    record: CapabilityRecord,  # noqa: ARG001 - the configuration names no version of its runtime
) -> AdapterOutput:
    """Write the configuration of one boundary, its sub-agents included."""
    faults = list(check_agent_name(bundle))
    members = bundle.agent.members()
    config = _agent_config(bundle.agent, policy, faults)
    return AdapterOutput(
        NAME,
        FORMAT,
        models=tuple(
            ModelVariable(variable, member.model_choice)
            for member in members
            for variable in member.provider.env
        ),
        servers=tuple(variable for member in members for variable in _mcp_env(member)),
        documents=document_variables(
            bundle, {CONFIG_VARIABLE: config, CARD_VARIABLE: agent_card(bundle.agent)}
        ),
        faults=tuple(faults),
    )


def reserves(name: str) -> bool:  # noqa: ARG001 - the runtime reads no other settings
    """Nothing beyond what is reserved for every runtime."""
    return False


def writes(requirement: Requirement) -> bool:  # noqa: ARG001 - what it has no key for is told by its field
    """Whatever a bundle can hold."""
    return True


def origins(provider: Provider) -> tuple[str, ...]:
    """The provider's own endpoint."""
    return provider.origins


def places(bundle: Bundle) -> dict[str, Places]:
    """Where each agent's values stand in the AgentConfig, by binding path."""
    return dict(_places(bundle.agent, f"env[{CONFIG_VARIABLE}]"))


def _places(agent: AgentConfiguration, at: str) -> Iterator[tuple[str, Places]]:
    listed: dict[Provenance, str] = {
        tool.provenance: f"{at}.{key}[{index}]"
        for key, tools in tools_by_key(agent.tools).items()
        for index, tool in enumerate(tools)
    }
    yield (
        agent.path,
        Places(
            f"{at}.name",
            runtime_name(agent.name),
            f"{at}.description",
            f"{at}.model",
            f"{at}.instruction",
            tuple(listed[tool.provenance] for tool in agent.tools),
            tuple(f"{at}.agent_plugins.skills[{index}]" for index in range(len(agent.skills))),
            headers="params.headers",
        ),
    )
    for index, child in enumerate(agent.children):
        yield from _places(child, f"{at}.sub_agents[{index}]")


def _mcp_env(agent: AgentConfiguration) -> list[EnvVar]:
    servers = [tool.server for tool in agent.tools if isinstance(tool, McpTool)]
    return [variable for server in servers for variable in credential_env(server)]


def _agent_config(agent: AgentConfiguration, policy: Policy, faults: list[Diagnostic]) -> dict[str, Any]:
    settings, wrong = model_settings(agent.provider)
    faults.extend((*wrong, *check_tool_names(agent)))
    config: dict[str, Any] = {
        "model": settings,
        "description": agent.description,
        "instruction": agent.instruction,
    }
    for tool in agent.tools:
        if isinstance(tool, McpTool):
            faults.extend(ignored_server_fields(tool.server.server))
    for key, tools in tools_by_key(agent.tools).items():
        if tools:
            config[key] = [_tool(tool) for tool in tools]
    config["stream"] = True
    if agent.skills:
        config["agent_plugins"] = {"skills": [skill_resource(skill, policy) for skill in agent.skills]}
    config["session_db_url"] = _SESSION_DATABASE
    config["name"] = runtime_name(agent.name)
    if agent.children:
        config["sub_agents"] = [_agent_config(child, policy, faults) for child in agent.children]
    return config


def tools_by_key(
    tools: tuple[McpTool | DedicatedTool, ...],
) -> dict[str, list[McpTool | DedicatedTool]]:
    """Tools by the key of the configuration that lists them, which goes by transport."""
    keys = {"http_tools": McpProtocol.STREAMABLE_HTTP, "sse_tools": McpProtocol.SSE}
    return {key: [tool for tool in tools if protocol_of(tool) is protocol] for key, protocol in keys.items()}


def _tool(tool: McpTool | DedicatedTool) -> dict[str, Any]:
    if isinstance(tool, DedicatedTool):
        params = {
            "url": invoke_url(tool),
            "headers": {},
            "timeout": INVOKE_TIMEOUT,
            "sse_read_timeout": INVOKE_TIMEOUT,
            "terminate_on_close": True,
        }
        return {"params": params, "tools": [INVOKE]}
    return {"params": _connection(tool.server), "tools": list(tool.tools)}


def _connection(resolved: ResolvedServer) -> dict[str, Any]:
    server = resolved.server
    params: dict[str, Any] = {"url": server.url, "headers": written_headers(resolved, _EXPANDED)}
    if server.timeout is not None:
        params["timeout"] = server.timeout
    if server.sse_read_timeout is not None:
        params["sse_read_timeout"] = server.sse_read_timeout
    if server.terminate_on_close is not None:
        params["terminate_on_close"] = server.terminate_on_close
    if server.tls is not None:
        params.update(tls_settings(server.tls.disable_verify, server.tls.disable_system_cas))
    return params
