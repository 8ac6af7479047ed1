"""The `python` adapter: keys, order and values of the AgentConfig (facts 3), and the private card."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import pytest

from kagent_render.api.hub import ArtifactSource, GitSource, OciSource, S3Source, SecretKeyRef
from kagent_render.compile.adapters.adapter import CARD_VARIABLE, CONFIG_VARIABLE
from kagent_render.compile.boundary import compile_boundary
from tests.compile.boundaries import (
    POLICY,
    Packages,
    agent,
    bundle,
    compiled,
    documents_of,
    env_of,
    record,
    skill,
    template,
)
from tests.manifests import model, server, told

MODEL_SETTINGS = {"type": "ollama", "model": "llm"}


def config(*texts: str, **options: Any) -> dict[str, Any]:
    """The AgentConfig of a boundary that has no faults."""
    boundary, faults = compiled(*texts, **options)
    assert faults == []
    found: dict[str, Any] = documents_of(boundary)[CONFIG_VARIABLE]
    return found


def test_the_smallest_configuration_has_these_keys_in_this_order() -> None:
    found = config(template("lead-agent", "description: Leads.").replace("lead-agent", "lead"))
    assert list(found.items()) == [
        ("model", MODEL_SETTINGS),
        ("description", "Leads."),
        ("instruction", "Act."),
        ("stream", True),
        ("session_db_url", "sqlite+aiosqlite:////data/sessions.db"),
        ("name", "lead"),
    ]


def mcp(name: str, tools: str = "a, b") -> str:
    return f"{{mcp: {{server: {{kind: RemoteMCPServer, name: {name}}}, tools: [{tools}]}}}}"


def test_a_full_configuration_has_every_key_in_the_reference_s_order() -> None:
    source = ArtifactSource(OciSource("r.example/a@sha256:" + "0" * 64))
    lead = template(
        "lead",
        f"tools: [{mcp('plain')}, {mcp('events', 'c, d')}, {agent('near', of='x')}]\n"
        f"skills: [{{name: one, source: {{oci: '{source.origin.reference}'}}}}]",  # type: ignore[union-attr]
    )
    plain = server("{description: d, url: 'https://plain.example'}", "plain")
    events = server("{description: d, url: 'https://events.example', protocol: SSE}", "events")
    found = config(lead, template("x"), plain, events, packages={source: skill("one")})
    assert list(found) == [
        "model",
        "description",
        "instruction",
        "http_tools",
        "sse_tools",
        "stream",
        "agent_plugins",
        "session_db_url",
        "name",
        "sub_agents",
    ]
    assert [tool["params"]["url"] for tool in found["http_tools"]] == ["https://plain.example"]
    assert [tool["params"]["url"] for tool in found["sse_tools"]] == ["https://events.example"]
    assert found["sse_tools"][0]["tools"] == ["c", "d"]
    assert "terminate_on_close" not in found["sse_tools"][0]["params"]


@pytest.mark.parametrize(
    ("spec", "params"),
    [
        pytest.param(
            "url: 'https://h'",
            {
                "url": "https://h",
                "headers": {},
                "timeout": 30.0,
                "terminate_on_close": True,
            },
            id="defaults",
        ),
        pytest.param(
            "url: 'https://h', timeout: 90s, sseReadTimeout: 5m, terminateOnClose: false",
            {
                "url": "https://h",
                "headers": {},
                "timeout": 90.0,
                "sse_read_timeout": 300.0,
                "terminate_on_close": False,
            },
            id="every time-out",
        ),
        pytest.param(
            "url: 'https://h', tls: {disableVerify: true}",
            {
                "url": "https://h",
                "headers": {},
                "timeout": 30.0,
                "terminate_on_close": True,
                "tls_insecure_skip_verify": True,
                "tls_ca_cert_path": "",
                "tls_disable_system_cas": False,
            },
            id="TLS",
        ),
    ],
)
def test_a_server_s_connection_has_its_settings_in_order(spec: str, params: dict[str, Any]) -> None:
    found = config(template("lead", f"tools: [{mcp('server')}]"), server(f"{{description: d, {spec}}}"))
    assert list(found["http_tools"][0]["params"].items()) == list(params.items())


def test_headers_are_sorted_and_a_secret_is_a_placeholder_for_its_variable() -> None:
    headers = (
        "[{name: X-B, value: literal}, {name: Authorization, valueFrom: {type: Secret, name: s, key: k}}]"
    )
    lead = template("lead", f"tools: [{mcp('server')}]")
    boundary, faults = compiled(lead, server(f"{{description: d, url: 'https://h', headersFrom: {headers}}}"))
    assert faults == []
    name = "KAGENT_CREDENTIAL_999298F4463E2BD9"
    sent = documents_of(boundary)[CONFIG_VARIABLE]["http_tools"][0]["params"]["headers"]
    assert list(sent.items()) == [("Authorization", f"__KAGENT_ENV[{name}]__"), ("X-B", "literal")]
    assert env_of(boundary)[name] == SecretKeyRef("s", "k")


def test_a_dedicated_agent_is_one_loopback_server_with_the_tool_invoke() -> None:
    lead = template("lead", f"tools: [{agent('near', of='x')}]")
    near = template("x", f"tools: [{agent('far', 'Dedicated', of='aide')}]")
    found = config(lead, near, template("aide"))["sub_agents"][0]
    assert found["http_tools"] == [
        {
            "params": {
                "url": "http://127.0.0.1:8082/mcp/near/far",
                "headers": {},
                "timeout": 3600,
                "sse_read_timeout": 3600,
                "terminate_on_close": True,
            },
            "tools": ["invoke"],
        }
    ]


def test_only_a_boundary_that_calls_another_one_knows_the_tools_address() -> None:
    lead = template("lead", f"tools: [{agent('far', 'Dedicated', of='x')}]")
    assert "KAGENT_TOOLS_URL" in env_of(compiled(lead, template("x"))[0])
    assert "KAGENT_TOOLS_URL" not in env_of(compiled(lead, template("x"), path="far")[0])


def test_sub_agents_are_whole_configurations_with_names_that_are_identifiers() -> None:
    lead = template("lead", f"tools: [{agent('near-by', of='x', description='Bound.')}]")
    found = config(lead, template("x", prompt="systemPrompt: Obey."))["sub_agents"]
    assert found == [
        {
            "model": MODEL_SETTINGS,
            "description": "Bound.",
            "instruction": "Obey.",
            "stream": True,
            "session_db_url": "sqlite+aiosqlite:////data/sessions.db",
            "name": "near_by",
        }
    ]


SHA = "a" * 64
REFERENCE = f"r.example/a@sha256:{SHA}"
REMAINING: list[tuple[str, ArtifactSource, dict[str, Any]]] = [
    (f"oci: '{REFERENCE}'", ArtifactSource(OciSource(REFERENCE)), {"oci": REFERENCE}),
    (
        f"oci: '{REFERENCE}', path: a/b",
        ArtifactSource(OciSource(REFERENCE), "a/b"),
        {"oci": REFERENCE, "path": "a/b"},
    ),
    (
        "git: {url: 'https://g.example/a', commit: " + "c" * 40 + "}",
        ArtifactSource(GitSource("https://g.example/a", "c" * 40)),
        {"git": {"url": "https://g.example/a", "commit": "c" * 40}},
    ),
    (
        "bucket: {s3: {bucket: b, key: k.zip, versionId: v}}",
        ArtifactSource(S3Source("b", "k.zip", "v")),
        {
            "s3": {
                "endpoint": "https://s3.eu-1.amazonaws.com",
                "bucket": "b",
                "key": "k.zip",
                "versionId": "v",
                "region": "eu-1",
            }
        },
    ),
    (
        "bucket: {s3: {bucket: b, key: k.zip, versionId: v, endpoint: 'http://s3:9000', region: r}}",
        ArtifactSource(S3Source("b", "k.zip", "v", "http://s3:9000", "r")),
        {
            "s3": {
                "endpoint": "http://s3:9000",
                "bucket": "b",
                "key": "k.zip",
                "versionId": "v",
                "region": "r",
            }
        },
    ),
]


@pytest.mark.parametrize(
    ("spec", "source", "written"), REMAINING, ids=["OCI", "a path", "Git", "S3", "S3 elsewhere"]
)
def test_a_skill_is_told_with_its_source_and_its_digest(
    spec: str, source: ArtifactSource, written: dict[str, Any]
) -> None:
    packages: Packages = {source: skill("one")}
    policy = dataclasses.replace(POLICY, s3_region="eu-1")
    lead = template("lead", f"skills: [{{name: one, source: {{{spec}}}}}]")
    (found,) = config(lead, packages=packages, policy=policy)["agent_plugins"]["skills"]
    assert list(found) == ["name", "source", "sha256"]
    assert found["name"] == "one"
    assert json.dumps(found["source"]) == json.dumps(written)
    assert len(found["sha256"]) == 64


def test_the_card_is_private_to_the_actor() -> None:
    boundary, _ = compiled(template("lead", "description: Leads."))
    assert list(documents_of(boundary)[CARD_VARIABLE].items()) == [
        ("name", "lead"),
        ("description", "Leads."),
        (
            "supportedInterfaces",
            [{"url": "http://127.0.0.1:80", "protocolBinding": "GRPC", "protocolVersion": "1.0"}],
        ),
        ("version", "v1"),
        ("capabilities", {"streaming": True}),
        ("defaultInputModes", ["text"]),
        ("defaultOutputModes", ["text"]),
        ("skills", []),
    ]


def test_documents_are_compact_and_escape_nothing_for_html() -> None:
    boundary, _ = compiled(template("lead", prompt='systemPrompt: "<a> & ü \\u2028"'))
    text = str(boundary.env[-2].value)
    assert '"instruction":"<a> & ü \u2028"' in text
    assert ", " not in text.replace("& ü", "")
    assert [variable.name for variable in boundary.env[-2:]] == [CONFIG_VARIABLE, CARD_VARIABLE]


def test_agents_of_one_boundary_may_not_need_two_keys_under_one_name() -> None:
    def keyed(name: str) -> str:
        return model(f"{{model: m, apiKeySecret: {name}, apiKeySecretKey: token}}", name)

    lead = template("lead", f"tools: [{agent('near', of='x')}]").replace("{name: model}", "{name: one}")
    near = template("x").replace("{name: model}", "{name: two}")
    _, faults = compiled(lead, near, keyed("one"), keyed("two"))
    assert [(fault.reason.value, str(fault.object), fault.field) for fault in faults] == [
        ("CredentialUnsupported", "AgentTemplate/x", "spec.modelConfig.name")
    ]
    apart = lead.replace("isolation: Shared", "isolation: Dedicated")
    assert compiled(apart, near, keyed("one"), keyed("two"))[1] == []


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("user", ["metadata.name"]),
        ("3scale-helper", ["metadata.name"]),
        ("lead.v2", []),
        ("users", []),
        ("class", []),
    ],
)
def test_a_root_has_a_name_with_which_the_adk_starts(name: str, fields: list[str]) -> None:
    found = bundle(template(name), name=name)
    _, faults = compile_boundary(found, record(), POLICY)
    assert told(faults) == [("NameInvalid", field) for field in fields]


def test_an_agent_is_named_by_its_binding_below_the_root() -> None:
    lead = template("lead", f"tools: [{agent('helper', of='user')}, {agent('critic', 'Dedicated', of='3d')}]")
    for path in ("", "critic"):
        assert compiled(lead, template("user"), template("3d"), path=path)[1] == []
