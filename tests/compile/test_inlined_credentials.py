"""Credentials that a manifest holds in clear although a reference is at hand: told, and never shown."""

from __future__ import annotations

import pytest

from kagent_render.api.decoding import decode
from kagent_render.compile.mcp import resolve_server
from kagent_render.diagnostics.diagnostic import Severity
from tests.manifests import documents, inventory, model, server, told

KEY = "sk-" + "Qw3rTy9x" * 4


@pytest.mark.parametrize(
    ("manifest", "field"),
    [
        (server(f"{{description: d, url: 'https://mcp.example.com/mcp?api_key={KEY}'}}"), "spec.url"),
        (
            server("{description: d, url: 'https://mcp.example.com/?access_token=h3Kd92LmQx71Zp0a'}"),
            "spec.url",
        ),
        (
            model(f"{{model: m, openAI: {{baseUrl: 'https://llm.example.com/v1?key={KEY}'}}}}"),
            "spec.openAI.baseUrl",
        ),
    ],
)
def test_a_credential_in_the_query_of_an_address_is_told(manifest: str, field: str) -> None:
    _, faults = decode(documents(manifest))
    assert told(faults) == [("CredentialLiteral", field)]
    assert faults[0].severity is Severity.WARNING
    assert faults[0].sensitive


@pytest.mark.parametrize("query", ["", "?", "?page=2", "?key=short", "?token=${TOKEN}"])
def test_an_ordinary_address_is_not(query: str) -> None:
    _, faults = decode(documents(server(f"{{description: d, url: 'https://mcp.example.com/mcp{query}'}}")))
    assert not faults


def test_a_header_that_a_config_map_gives_is_judged_by_its_value() -> None:
    headers = "headersFrom: [{name: Authorization, valueFrom: {type: ConfigMap, name: c, key: k}}]"
    found = inventory(server(f"{{description: d, url: 'https://mcp.example.com', {headers}}}"))
    subject = found.mcp_servers["RemoteMCPServer", "team", "server"]
    resolved, faults = resolve_server(subject, lambda *_: f"Bearer {KEY}")
    assert resolved is not None
    assert told(faults) == [("CredentialLiteral", "spec.headersFrom[0].valueFrom")]
    assert KEY not in faults[0].message
    assert resolve_server(subject, lambda *_: "Bearer of news")[1] == []
