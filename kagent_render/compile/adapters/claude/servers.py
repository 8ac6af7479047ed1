"""MCP servers as Claude Code reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.api.hub import McpProtocol
from kagent_render.compile.adapters.cli_servers import named_servers
from kagent_render.compile.adapters.dedicated import INVOKE_TIMEOUT, invoke_url
from kagent_render.compile.bundle import DedicatedTool
from kagent_render.compile.mcp import credential_env, written_headers

if TYPE_CHECKING:
    from kagent_render.api.hub import McpServer
    from kagent_render.compile.adapters.cli_servers import NamedServer
    from kagent_render.compile.bundle import AgentConfiguration
    from kagent_render.compile.environment import EnvVar

CREDENTIAL_PREFIX = "KAGENT_CLAUDE_MCP_CREDENTIAL"
_EXPANDED = "${{{}}}"
_TYPES = {McpProtocol.STREAMABLE_HTTP: "http", McpProtocol.SSE: "sse"}
SHORTEST_TIMEOUT = 1.0
"""Seconds: the CLI ignores a time-out below it."""


def server_entries(agent: AgentConfiguration) -> dict[str, dict[str, Any]]:
    """Every server of a boundary by name; a server without a `type` would be dropped without a word."""
    return {named.name: _entry(named) for named in named_servers(agent)}


def connection(entry: dict[str, Any]) -> dict[str, Any]:
    """The part of an entry that KAGENT_CONFIG_JSON repeats (facts 6.3)."""
    return {key: entry[key] for key in ("type", "url", "headers") if key in entry}


def server_credentials(agent: AgentConfiguration) -> tuple[EnvVar, ...]:
    """The Secret references of every server's headers, in the order of the servers."""
    return tuple(
        variable
        for named in named_servers(agent)
        if not isinstance(named.server, DedicatedTool)
        for variable in credential_env(named.server, CREDENTIAL_PREFIX)
    )


def _entry(named: NamedServer) -> dict[str, Any]:
    if isinstance(named.server, DedicatedTool):
        return {"type": "http", "url": invoke_url(named.server), "timeout": INVOKE_TIMEOUT * 1000}
    server = named.server.server
    entry: dict[str, Any] = {"type": _TYPES[server.protocol], "url": server.url}
    if headers := written_headers(named.server, _EXPANDED, CREDENTIAL_PREFIX):
        entry["headers"] = headers
    limit = authored_timeout(server)
    if limit is not None and limit >= SHORTEST_TIMEOUT:
        entry["timeout"] = round(limit * 1000)
    return entry


def authored_timeout(server: McpServer) -> float | None:
    """The seconds that a manifest itself says, rather than the API server's default."""
    spec = server.document.value.get("spec")
    return server.timeout if isinstance(spec, dict) and spec.get("timeout") is not None else None
