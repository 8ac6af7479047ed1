"""Which fields make a boundary contact an origin."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.compile.bundle import DedicatedTool
from kagent_render.compile.environment import Provenance
from kagent_render.compile.origin import artifact_origin, origin_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.api.hub import McpServer
    from kagent_render.compile.adapters.adapter import Adapter
    from kagent_render.compile.bundle import Bundle
    from kagent_render.compile.policy import Policy
    from kagent_render.diagnostics.diagnostic import FieldPath


def egress_reasons(bundle: Bundle, adapter: Adapter, policy: Policy, origin: str) -> Iterator[Provenance]:
    """What of the manifests makes it; nothing where RenderConfig alone does."""
    for member in bundle.agent.members():
        if origin in adapter.origins(member.provider):
            yield Provenance(member.provider.model.document, ("spec", "provider"))
        for tool in member.tools:
            if not isinstance(tool, DedicatedTool) and tool.server.origin == origin:
                yield server_address(tool.server.server)
        for skill in member.skills:
            found = artifact_origin(
                skill.source.origin, policy.s3_endpoint, policy.s3_region, policy.insecure_registries
            )
            if found == origin:
                yield skill.provenance


def egress_setting(policy: Policy, origin: str) -> FieldPath:
    """The field of RenderConfig that makes it, where no manifest does."""
    settings: dict[str | None, FieldPath] = {
        origin_of(policy.controller_url): ("spec", "controller"),
        origin_of(f"http://{policy.controller_grpc}"): ("spec", "controller"),
        origin_of(policy.tools_url): ("spec", "tools", "url"),
    }
    return settings[origin]


def server_address(server: McpServer) -> Provenance:
    """The field that says where a server is: an MCPServer has only the port of its Service (facts 2.2)."""
    field: FieldPath = ("spec", "url") if "url" in server.spec else ("spec", "deployment", "port")
    return Provenance(server.document, field)
