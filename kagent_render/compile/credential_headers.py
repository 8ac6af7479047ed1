"""The request headers that credential bindings have to do with, as the runtime of a boundary sends them.

A header has a Secret's value, a literal, or whatever the caller of a passthrough model brings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.api.hub import SecretKeyRef
from kagent_render.compile.bundle import McpTool
from kagent_render.compile.egress_uses import model_uses, server_uses
from kagent_render.compile.environment import EnvVar, Provenance
from kagent_render.compile.mcp import credential_env
from kagent_render.compile.provider import key_variable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.compile.adapters.adapter import Adapter
    from kagent_render.compile.bundle import Bundle
    from kagent_render.compile.destination import Destination
    from kagent_render.compile.mcp import ResolvedServer
    from kagent_render.compile.provider import Provider

    Environment = Mapping[str, EnvVar]


@dataclass(frozen=True, slots=True)
class SecretHeader:
    """A header that carries a Secret's value to one destination; `variable` holds its placeholder."""

    destination: Destination
    header: str
    prefix: str
    variable: str
    secret: SecretKeyRef
    origin: Provenance


@dataclass(frozen=True, slots=True)
class LiteralHeader:
    """A header whose value is known, or a passthrough model's, which may be any header: `header` None."""

    destination: Destination
    header: str | None
    origin: Provenance


def secret_headers(bundle: Bundle, adapter: Adapter, env: Environment) -> Iterator[SecretHeader]:
    """The headers of models, root first, then those of MCP servers in the order of the tools.

    What the Harness has replaced in `env` is none of them, and neither is what two agents disagree about.
    """
    for provider in providers(bundle):
        variable = model_variable(provider, env)
        if variable is None or not is_given(variable, provider.env):
            continue
        for use in model_uses(provider, adapter):
            origin = Provenance(provider.model.document, ("spec", "apiKeySecret"))
            for sent in adapter.KEY_HEADERS.get(variable.name, ()):
                yield _secret_header(use.destination, sent, variable, origin)
    for server in servers(bundle):
        for name, variable in _server_secrets(server, adapter):
            if env.get(variable.name) != variable or variable.origin is None:
                continue
            for use in server_uses(server.server):
                yield _secret_header(use.destination, (name, ""), variable, variable.origin)


def literal_headers(bundle: Bundle, adapter: Adapter, env: Environment) -> Iterator[LiteralHeader]:
    """The headers with a value of their own, in the same order."""
    for provider in providers(bundle):
        origins = [use.destination for use in model_uses(provider, adapter)]
        for name, origin in _model_literals(provider, adapter, env):
            yield from (LiteralHeader(destination, name, origin) for destination in origins)
    for server in servers(bundle):
        for name, origin in _server_literals(server, adapter, env):
            for use in server_uses(server.server):
                yield LiteralHeader(use.destination, name, origin)


def providers(bundle: Bundle) -> Iterator[Provider]:
    """The models of a boundary, root first."""
    return (member.provider for member in bundle.agent.members())


def servers(bundle: Bundle) -> Iterator[ResolvedServer]:
    """The MCP servers of a boundary, as often as a tool is selected of them."""
    return (
        tool.server for member in bundle.agent.members() for tool in member.tools if isinstance(tool, McpTool)
    )


def model_variable(provider: Provider, env: Environment) -> EnvVar | None:
    """The variable of the final environment that holds a model's one key; None where there is none."""
    return env.get(key_variable(provider.model.provider) or "")


def is_given(variable: EnvVar, given: tuple[EnvVar, ...]) -> bool:
    """Whether a variable of the final environment is still the Secret reference that was given for it."""
    return isinstance(variable.value, SecretKeyRef) and variable in given


def _secret_header(
    destination: Destination, sent: tuple[str, str], variable: EnvVar, origin: Provenance
) -> SecretHeader:
    assert isinstance(variable.value, SecretKeyRef)
    return SecretHeader(destination, *sent, variable.name, variable.value, origin)


def _model_literals(
    provider: Provider, adapter: Adapter, env: Environment
) -> Iterator[tuple[str | None, Provenance]]:
    """Headers of a model with a value of their own, each with its field."""
    document, spec = provider.model.document, provider.model.spec
    if spec.get("apiKeyPassthrough"):
        yield None, Provenance(document, ("spec", "apiKeyPassthrough"))
    for name in spec.get("defaultHeaders") or {}:
        yield name.lower(), Provenance(document, ("spec", "defaultHeaders", name))
    variable = model_variable(provider, env)
    if variable is not None:
        headers = (header for header, _ in adapter.KEY_HEADERS.get(variable.name, ()))
        yield from ((header, origin) for header in headers for origin in _literal_of_harness(variable))


def _server_secrets(server: ResolvedServer, adapter: Adapter) -> Iterator[tuple[str, EnvVar]]:
    """The headers of a server that a Secret gives, each with its variable."""
    names = (name.lower() for name, value in server.headers if isinstance(value, SecretKeyRef))
    return zip(names, credential_env(server, adapter.CREDENTIAL_PREFIX), strict=True)


def _server_literals(
    server: ResolvedServer, adapter: Adapter, env: Environment
) -> Iterator[tuple[str, Provenance]]:
    """Headers of a server with a value of their own, each with its field."""
    for index, (name, value) in enumerate(server.headers):
        if isinstance(value, str):
            yield name.lower(), Provenance(server.server.document, ("spec", "headersFrom", index))
    for name, variable in _server_secrets(server, adapter):
        if variable.name in env:
            yield from ((name, origin) for origin in _literal_of_harness(env[variable.name]))


def _literal_of_harness(variable: EnvVar) -> Iterator[Provenance]:
    """The field of a literal that stands in the place of a Secret's value."""
    if isinstance(variable.value, str) and variable.origin is not None:
        yield Provenance(variable.origin.document, (*variable.origin.field[:-1], "value"))
