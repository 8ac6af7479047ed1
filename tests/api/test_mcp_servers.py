from __future__ import annotations

import pytest

from kagent_render.api.hub import ConfigMapKeyRef, Header, McpProtocol, SecretKeyRef, Tls
from tests.api.manifests import decode_text, yaml_manifest

REMOTE = "description: d\nurl: https://mcp.example.com/mcp\n"

BROKEN = {
    "no address": ("RemoteMCPServer", "description: d", "spec.url", 6),
    "empty address": ("RemoteMCPServer", "description: d\nurl: ''", "spec.url", 8),
    "address with a password": (
        "RemoteMCPServer",
        "description: d\nurl: https://user:word@h",
        "spec.url",
        8,
    ),
    "unknown protocol": ("RemoteMCPServer", REMOTE + "protocol: stdio", "spec.protocol", 9),
    "header without value": (
        "RemoteMCPServer",
        REMOTE + "headersFrom:\n- name: A",
        "spec.headersFrom[0]",
        10,
    ),
    "header with two values": (
        "RemoteMCPServer",
        REMOTE + "headersFrom:\n- {name: A, value: x, valueFrom: {type: Secret, name: s, key: k}}",
        "spec.headersFrom[0]",
        10,
    ),
    "header from elsewhere": (
        "RemoteMCPServer",
        REMOTE + "headersFrom:\n- {name: A, valueFrom: {type: Vault, name: s, key: k}}",
        "spec.headersFrom[0].valueFrom.type",
        10,
    ),
    "no duration": ("RemoteMCPServer", REMOTE + "timeout: soon", "spec.timeout", 9),
    "a number for a duration": ("RemoteMCPServer", REMOTE + "timeout: 30", "spec.timeout", 9),
    "a negative duration": ("RemoteMCPServer", REMOTE + "sseReadTimeout: -1s", "spec.sseReadTimeout", 9),
    "TLS for a plain address": (
        "RemoteMCPServer",
        "description: d\nurl: http://h\ntls: {disableVerify: true}",
        "spec.tls",
        9,
    ),
    "selector that is missing": (
        "RemoteMCPServer",
        REMOTE + "allowedNamespaces:\n  from: Selector",
        "spec.allowedNamespaces.selector",
        9,
    ),
    "pinned CA for other namespaces": (
        "RemoteMCPServer",
        REMOTE + "tls: {caCertSecretRef: s, caCertSecretKey: k}\nallowedNamespaces:\n  from: All",
        "spec.allowedNamespaces.from",
        11,
    ),
    "no deployment": ("MCPServer", "timeout: 30s", "spec.deployment", 6),
    "port zero": ("MCPServer", "deployment:\n  port: 0", "spec.deployment.port", 8),
    "port beyond the range": ("MCPServer", "deployment:\n  port: 65536", "spec.deployment.port", 8),
    "no duration for a server of the cluster": (
        "MCPServer",
        "deployment: {}\ntimeout: '30'",
        "spec.timeout",
        8,
    ),
}
VERSION = {"RemoteMCPServer": "v1alpha3", "MCPServer": "v1alpha1"}


@pytest.mark.parametrize(("kind", "spec", "field", "line"), BROKEN.values(), ids=BROKEN)
def test_is_refused_once(kind: str, spec: str, field: str, line: int) -> None:
    _, told = decode_text(yaml_manifest(VERSION[kind], kind, spec))
    places = [(item.reason.value, item.field, item.source.line if item.source else 0) for item in told]
    assert places == [("InvalidSpec", field, line)]


@pytest.mark.parametrize("version", ["v1alpha2", "v1alpha3"])
def test_a_remote_server_has_the_servers_defaults(version: str) -> None:
    inventory, told = decode_text(yaml_manifest(version, "RemoteMCPServer", REMOTE))
    assert told == []
    server = inventory.mcp_servers["RemoteMCPServer", "team", "subject"]
    assert (server.url, server.protocol) == ("https://mcp.example.com/mcp", McpProtocol.STREAMABLE_HTTP)
    assert (server.timeout, server.sse_read_timeout, server.terminate_on_close) == (30.0, None, True)
    assert (server.headers, server.tls) == ((), None)
    assert server.spec["protocol"] == "STREAMABLE_HTTP"


def test_a_remote_server_with_everything() -> None:
    spec = """
        description: d
        url: https://h
        protocol: SSE
        timeout: 1m30s
        sseReadTimeout: 500ms
        headersFrom:
        - {name: A, value: ""}
        - {name: B, valueFrom: {type: ConfigMap, name: c, key: k}}
        - {name: C, valueFrom: {type: Secret, name: s, key: k}}
        tls: {caCertSecretRef: ca, caCertSecretKey: pem, disableSystemCAs: true}
        """
    inventory, told = decode_text(yaml_manifest("v1alpha3", "RemoteMCPServer", spec))
    assert told == []
    server = inventory.mcp_servers["RemoteMCPServer", "team", "subject"]
    assert (server.timeout, server.sse_read_timeout, server.terminate_on_close) == (90.0, 0.5, None)
    assert server.headers == (
        Header("A", ""),
        Header("B", ConfigMapKeyRef("c", "k")),
        Header("C", SecretKeyRef("s", "k")),
    )
    assert server.tls == Tls(disable_verify=False, disable_system_cas=True, ca_cert=SecretKeyRef("ca", "pem"))


@pytest.mark.parametrize(
    ("deployment", "port"), [("{}", 3000), ("{port: null}", 3000), ("{port: 8080}", 8080)]
)
def test_a_server_of_the_cluster_is_reached_through_its_service(deployment: str, port: int) -> None:
    inventory, told = decode_text(yaml_manifest("v1alpha1", "MCPServer", f"deployment: {deployment}"))
    assert told == []
    server = inventory.mcp_servers["MCPServer", "team", "subject"]
    assert server.url == f"http://subject.team:{port}/mcp"
    assert (server.protocol, server.timeout) == (McpProtocol.STREAMABLE_HTTP, 30.0)


def test_what_does_not_matter_to_agents_is_taken_as_it_is() -> None:
    spec = """
        deployment: {image: i, cmd: npx, args: [a], env: {A: b}, secretRefs: [{name: s}], replicas: 2}
        transportType: stdio
        stdioTransport: {}
        timeout: 5s
        """
    inventory, told = decode_text(yaml_manifest("v1alpha1", "MCPServer", spec))
    assert told == []
    assert inventory.mcp_servers["MCPServer", "team", "subject"].timeout == 5.0
