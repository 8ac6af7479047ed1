"""RemoteMCPServers in place of MCPServers, to which `v1alpha3` templates cannot refer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kagent_render.diagnostics.reasons import Reason
from kagent_render.migration.changes import SetText
from kagent_render.migration.objects import NEW

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.api.hub import AgentTemplate, Inventory, McpServer
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.migration.changes import Change

_OLD_KIND, _NEW_KIND = "MCPServer", "RemoteMCPServer"


@dataclass(frozen=True, slots=True)
class ServerUse:
    """One binding of a template to an MCPServer."""

    template: AgentTemplate
    tool: int
    server: McpServer

    @property
    def change(self) -> Change:
        """The reference to the RemoteMCPServer."""
        return SetText(("spec", "tools", self.tool, "mcp", "server", "kind"), _NEW_KIND)


def server_uses(template: AgentTemplate, inventory: Inventory) -> Iterator[ServerUse]:
    """Every binding of a template to an MCPServer that is there."""
    for at, tool in enumerate(template.tools):
        if getattr(tool, "server_kind", None) == _OLD_KIND:
            server = inventory.mcp_servers.get((_OLD_KIND, template.namespace, tool.server_name))  # type: ignore[union-attr]
            if server is not None:
                yield ServerUse(template, at, server)


def present_server(server: McpServer, inventory: Inventory) -> McpServer | None:
    """The RemoteMCPServer of an MCPServer's name, None without one."""
    return inventory.mcp_servers.get((_NEW_KIND, server.namespace, server.name))


def is_same_server(one: McpServer, other: McpServer) -> bool:
    """Whether agents cannot tell two servers apart."""
    return all(
        getattr(one, name) == getattr(other, name)
        for name in ("url", "protocol", "headers", "timeout", "sse_read_timeout", "terminate_on_close", "tls")
    )


def taken(use: ServerUse) -> Diagnostic:
    """The fault of a binding whose MCPServer has the name of another RemoteMCPServer."""
    name = use.server.name
    return use.template.document.fault(
        Reason.NOT_MIGRATABLE,
        ("spec", "tools", use.tool, "mcp", "server", "name"),
        f"a RemoteMCPServer `{name}` is there already, and it is another server than MCPServer `{name}`",
        hint=f"rename one of the two, and bind RemoteMCPServer `{name}` only where it is meant",
    )


def remote_server(server: McpServer) -> dict[str, Any]:
    """The manifest of the RemoteMCPServer that an MCPServer stands for (facts 2.2)."""
    written = server.document.value.get("spec")
    spec = {"description": f"MCPServer {server.name}", "url": server.url}
    if isinstance(written, dict) and written.get("timeout") is not None:
        spec["timeout"] = written["timeout"]
    return {
        "apiVersion": NEW,
        "kind": _NEW_KIND,
        "metadata": {"namespace": server.namespace, "name": server.name},
        "spec": spec,
    }
