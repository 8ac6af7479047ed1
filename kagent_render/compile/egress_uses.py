"""What a boundary's runtime contacts, and which field asks for it: a bundle's egress with its reasons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.api.hub import GitSource, OciSource
from kagent_render.compile.bundle import DedicatedTool
from kagent_render.compile.destination import Destination, destination_of
from kagent_render.compile.environment import Provenance
from kagent_render.compile.origin import artifact_origin, origin_of
from kagent_render.compile.provider import endpoint_field

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.api.hub import McpServer
    from kagent_render.compile.adapters.adapter import Adapter
    from kagent_render.compile.bundle import AgentConfiguration, Bundle, ResolvedSkill
    from kagent_render.compile.policy import Policy
    from kagent_render.compile.provider import Provider
    from kagent_render.diagnostics.diagnostic import FieldPath


@dataclass(frozen=True, slots=True)
class EgressUse:
    """One destination and the field that brings it; `field` is None where RenderConfig alone does.

    `named_by` is the field that the host's name comes from, None where RenderConfig says it.
    """

    destination: Destination
    field: Provenance | None
    named_by: Provenance | None

    @property
    def user(self) -> str:
        """The object that contacts the destination, for messages."""
        return called(self.field) if self.field is not None else "RenderConfig"


def called(origin: Provenance) -> str:
    """The object that a value comes from, for messages."""
    return f"{origin.document.ref.kind} `{origin.document.ref.name}`"


def egress_uses(bundle: Bundle, adapter: Adapter, policy: Policy | None = None) -> Iterator[EgressUse]:
    """Every destination of a boundary as often as a field asks for it, in the order of the tree.

    Without `policy` only what manifests ask for by themselves.
    """
    if policy is not None:
        yield from _use(policy.controller_url, None, None)
        yield from _use(f"http://{policy.controller_grpc}", None, None)
    for member in bundle.agent.members():
        yield from model_uses(member.provider, adapter)
        yield from _tool_uses(member, policy)
        for skill in member.skills:
            yield from _skill_uses(skill, policy)


def model_uses(provider: Provider, adapter: Adapter) -> Iterator[EgressUse]:
    """What an adapter's runtime contacts for one model."""
    own, token = origin_of(provider.endpoint or ""), origin_of(str(provider.block.get("authUrl") or ""))
    for origin in adapter.origins(provider):
        of_token = origin == token != own
        path: FieldPath = ("spec", "sapAICore", "authUrl") if of_token else endpoint_field(provider)
        field = Provenance(provider.model.document, path)
        yield EgressUse(destination_of(origin), field, field)


def server_uses(server: McpServer) -> Iterator[EgressUse]:
    """What a runtime contacts for one MCP server; nothing where its URL has no origin."""
    path: FieldPath = ("spec", "url")
    named_by = path
    if server.ref.kind == "MCPServer":  # its address is made of its Service's name and port
        path, named_by = ("spec", "deployment", "port"), ("metadata", "name")
    document = server.document
    yield from _use(server.url, Provenance(document, path), Provenance(document, named_by))


def _tool_uses(member: AgentConfiguration, policy: Policy | None) -> Iterator[EgressUse]:
    for tool in member.tools:
        if not isinstance(tool, DedicatedTool):
            yield from server_uses(tool.server.server)
        elif policy is not None:
            yield from _use(policy.tools_url, tool.provenance, None)


def _skill_uses(skill: ResolvedSkill, policy: Policy | None) -> Iterator[EgressUse]:
    origin = skill.source.origin
    endpoint, region = (policy.s3_endpoint, policy.s3_region) if policy is not None else (None, None)
    insecure = policy.insecure_registries if policy is not None else ()
    source: FieldPath = (*skill.provenance.field[:3], "source")
    if isinstance(origin, GitSource):
        source = (*source, "git", "url")
    elif isinstance(origin, OciSource):
        source = (*source, "oci")
    else:
        source = (*source, "bucket", "s3", *(("endpoint",) if origin.endpoint else ()))
    field = Provenance(skill.provenance.document, source)
    yield from _use(artifact_origin(origin, endpoint, region, insecure), field, field)


def _use(url: str | None, field: Provenance | None, named_by: Provenance | None) -> Iterator[EgressUse]:
    origin = origin_of(url or "")
    if origin is not None:
        yield EgressUse(destination_of(origin), field, named_by)
