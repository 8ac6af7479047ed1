"""What Codex would drop, rename or not do of a boundary's MCP servers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kagent_render.compile.adapters.cli_servers import check_server_names, server_name
from kagent_render.compile.adapters.http_headers import header_problem
from kagent_render.compile.adapters.ignored_fields import ignored_path
from kagent_render.compile.bundle import McpTool
from kagent_render.compile.environment import Provenance
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.api.hub import McpServer
    from kagent_render.compile.bundle import AgentConfiguration
    from kagent_render.compile.mcp import ResolvedServer
    from kagent_render.diagnostics.diagnostic import Diagnostic

_RESERVED = "codex_apps"
_LONGEST_TOOL = 128
_SHORTEST_TIMEOUT = 0.001
"""Seconds: with less, Codex times out at once."""

_OWN_HEADERS = frozenset(
    {
        "accept",
        "content-length",
        "content-type",
        "mcp-protocol-version",
        "mcp-session-id",
        "transfer-encoding",
    }
)


def shown_name(name: str) -> str:
    """A server's or tool's name as the model sees it; the server itself is told the real one."""
    return re.sub("[^A-Za-z0-9_]", "_", name)


def check_servers(agent: AgentConfiguration) -> Iterator[Diagnostic]:
    """Faults of names at the bindings, then those of each server at its own fields."""
    yield from check_server_names(agent, shown_name)
    yield from _check_reserved(agent)
    yield from _check_tools(agent)
    servers = {
        tool.server.server.ref: tool.server
        for member in agent.members()
        for tool in member.tools
        if isinstance(tool, McpTool)
    }
    for resolved in servers.values():
        yield from _check_headers(resolved)
        yield from _check_connection(resolved)


def _check_reserved(agent: AgentConfiguration) -> Iterator[Diagnostic]:
    for tool in agent.tools:
        if server_name(tool) == _RESERVED:
            yield tool.provenance.document.fault(
                Reason.NAME_INVALID,
                tool.provenance.field,
                f"Codex leaves out an MCP server with the name `{_RESERVED}`, which it has for itself",
                hint="rename the server or the binding",
            )


def _check_tools(agent: AgentConfiguration) -> Iterator[Diagnostic]:
    """Tools that the model sees under another name: alone a warning, an error where two become one."""
    known: dict[tuple[str, str], str] = {}
    for tool in agent.tools:
        for index, name in enumerate(tool.tools if isinstance(tool, McpTool) else ()):
            place = Provenance(tool.provenance.document, (*tool.provenance.field, "tools", index))
            other = known.setdefault((server_name(tool), shown_name(name)), name)
            if other != name:
                yield _clash(place, name, other)
            elif len(f"mcp__{server_name(tool)}__{name}") > _LONGEST_TOOL:
                yield _too_long(place, server_name(tool), name)
            elif shown_name(name) != name:
                yield _renamed(place, name)


def _clash(place: Provenance, name: str, other: str) -> Diagnostic:
    return place.document.fault(
        Reason.NAME_INVALID,
        place.field,
        f"the model would see `{name}` and `{other}` as one name, and Codex adds a hash to both",
        hint="select one of them, or rename one where it is served",
    )


def _too_long(place: Provenance, server: str, name: str) -> Diagnostic:
    return place.document.fault(
        Reason.NAME_INVALID,
        place.field,
        f"`mcp__{server}__{name}` has more than {_LONGEST_TOOL} characters, and Codex ends it in a hash",
        hint="shorten the name of the server or of the tool",
    )


def _renamed(place: Provenance, name: str) -> Diagnostic:
    return place.document.fault(
        Reason.NAME_INVALID,
        place.field,
        f"the model sees the tool `{name}` as `{shown_name(name)}`",
        hint=f"call it `{shown_name(name)}` in prompts",
        severity=Severity.WARNING,
    )


def _check_headers(resolved: ResolvedServer) -> Iterator[Diagnostic]:
    seen: set[str] = set()
    for index, (name, value) in enumerate(resolved.headers):
        if problem := _header_problem(name, value if isinstance(value, str) else None, seen):
            yield resolved.server.document.fault(
                Reason.CAPABILITY_UNSUPPORTED,
                ("spec", "headersFrom", index),
                f"Codex would not send this header as it is: {problem}",
                hint="remove or correct the header",
                sensitive=True,
            )
        seen.add(name.lower())


def _header_problem(name: str, literal: str | None, seen: set[str]) -> str | None:
    if name.lower() in seen:
        return "it is there a second time"
    if literal is not None and "${" in literal:
        return "its value reads as a variable in the runtime's configuration"
    return header_problem(name, literal, _OWN_HEADERS)


def _check_connection(resolved: ResolvedServer) -> Iterator[Diagnostic]:
    server, tls = resolved.server, resolved.server.tls
    yield from ignored_path(server, "codex")
    if tls is not None and tls.disable_verify:
        yield _unverified(server, "disableVerify")
    if tls is not None and tls.disable_system_cas:
        yield _unverified(server, "disableSystemCAs")
    for name, seconds in (("timeout", server.timeout), ("sseReadTimeout", server.sse_read_timeout)):
        if seconds is not None and seconds < _SHORTEST_TIMEOUT:
            yield server.document.fault(
                Reason.CAPABILITY_UNSUPPORTED,
                ("spec", name),
                "Codex would give up on the server before it can answer",
                hint="write a time-out of a second or more, or remove the field",
            )
    if server.terminate_on_close is False:
        yield server.document.fault(
            Reason.FIELD_IGNORED,
            ("spec", "terminateOnClose"),
            "Codex ends its session whenever it closes a connection",
            hint="remove the field",
            severity=Severity.WARNING,
        )


def _unverified(server: McpServer, field: str) -> Diagnostic:
    return server.document.fault(
        Reason.CAPABILITY_UNSUPPORTED,
        ("spec", "tls", field),
        f"Codex verifies every certificate against the system's authorities and cannot be told `{field}`",
        hint="serve the MCP server with a public certificate",
    )
