"""MCPServer of kmcp (`kagent.dev/v1alpha1`): what becomes a Service that agents can reach.

How its Deployment is built does not matter to agents, so that those fields are known by name alone.
"""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from kagent_render.api import hub
from kagent_render.api.durations import seconds
from kagent_render.api.remotemcpserver import Duration
from kagent_render.api.schema import Block, Refusal, Sensitive
from kagent_render.source.document import Document

Port = Annotated[
    int,
    Field(ge=1, le=65535),
    Refusal("the port must be between 1 and 65535", hint="set `port` to the port that the server listens on"),
]


class McpServerDeployment(Block):
    """The Deployment behind the server."""

    image: str | None = None
    """The server's image."""
    image_pull_policy: Any = None
    port: Port = 3000
    """The port that it listens on."""
    cmd: str | None = None
    """Its command."""
    args: list[str] | None = None
    """The command's arguments."""
    env: Annotated[dict[str, str], Sensitive()] | None = None
    """Variables of its container."""
    secret_refs: Any = None
    config_map_refs: Any = None
    volume_mounts: Any = None
    volumes: Any = None
    init_container: Any = None
    service_account: Any = None
    service_account_name: Any = None
    sidecars: Annotated[Any, Sensitive()] = None
    labels: Any = None
    annotations: Any = None
    resources: Any = None
    security_context: Any = None
    pod_security_context: Any = None
    tolerations: Any = None
    affinity: Any = None
    node_selector: Any = None
    replicas: Any = None
    image_pull_secrets: Any = None


class McpServerSpec(Block):
    """An MCP server that runs in the cluster."""

    deployment: McpServerDeployment
    """How the server is run."""
    transport_type: Literal["stdio", "http"] | None = None
    """How it speaks."""
    stdio_transport: Any = None
    http_transport: Any = None
    authn: Any = None
    authz: Any = None
    route_filter: Any = None
    timeout: Duration = "30s"
    """How long a request may take, such as `30s`."""


def hub_server(document: Document, spec: Mapping[str, Any], model: McpServerSpec) -> hub.McpServer:
    """The MCP server as agents reach it: streamable HTTP at `/mcp` of its Service (R2.2)."""
    ref = document.ref
    return hub.McpServer(
        ref=ref,
        spec=spec,
        document=document,
        url=f"http://{ref.name}.{ref.namespace}:{model.deployment.port}/mcp",
        protocol=hub.McpProtocol.STREAMABLE_HTTP,
        headers=(),
        timeout=seconds(model.timeout),
        sse_read_timeout=None,
        terminate_on_close=True,
        tls=None,
    )
