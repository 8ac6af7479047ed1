"""MCP servers as Claude Code reads them, and what it cannot be told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.api.hub import McpProtocol, SecretKeyRef
from kagent_render.compile.adapters.claude_headers import is_header_name, is_header_value, is_own_header
from kagent_render.compile.adapters.cli_servers import named_servers
from kagent_render.compile.adapters.dedicated import INVOKE_TIMEOUT, invoke_url
from kagent_render.compile.bundle import DedicatedTool
from kagent_render.compile.mcp import credential_env, credential_name
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.api.hub import McpServer
    from kagent_render.compile.adapters.cli_servers import NamedServer
    from kagent_render.compile.bundle import AgentConfiguration
    from kagent_render.compile.environment import EnvVar
    from kagent_render.compile.mcp import ResolvedServer
    from kagent_render.diagnostics.diagnostic import Diagnostic

_CREDENTIAL = "KAGENT_CLAUDE_MCP_CREDENTIAL"
_TYPES = {McpProtocol.STREAMABLE_HTTP: "http", McpProtocol.SSE: "sse"}
_SHORTEST_TIMEOUT = 1.0
"""Seconds: the CLI ignores a time-out below it."""

_EXPANSION = "${"


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
        for variable in credential_env(named.server, _CREDENTIAL)
    )


def _entry(named: NamedServer) -> dict[str, Any]:
    if isinstance(named.server, DedicatedTool):
        return {"type": "http", "url": invoke_url(named.server), "timeout": INVOKE_TIMEOUT * 1000}
    server = named.server.server
    entry: dict[str, Any] = {"type": _TYPES[server.protocol], "url": server.url}
    if headers := _headers(named.server):
        entry["headers"] = headers
    if _is_authored(server, "timeout") and (server.timeout or 0) >= _SHORTEST_TIMEOUT:
        entry["timeout"] = round((server.timeout or 0) * 1000)
    return entry


def _headers(resolved: ResolvedServer) -> dict[str, str]:
    """Headers by name; the CLI puts the variable in the place of a Secret's value."""
    namespace = resolved.server.namespace
    return {
        name: f"${{{credential_name(namespace, value, _CREDENTIAL)}}}"
        if isinstance(value, SecretKeyRef)
        else value
        for name, value in sorted(resolved.headers, key=lambda header: header[0])
    }


def check_servers(agent: AgentConfiguration) -> Iterator[Diagnostic]:
    """What the CLI would change, ignore or fail at in a server, at the server's field."""
    for named in named_servers(agent):
        if not isinstance(named.server, DedicatedTool):
            yield from _check_address(named.server.server)
            yield from _check_headers(named.server)
            yield from _check_settings(named.server.server)


def _check_address(server: McpServer) -> Iterator[Diagnostic]:
    if _EXPANSION in server.url:
        yield server.document.fault(
            Reason.CAPABILITY_UNSUPPORTED,
            ("spec", "url"),
            f"Claude Code puts variables in the place of `{_EXPANSION}...}}`, so this would be another URL",
            hint=f"write `%24{{` for `{_EXPANSION}`",
        )


def _check_headers(resolved: ResolvedServer) -> Iterator[Diagnostic]:
    known: set[str] = set()
    for index, (name, value) in enumerate(resolved.headers):
        wrong = _wrong_name(name, known) or (_wrong_value(value) if isinstance(value, str) else None)
        known.add(name.lower())
        if wrong:
            yield resolved.server.document.fault(
                Reason.CAPABILITY_UNSUPPORTED,
                ("spec", "headersFrom", index),
                wrong[0],
                hint=wrong[1],
                sensitive=True,
            )


def _wrong_name(name: str, known: set[str]) -> tuple[str, str] | None:
    """What is wrong with a header's name after the `known` ones, and what to do; None when nothing is."""
    if name.lower() in known:
        return f"`{name[:64]}` is there twice, and Claude Code sends one", "remove one of the two"
    if not is_header_name(name):
        return f"`{name[:64]}` is no name of an HTTP header", "use letters, digits and `-`"
    if is_own_header(name):
        return f"Claude Code sets `{name}` itself", "remove the header"
    return None


def _wrong_value(value: str) -> tuple[str, str] | None:
    """What is wrong with a literal header value, and what to do; None when nothing is."""
    if _EXPANSION in value:
        return (
            f"Claude Code puts variables in the place of `{_EXPANSION}...}}` in a header's value",
            "keep the value in a Secret and refer to it with `type: Secret`",
        )
    if not is_header_value(value):
        return (
            "the header's value would not arrive as it is written",
            "use printable ASCII characters, without white space at either end",
        )
    return None


def _check_settings(server: McpServer) -> Iterator[Diagnostic]:
    tls = server.tls
    for field, asked in (
        ("disableVerify", tls is not None and tls.disable_verify),
        ("disableSystemCAs", tls is not None and tls.disable_system_cas),
    ):
        if asked:
            yield server.document.fault(
                Reason.CAPABILITY_UNSUPPORTED,
                ("spec", "tls", field),
                f"Claude Code has no setting for `{field}` of an MCP server",
                hint="serve the MCP server with a public certificate",
            )
    if _is_authored(server, "timeout") and (server.timeout or 0) < _SHORTEST_TIMEOUT:
        yield _ignored(server, "timeout", "a time-out of less than one second")
    if server.sse_read_timeout is not None:
        yield _ignored(server, "sseReadTimeout", "a time-out for reading")
    if server.terminate_on_close is False:
        yield _ignored(server, "terminateOnClose", "keeping a session open")


def _ignored(server: McpServer, field: str, what: str) -> Diagnostic:
    return server.document.fault(
        Reason.FIELD_IGNORED,
        ("spec", field),
        f"Claude Code has no setting for {what}",
        hint=f"remove `spec.{field}`, or accept that it has no effect here",
        severity=Severity.WARNING,
    )


def _is_authored(server: McpServer, field: str) -> bool:
    """Whether a manifest says it itself, rather than the API server's default."""
    spec = server.document.value.get("spec")
    return isinstance(spec, dict) and spec.get(field) is not None
