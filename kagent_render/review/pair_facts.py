"""The facts of a compiled pair that its lock has only as digests: models, servers, tools, settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.failure import public_url
from kagent_render.compile.bundle import DedicatedTool
from kagent_render.compile.runtime_environment import RESERVED_NAMES
from kagent_render.preparation.completeness import snapshot_location_of, worker_pool_of
from kagent_render.review import topics
from kagent_render.review.fact import Fact, leaves, literal
from kagent_render.review.lock_facts import boundary_holder
from kagent_render.review.parameters import model_topic
from kagent_render.target.generation import Setting
from kagent_render.target.generations import generation_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.api.hub import ConfigMapKeyRef, McpServer, SecretKeyRef
    from kagent_render.compile.boundary import CompiledBoundary
    from kagent_render.compile.bundle import AgentConfiguration, McpTool
    from kagent_render.compile.policy import Policy
    from kagent_render.compile.provider import Provider
    from kagent_render.review.topics import Topic
    from kagent_render.revision.compiled_pair import CompiledPair

_TOLD_OTHERWISE: Final = frozenset(
    {"provider", "model", "tls.disableVerify", "apiKeySecret", "apiKeySecretKey"}
)
_OF_SERVERS: Final = frozenset(
    {"url", "protocol", "headersFrom", "timeout", "sseReadTimeout", "tls", "terminateOnClose"}
)
"""Fields of MCP servers that have facts of their own."""

_ADDRESSES: Final = frozenset({"baseUrl", "azureEndpoint", "host", "endpoint", "authUrl"})


def pair_facts(compiled: CompiledPair, policy: Policy) -> Iterator[Fact]:
    """Every fact of a compiled pair that its lock does not tell."""
    harness, generation = compiled.harness, generation_of(compiled.target)
    yield Fact(topics.SUBSTRATE, "", "worker pool", worker_pool_of(harness, policy))
    yield Fact(topics.SUBSTRATE, "", "snapshot location", snapshot_location_of(harness, policy))
    if Setting.PAUSE_IMAGE in generation.SETTINGS:
        yield Fact(topics.SUBSTRATE, "", "pause image", policy.pause_image or "")
    yield _address(topics.ADDRESS, "", "controller", policy.controller_url)
    for boundary, _ in compiled.boundaries:
        if boundary.bundle.dedicated:
            inside = boundary_holder(boundary.bundle.path)
            yield _address(topics.ADDRESS, boundary.bundle.path, "tools", policy.tools_url, inside)
        yield from _variables(boundary, frozenset(known.name for known in generation.variables(policy)))
        for agent in boundary.bundle.agent.members():
            yield from _agent(agent)


def _variables(boundary: CompiledBoundary, given: frozenset[str]) -> Iterator[Fact]:
    """Literals that a manifest brings; what every runtime is `given` is told by other facts."""
    path = boundary.bundle.path
    for variable in boundary.env:
        if isinstance(variable.value, str) and variable.name not in RESERVED_NAMES | given:
            inside = boundary_holder(path)
            yield literal(topics.VARIABLE, path, variable.name, variable.value, inside)


def _agent(agent: AgentConfiguration) -> Iterator[Fact]:
    yield from _model(agent.path, agent.provider)
    for tool in agent.tools:
        if not isinstance(tool, DedicatedTool):
            yield from _tools(agent.path, tool)


def _model(path: str, provider: Provider) -> Iterator[Fact]:
    model = provider.model
    name, _ = provider.model_name
    yield Fact(topics.MODEL, path, "", f"{model.provider} {name}")
    yield _address(topics.ENDPOINT, path, "", provider.endpoint or "")
    if (model.spec.get("tls") or {}).get("disableVerify"):
        yield Fact(topics.TLS, path, "model")
    for field, value in leaves(model.spec):
        last = field.rpartition(".")[2]
        if field in _TOLD_OTHERWISE:
            continue
        if last in _ADDRESSES:
            yield _address(topics.SETTING, path, f"model {field}", value)
        else:
            yield literal(model_topic(field), path, f"model {field}", value)


def _tools(path: str, tool: McpTool) -> Iterator[Fact]:
    server = tool.server.server
    inside = f"server {path} {server.ref.kind} {server.name}"
    named = f"{server.ref.kind} {server.name}"
    yield from _server(path, named, server, inside)
    for name, value in tool.server.headers:
        yield _header(path, f"{named}: {name}", value, inside)
    for name in tool.tools:
        yield Fact(topics.TOOL, path, f"{named}: {name}", inside=inside)


def _server(path: str, named: str, server: McpServer, inside: str) -> Iterator[Fact]:
    address = f"{public_url(server.url)} {server.protocol}"
    yield Fact(topics.SERVER, path, named, address, server.url, inside)
    if server.tls is not None and server.tls.disable_verify:
        yield Fact(topics.TLS, path, named, inside=inside)
    if server.tls is not None and server.tls.disable_system_cas:
        yield Fact(topics.SETTING, path, f"{named}: disableSystemCAs", "true", inside=inside)
    if server.terminate_on_close is False:
        yield Fact(topics.SETTING, path, f"{named}: terminateOnClose", "false", inside=inside)
    for name, seconds in (("timeout", server.timeout), ("sseReadTimeout", server.sse_read_timeout)):
        if seconds is not None:
            yield Fact(topics.LIMIT, path, f"{named}: {name}", f"{seconds:g}", inside=inside)
    for field, value in leaves({name: server.spec[name] for name in server.spec if name not in _OF_SERVERS}):
        if field == "description":
            yield Fact(topics.DESCRIPTION, path, named, value, inside=inside)
        elif field:
            yield literal(topics.SETTING, path, f"{named}: {field}", value, inside)


def _header(path: str, name: str, value: str | SecretKeyRef | ConfigMapKeyRef, inside: str) -> Fact:
    if isinstance(value, str):
        return literal(topics.HEADER, path, name, value, inside)
    return Fact(topics.HEADER, path, name, f"{value.name}, key {value.key}", inside=inside)


def _address(topic: Topic, place: str, name: str, url: str, inside: str = "") -> Fact:
    """The fact of an address: its query may hold a credential, and is compared only."""
    return Fact(topic, place, name, public_url(url) if url else "", url, inside)
