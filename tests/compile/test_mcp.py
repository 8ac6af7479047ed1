"""MCP servers: headers by value or reference, the variable that carries a credential, what cannot be had."""

from __future__ import annotations

import pytest

from kagent_render.api.hub import ConfigMapKeyRef, McpServer, SecretKeyRef
from kagent_render.compile.mcp import ResolvedServer, credential_env, credential_name, resolve_server
from kagent_render.diagnostics.diagnostic import Diagnostic, field_text
from kagent_render.diagnostics.reasons import Reason
from tests.manifests import inventory, server, told

URL = "description: d, url: 'https://mcp.example.com/mcp'"


def resolve(spec: str) -> tuple[ResolvedServer | None, list[Diagnostic]]:
    found = inventory(server(spec))

    def value(reference: ConfigMapKeyRef, holder: McpServer, index: int) -> str | Diagnostic:
        if reference.name == "texts":
            return f"value of {reference.key}"
        field = ("spec", "headersFrom", index, "valueFrom", "name")
        return holder.document.fault(Reason.CONFIG_MAP_NOT_FOUND, field, "no such ConfigMap")

    return resolve_server(found.mcp_servers["RemoteMCPServer", "team", "server"], value)


def header(name: str, kind: str, of: str = "texts", key: str = "k") -> str:
    return f"{{name: {name}, valueFrom: {{type: {kind}, name: {of}, key: {key}}}}}"


@pytest.mark.parametrize(
    ("spec", "headers"),
    [
        pytest.param(f"{{{URL}}}", (), id="none"),
        pytest.param(f"{{{URL}, headersFrom: [{{name: A, value: x}}]}}", (("A", "x"),), id="a literal"),
        pytest.param(
            f"{{{URL}, headersFrom: [{header('A', 'ConfigMap')}]}}", (("A", "value of k"),), id="a ConfigMap"
        ),
        pytest.param(
            f"{{{URL}, headersFrom: [{header('A', 'Secret', 's')}]}}",
            (("A", SecretKeyRef("s", "k")),),
            id="a Secret stays a reference",
        ),
        pytest.param(
            f"{{{URL}, headersFrom: [{header('B', 'Secret', 's')}, {{name: A, value: x}}]}}",
            (("B", SecretKeyRef("s", "k")), ("A", "x")),
            id="the manifest's order",
        ),
    ],
)
def test_headers_are_looked_up(spec: str, headers: tuple[tuple[str, object], ...]) -> None:
    found, faults = resolve(spec)
    assert faults == []
    assert found is not None
    assert found.headers == headers
    assert found.origin == "https://mcp.example.com:443"


def test_the_configmap_keys_that_were_used_are_known() -> None:
    found, _ = resolve(f"{{{URL}, headersFrom: [{header('A', 'ConfigMap')}, {header('B', 'Secret', 's')}]}}")
    assert found is not None
    assert found.used == (ConfigMapKeyRef("texts", "k"),)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        pytest.param(
            f"{{{URL}, headersFrom: [{{name: A, value: x}}, {header('B', 'ConfigMap', 'none')}]}}",
            [("ConfigMapNotFound", "spec.headersFrom[1].valueFrom.name")],
            id="a ConfigMap that is not there",
        ),
        pytest.param(
            f"{{{URL}, tls: {{caCertSecretRef: s, caCertSecretKey: k}}}}",
            [("VolumeRequired", "spec.tls.caCertSecretRef")],
            id="a CA certificate needs a volume",
        ),
        pytest.param(
            "{description: d, url: mcp.example.com/mcp}",
            [("InvalidSpec", "spec.url")],
            id="a URL without scheme",
        ),
        pytest.param(
            "{description: d, url: 'ftp://mcp.example.com'}",
            [("InvalidSpec", "spec.url")],
            id="another scheme",
        ),
        pytest.param(
            "{description: d, url: 'http://'}", [("InvalidSpec", "spec.url")], id="a URL without host"
        ),
        pytest.param(
            "{description: d, url: 'http://h:99999'}", [("InvalidSpec", "spec.url")], id="a port that is none"
        ),
        pytest.param(
            f"{{description: d, url: x, headersFrom: [{header('B', 'ConfigMap', 'none')}]}}",
            [("InvalidSpec", "spec.url"), ("ConfigMapNotFound", "spec.headersFrom[0].valueFrom.name")],
            id="every fault at once",
        ),
    ],
)
def test_what_a_runtime_cannot_use_is_a_fault_at_its_field(
    spec: str, expected: list[tuple[str, str]]
) -> None:
    found, faults = resolve(spec)
    assert found is None
    assert told(faults) == expected


def test_a_credential_s_variable_is_named_by_namespace_secret_and_key() -> None:
    """The digest is over the three names with NUL between them (facts 2.2), so that none are confused."""
    name = credential_name("team", SecretKeyRef("s", "k"))
    assert name == "KAGENT_CREDENTIAL_999298F4463E2BD9"
    others = [
        ("team", "s", "k2"),
        ("team", "s2", "k"),
        ("team2", "s", "k"),
        ("team", "sk", ""),
        ("teams", "", "k"),
    ]
    names = {credential_name(namespace, SecretKeyRef(secret, key)) for namespace, secret, key in others}
    assert len(names | {name}) == len(others) + 1


def test_each_secret_reference_becomes_a_variable_that_knows_its_field() -> None:
    headers = ", ".join(["{name: A, value: x}", header("B", "Secret", "s"), header("C", "Secret", "t")])
    found, _ = resolve(f"{{{URL}, headersFrom: [{headers}]}}")
    assert found is not None
    variables = credential_env(found)
    assert [variable.value for variable in variables] == [SecretKeyRef("s", "k"), SecretKeyRef("t", "k")]
    assert [field_text(variable.origin.field) for variable in variables if variable.origin] == [
        "spec.headersFrom[1].valueFrom",
        "spec.headersFrom[2].valueFrom",
    ]
