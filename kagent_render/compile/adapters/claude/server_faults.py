"""What Claude Code cannot be told of an MCP server, or would change, each at the server's field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.compile.adapters.claude.headers import is_header_value, is_own_header
from kagent_render.compile.adapters.claude.servers import SHORTEST_TIMEOUT, authored_timeout
from kagent_render.compile.adapters.cli_servers import named_servers
from kagent_render.compile.adapters.http_headers import is_header_name
from kagent_render.compile.adapters.ignored_fields import ignored_path
from kagent_render.compile.bundle import DedicatedTool
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.api.hub import McpServer
    from kagent_render.compile.bundle import AgentConfiguration
    from kagent_render.compile.mcp import ResolvedServer
    from kagent_render.diagnostics.diagnostic import Diagnostic

_EXPANSION = "${"
"""How the CLI marks a variable; it has no way to write these two characters themselves."""


def check_servers(agent: AgentConfiguration) -> Iterator[Diagnostic]:
    """What is wrong with each server of a boundary, once."""
    for named in named_servers(agent):
        if not isinstance(named.server, DedicatedTool):
            yield from _check_address(named.server.server)
            yield from _check_headers(named.server)
            yield from _check_settings(named.server.server)
            yield from ignored_path(named.server.server, "claude")


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
            f"write the value without `{_EXPANSION}`",
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
    limit = authored_timeout(server)
    if limit is not None and limit < SHORTEST_TIMEOUT:
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
