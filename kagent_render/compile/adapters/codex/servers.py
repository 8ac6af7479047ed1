"""MCP servers as Codex connects to them: one table each, with exactly the selected tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.api.hub import SecretKeyRef
from kagent_render.compile.adapters.cli_servers import named_servers
from kagent_render.compile.adapters.dedicated import INVOKE_TIMEOUT, invoke_url
from kagent_render.compile.bundle import DedicatedTool
from kagent_render.compile.mcp import credential_env, credential_name

if TYPE_CHECKING:
    from kagent_render.compile.adapters.cli_servers import NamedServer
    from kagent_render.compile.bundle import AgentConfiguration
    from kagent_render.compile.environment import EnvVar

CREDENTIAL_PREFIX = "KAGENT_CODEX_MCP_CREDENTIAL"


def server_credentials(agent: AgentConfiguration) -> tuple[EnvVar, ...]:
    """The Secret references of all headers, in the order of the tools."""
    return tuple(
        variable
        for named in named_servers(agent)
        if not isinstance(named.server, DedicatedTool)
        for variable in credential_env(named.server, CREDENTIAL_PREFIX)
    )


def server_entries(agent: AgentConfiguration) -> dict[str, dict[str, Any]]:
    """Every server as KAGENT_CONFIG_JSON names it (facts 6.2)."""
    return {
        named.name: {
            "url": _url(named),
            "headers": _literal_headers(named)
            | {header: f"${{{variable}}}" for header, variable in _secret_headers(named).items()},
            "enabled_tools": list(named.tools),
        }
        for named in named_servers(agent)
    }


def server_tables(agent: AgentConfiguration) -> dict[str, dict[str, Any]]:
    """Every server as a table of config.toml.

    One that cannot be reached ends the turn, since Codex would answer without its tools and not say so. A
    selected tool needs no approval, since nobody is there to give it.
    """
    return {named.name: _table(named) for named in named_servers(agent)}


def _table(named: NamedServer) -> dict[str, Any]:
    table: dict[str, Any] = {
        "url": _url(named),
        "enabled_tools": list(named.tools),
        "default_tools_approval_mode": "approve",
        "required": True,
        **_timeouts(named),
    }
    if literal := _literal_headers(named):
        table["http_headers"] = literal
    if secret := _secret_headers(named):
        table["env_http_headers"] = secret
    return table


def _url(named: NamedServer) -> str:
    if isinstance(named.server, DedicatedTool):
        return invoke_url(named.server)
    return named.server.server.url


def _timeouts(named: NamedServer) -> dict[str, float]:
    """Seconds to get to know a server, and for the answer to one call."""
    if isinstance(named.server, DedicatedTool):
        return {"tool_timeout_sec": INVOKE_TIMEOUT}
    server = named.server.server
    found = {"startup_timeout_sec": server.timeout, "tool_timeout_sec": server.sse_read_timeout}
    return {name: seconds for name, seconds in found.items() if seconds is not None}


def _literal_headers(named: NamedServer) -> dict[str, str]:
    return {name: value for name, value in _headers(named) if isinstance(value, str)}


def _secret_headers(named: NamedServer) -> dict[str, str]:
    """The variable of each header whose value is a Secret's."""
    return {
        name: credential_name(named.server.server.namespace, value, CREDENTIAL_PREFIX)
        for name, value in _headers(named)
        if isinstance(value, SecretKeyRef) and not isinstance(named.server, DedicatedTool)
    }


def _headers(named: NamedServer) -> list[tuple[str, str | SecretKeyRef]]:
    """Headers by name; a Dedicated agent's server is the runtime's own and needs none."""
    if isinstance(named.server, DedicatedTool):
        return []
    return sorted(named.server.headers, key=lambda header: header[0])
