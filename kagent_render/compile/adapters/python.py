"""The `python` and `kagent` variants: an ADK AgentConfig and a private agent card (facts 3, 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.api.hub import GitSource, McpProtocol, OciSource, SecretKeyRef
from kagent_render.compile.adapters.adapter import CARD_VARIABLE, CONFIG_VARIABLE, AdapterOutput
from kagent_render.compile.adapters.python_model import model_settings, tls_settings
from kagent_render.compile.bundle import AgentConfiguration, DedicatedTool, McpTool, longest_text
from kagent_render.compile.environment import EnvVar
from kagent_render.compile.mcp import ResolvedServer, credential_env, credential_name
from kagent_render.compile.origin import s3_endpoint
from kagent_render.revision.canonical_json import compact

if TYPE_CHECKING:
    from kagent_render.api.hub import ArtifactSource
    from kagent_render.compile.bundle import Bundle, ResolvedSkill
    from kagent_render.compile.policy import Policy
    from kagent_render.diagnostics.diagnostic import Diagnostic

NAME = "python"
FORMAT = 1
"""Raised when the same bundle would be written as other bytes."""

DEDICATED_ENDPOINT = "http://127.0.0.1:8082/mcp"
INVOKE_TIMEOUT = 3600
"""Seconds that a parent waits for a Dedicated agent: a task of an agent, not a call of a tool."""

_SESSION_DATABASE = "sqlite+aiosqlite:////data/sessions.db"


def adapt(bundle: Bundle, policy: Policy) -> AdapterOutput:
    """Write the configuration of one boundary, its sub-agents included."""
    faults: list[Diagnostic] = []
    members = bundle.agent.members()
    config = _agent_config(bundle.agent, policy, faults)
    return AdapterOutput(
        NAME,
        FORMAT,
        env=(
            *(variable for member in members for variable in member.provider.env),
            *(variable for member in members for variable in _mcp_env(member)),
        ),
        documents=(
            EnvVar(CONFIG_VARIABLE, compact(config), longest_text(bundle)),
            EnvVar(CARD_VARIABLE, compact(_agent_card(bundle.agent)), longest_text(bundle)),
        ),
        faults=tuple(faults),
    )


def _mcp_env(agent: AgentConfiguration) -> list[EnvVar]:
    servers = [tool.server for tool in agent.tools if isinstance(tool, McpTool)]
    return [variable for server in servers for variable in credential_env(server)]


def _agent_config(agent: AgentConfiguration, policy: Policy, faults: list[Diagnostic]) -> dict[str, Any]:
    settings, wrong = model_settings(agent.provider)
    faults.extend(wrong)
    config: dict[str, Any] = {
        "model": settings,
        "description": agent.description,
        "instruction": agent.instruction,
    }
    for key, tools in tools_by_key(agent.tools).items():
        if tools:
            config[key] = [_tool(tool) for tool in tools]
    config["stream"] = True
    if agent.skills:
        config["agent_plugins"] = {"skills": [_skill(skill, policy) for skill in agent.skills]}
    config["session_db_url"] = _SESSION_DATABASE
    config["name"] = runtime_name(agent.name)
    if agent.children:
        config["sub_agents"] = [_agent_config(child, policy, faults) for child in agent.children]
    return config


def runtime_name(name: str) -> str:
    """An agent's name as the ADK takes it: an identifier, so `-` becomes `_`."""
    return name.replace("-", "_").replace(".", "_")


def tools_by_key(
    tools: tuple[McpTool | DedicatedTool, ...],
) -> dict[str, list[McpTool | DedicatedTool]]:
    """Tools by the key of the configuration that lists them, which goes by transport."""
    keys = {"http_tools": McpProtocol.STREAMABLE_HTTP, "sse_tools": McpProtocol.SSE}
    return {key: [tool for tool in tools if _protocol(tool) is protocol] for key, protocol in keys.items()}


def _protocol(tool: McpTool | DedicatedTool) -> McpProtocol:
    if isinstance(tool, DedicatedTool):
        return McpProtocol.STREAMABLE_HTTP
    return tool.server.server.protocol


def _tool(tool: McpTool | DedicatedTool) -> dict[str, Any]:
    if isinstance(tool, DedicatedTool):
        params = {
            "url": f"{DEDICATED_ENDPOINT}/{tool.path}",
            "headers": {},
            "timeout": INVOKE_TIMEOUT,
            "sse_read_timeout": INVOKE_TIMEOUT,
            "terminate_on_close": True,
        }
        return {"params": params, "tools": ["invoke"]}
    return {"params": _connection(tool.server), "tools": list(tool.tools)}


def _connection(resolved: ResolvedServer) -> dict[str, Any]:
    server = resolved.server
    params: dict[str, Any] = {"url": server.url, "headers": _headers(resolved)}
    if server.timeout is not None:
        params["timeout"] = server.timeout
    if server.sse_read_timeout is not None:
        params["sse_read_timeout"] = server.sse_read_timeout
    if server.terminate_on_close is not None:
        params["terminate_on_close"] = server.terminate_on_close
    if server.tls is not None:
        params.update(tls_settings(server.tls.disable_verify, server.tls.disable_system_cas))
    return params


def _headers(resolved: ResolvedServer) -> dict[str, str]:
    """Headers by name; a Secret's value is the name of the variable that the runtime expands."""
    namespace = resolved.server.namespace
    return {
        name: f"__KAGENT_ENV[{credential_name(namespace, value)}]__"
        if isinstance(value, SecretKeyRef)
        else value
        for name, value in sorted(resolved.headers, key=lambda header: header[0])
    }


def _skill(skill: ResolvedSkill, policy: Policy) -> dict[str, Any]:
    return {
        "name": skill.name,
        "source": _source(skill.source, policy),
        "sha256": skill.digest.removeprefix("sha256:"),
    }


def _source(source: ArtifactSource, policy: Policy) -> dict[str, Any]:
    origin = source.origin
    written: dict[str, Any]
    if isinstance(origin, OciSource):
        written = {"oci": origin.reference}
    elif isinstance(origin, GitSource):
        written = {"git": {"url": origin.url, "commit": origin.commit}}
    else:
        object_ = {
            "endpoint": s3_endpoint(origin, policy.s3_endpoint, policy.s3_region),
            "bucket": origin.bucket,
            "key": origin.key,
            "versionId": origin.version_id,
        }
        if region := origin.region or policy.s3_region:
            object_["region"] = region
        written = {"s3": object_}
    if source.path:
        written["path"] = source.path
    return written


def _agent_card(agent: AgentConfiguration) -> dict[str, Any]:
    """The private card: one gRPC interface on the actor's own loopback."""
    return {
        "name": runtime_name(agent.name),
        "description": agent.description,
        "supportedInterfaces": [
            {"url": "http://127.0.0.1:80", "protocolBinding": "GRPC", "protocolVersion": "1.0"}
        ],
        "version": "v1",
        "capabilities": {"streaming": True},
        "defaultInputModes": ["text"],
        "defaultOutputModes": ["text"],
        "skills": [],
    }
