"""Fields that a manifest sets and a runtime is not told: each is said, none is lost in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.api.hub import McpProtocol, SecretKeyRef
from kagent_render.api.providers import PROVIDER_BLOCKS
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from kagent_render.api.hub import McpServer, ModelConfig
    from kagent_render.api.sourced import Sourced
    from kagent_render.compile.provider import Provider
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath

_SERVED_PATH = "/mcp"


def ignored_model_fields(provider: Provider, configured: Collection[str]) -> Iterator[Diagnostic]:
    """Fields of a ModelConfig that are set, told by no variable and, in its block, not `configured`."""
    model, name = provider.model, PROVIDER_BLOCKS[provider.model.provider]
    told = {*configured, *_told_by_variables(provider, name)}
    for field, value in provider.block.items():
        if field not in told and not _is_unset(value):
            yield _ignored(model, ("spec", name, field), f"reads no `{field}` of provider `{model.provider}`")
        elif _is_zero(value):
            yield _ignored_zero(model, ("spec", name, field))
    yield from ignored_key(provider)


def ignored_zeros(provider: Provider, runtime: str = "python") -> Iterator[Diagnostic]:
    """Options of a model that are 0, which reads as if they were not set."""
    model, name = provider.model, PROVIDER_BLOCKS[provider.model.provider]
    for field, value in provider.block.items():
        if _is_zero(value):
            yield _ignored_zero(model, ("spec", name, field), runtime)


def _told_by_variables(provider: Provider, block: str) -> Iterator[str]:
    """The block's fields that a variable comes from."""
    if provider.endpoint_key is not None:
        yield "endpointFrom"
    for variable in provider.env:
        if variable.origin is not None and variable.origin.field[:2] == ("spec", block):
            yield str(variable.origin.field[2])


def ignored_key(provider: Provider, runtime: str = "python") -> Iterator[Diagnostic]:
    """A Secret that the provider has no use for, or the key of one whose keys have names of their own."""
    model = provider.model
    used = [variable.value for variable in provider.env if isinstance(variable.value, SecretKeyRef)]
    given = {"apiKeySecret": [key.name for key in used], "apiKeySecretKey": [key.key for key in used]}
    for field, values in given.items():
        if model.spec.get(field) and model.spec[field] not in values:
            what = f"reads no `{field}` of provider `{model.provider}`"
            yield _ignored(model, ("spec", field), what, runtime=runtime)


def ignored_server_fields(server: McpServer) -> Iterator[Diagnostic]:
    """Set fields of an MCP server that do not reach its connection."""
    if server.protocol is McpProtocol.SSE and server.spec.get("terminateOnClose") is False:
        yield _ignored(server, ("spec", "terminateOnClose"), "reads no `terminateOnClose` of protocol `SSE`")
    yield from ignored_path(server)
    last = {header.name: index for index, header in enumerate(server.headers)}
    for index, header in enumerate(server.headers):
        if index != last[header.name]:
            yield _ignored(
                server, ("spec", "headersFrom", index), f"is told the last header `{header.name}` only"
            )


def ignored_path(server: McpServer, runtime: str = "python") -> Iterator[Diagnostic]:
    """The path of an MCPServer, which no conversion to a URL uses (facts 2.2)."""
    transport = server.spec.get("httpTransport")
    path = transport.get("path") if isinstance(transport, dict) else None
    if path not in (None, "", _SERVED_PATH):
        what = f"calls every MCPServer at `{_SERVED_PATH}`, whatever its `path`"
        otherwise = "or write a RemoteMCPServer with the whole URL"
        yield _ignored(server, ("spec", "httpTransport", "path"), what, otherwise, runtime)


def _is_unset(value: object) -> bool:
    """Whether a field says nothing: empty and false are how its absence is written, too."""
    return value is None or value is False or value in ("", {}, [])


def _is_zero(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value == 0


def _ignored_zero(model: ModelConfig, field: FieldPath, runtime: str = "python") -> Diagnostic:
    return _ignored(model, field, f"is not told a `{field[-1]}` of 0", "or set another value", runtime)


def _ignored(
    source: Sourced, field: FieldPath, what: str, otherwise: str = "", runtime: str = "python"
) -> Diagnostic:
    return source.document.fault(
        Reason.FIELD_IGNORED,
        field,
        f"the `{runtime}` runtime {what}",
        hint=f"remove the field, {otherwise or 'since nothing comes of it'}",
        severity=Severity.WARNING,
    )
