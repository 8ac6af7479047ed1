"""The egress policy of a boundary: one rule for each origin, and hosts that no rule can name."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.api.hub import ArtifactSource, GitSource, OciSource, S3Source, SecretKeyRef
from kagent_render.compile.adapters.variants import adapter_of
from kagent_render.compile.credential_bindings import CredentialBinding
from kagent_render.compile.destination import Destination, destination_of, host_problem, is_address
from kagent_render.compile.egress_policy import check_egress, config_egress_problem, egress_rules
from kagent_render.compile.egress_uses import egress_uses, server_uses
from kagent_render.compile.origin import origin_of
from kagent_render.compile.policy import Policy
from kagent_render.target.template_rules import is_host_pattern
from tests.compile.boundaries import POLICY, Packages, agent, bundle, skill, template
from tests.compile.credentials import KEY, Told, bound, told
from tests.manifests import inventory, model, server

SECRET = SecretKeyRef("s", "k")


def binding(hostname: str, header: str, prefix: str = "") -> CredentialBinding:
    return CredentialBinding(hostname, header, prefix, ("TOKEN",), SECRET)


def test_an_origin_is_a_rule() -> None:
    origins = ("http://a.team:3000", "https://b.example.com:443")
    assert egress_rules("team", origins, ()) == [
        {"http": {"hostnames": ["a.team"], "ports": {"numbers": [3000]}}},
        {"https": {"hostnames": ["b.example.com"], "ports": {"numbers": [443]}}},
    ]


def test_bindings_go_by_host_and_stand_in_the_order_of_their_headers() -> None:
    origins = ("https://a:443", "https://a:8443", "https://b:443")
    bindings = (binding("a", "x-b"), binding("a", "authorization", "Bearer "), binding("c", "x-c"))
    headers = [
        {
            "header": "authorization",
            "prefix": "Bearer ",
            "credentialUri": "ate-secret://k8s.io/default/team/s/k",
        },
        {"header": "x-b", "credentialUri": "ate-secret://k8s.io/default/team/s/k"},
    ]
    first, second, third = egress_rules("team", origins, bindings)
    assert first["https"]["effects"] == second["https"]["effects"] == {"replaceHeaders": headers}
    assert "effects" not in third["https"]
    assert [list(header) for header in first["https"]["effects"]["replaceHeaders"]] == [
        ["header", "prefix", "credentialUri"],
        ["header", "credentialUri"],
    ]
    assert list(first["https"]) == ["hostnames", "ports", "effects"]


def test_a_host_without_tls_has_its_bindings_too() -> None:
    (rule,) = egress_rules("team", ("http://a:80",), (binding("a", "x-a"),))
    assert [header["header"] for header in rule["http"]["effects"]["replaceHeaders"]] == ["x-a"]


def test_one_host_in_two_spellings_is_one_rule() -> None:
    assert egress_rules("team", ("https://a.example.com.:443", "https://a.example.com:443"), ()) == [
        {"https": {"hostnames": ["a.example.com"], "ports": {"numbers": [443]}}}
    ]


_HOSTS = ["a.team", "b.example.com", "c"]
_ORIGINS = st.builds(
    "{}://{}{}:{}".format,
    st.sampled_from(["http", "https"]),
    st.sampled_from(_HOSTS),
    st.sampled_from(["", "."]),
    st.sampled_from([80, 443, 8080]),
)
_BINDINGS = st.builds(
    binding,
    st.sampled_from([*_HOSTS, "elsewhere"]),
    st.sampled_from(["authorization", "x-a", "x-b"]),
    st.sampled_from(["", "Bearer "]),
)


@given(
    st.lists(_ORIGINS, max_size=12),
    st.lists(_BINDINGS, max_size=6, unique_by=lambda found: (found.hostname, found.header)),
    st.randoms(use_true_random=False),
)
def test_the_order_of_origins_and_bindings_never_matters(
    origins: list[str], bindings: list[CredentialBinding], random: Random
) -> None:
    rules = egress_rules("team", tuple(origins), tuple(bindings))
    random.shuffle(origins)
    random.shuffle(bindings)
    assert egress_rules("team", tuple(origins), tuple(bindings)) == rules


@given(st.lists(_ORIGINS, max_size=12))
def test_no_two_rules_match_one_scheme_host_and_port(origins: list[str]) -> None:
    matched = [
        (scheme, hostname, port)
        for rule in egress_rules("team", tuple(origins), ())
        for scheme, body in rule.items()
        for hostname in body["hostnames"]
        for port in body["ports"]["numbers"]
    ]
    assert len(set(matched)) == len(matched)
    assert set(matched) == {(found.scheme, found.host, found.port) for found in map(destination_of, origins)}


LEAD = template("lead", "tools: [{mcp: {server: {kind: RemoteMCPServer, name: server}, tools: [t]}}]")


def remote(url: str, name: str = "server") -> str:
    return server(f"{{description: d, url: '{url}'}}", name)


def check(
    *texts: str,
    llm: str = "",
    policy: Policy = POLICY,
    packages: Packages | None = None,
    variant: str = "python",
) -> list[Told]:
    if llm:
        texts = (model(llm, "chosen"), *(text.replace("{name: model}", "{name: chosen}") for text in texts))
    found = bundle(*texts, policy=policy, packages=packages, variant=variant)
    return [told(fault) for fault in check_egress(found, adapter_of(found.harness.variant), policy)]


ADDRESSES = [
    "10.0.0.1",
    "127.0.0.1",
    "127.1",
    "127.0.1",
    "2130706433",
    "0x7f000001",
    "0X7F.1",
    "0x7f.0x0.0x0.0x1",
    "0177.0.0.1",
    "017700000001",
    "127.0.0.1.",
    "0",
    "0x",
    "1.2.3.4.5",
    "169.254.169.254",
    "[::1]",
    "[::]",
    "[2001:db8::1]",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[64:ff9b::a9fe:a9fe]",
    "[fe80::1%25eth0]",
    "[fe80::1%eth0]",
]
NO_NAMES = [
    "a_b.example.com",
    "_dmarc.example.com",
    "a..b",
    "a-.example.com",
    "-a",
    f"{'a' * 64}.example.com",
    "mcp.123",
    "mcp.123.",
    "mcp.0x7f",
]
NAMES = [
    "a.example.com",
    "a.example.com.",
    "A.Example.COM",
    "mcp.123.svc",
    "3com.example",
    "localhost",
    "xn--bcher-kva.example",
    "a.0x7f.example",
    f"{'a' * 63}.example.com",
]


@pytest.mark.parametrize("host", [*ADDRESSES, *NO_NAMES])
def test_what_is_no_dns_name_is_refused_where_it_is_written(host: str) -> None:
    for url in (f"https://{host}/mcp", f"http://{host}:8080"):
        if origin_of(url) is not None:  # what has no origin is refused as no address at all
            assert check(LEAD, remote(url)) == [("error", "RemoteMCPServer/server", "spec.url")]


@pytest.mark.parametrize("host", [host for host in ADDRESSES if host != "[fe80::1%eth0]"])
def test_an_address_is_called_one(host: str) -> None:
    origin = origin_of(f"https://{host}")
    assert origin is not None
    assert is_address(destination_of(origin).host)


@pytest.mark.parametrize("host", NAMES)
def test_a_dns_name_is_allowed(host: str) -> None:
    assert check(LEAD, remote(f"https://{host}/mcp")) == []
    assert config_egress_problem(f"https://{host}:8085") is None


@pytest.mark.parametrize("host", [*ADDRESSES, *NO_NAMES])
def test_an_address_of_renderconfig_is_judged_alike(host: str) -> None:
    assert config_egress_problem(f"https://{host}") is not None


@pytest.mark.parametrize("url", ["", "kagent-apply:8085", "ftp://a", "https://", "https://a:0"])
def test_what_is_no_address_of_renderconfig_is_told(url: str) -> None:
    assert config_egress_problem(url) is not None


def test_a_problem_shows_no_user_and_no_password() -> None:
    problem = config_egress_problem("https://user:word@10.0.0.1/path?token=t")
    assert problem == (
        "`10.0.0.1` is an IP address, and an egress policy allows hosts by their DNS names alone"
    )


@given(st.from_regex(r"[a-c0-2_.x-]{1,12}", fullmatch=True))
def test_what_is_not_refused_is_a_host_of_a_rule(text: str) -> None:
    origin = origin_of(f"https://{text}")
    host = destination_of(origin).host if origin is not None else "-"
    assert host_problem(host) is not None or is_host_pattern(host)


@given(st.ip_addresses())
def test_every_address_is_one(address: Any) -> None:
    assert host_problem(str(address)) is not None


IP = "http://10.0.0.1:8000"
MODELS: dict[str, tuple[str, str]] = {
    "OpenAI": (f"{{model: m, {KEY}, openAI: {{baseUrl: '{IP}'}}}}", "spec.openAI.baseUrl"),
    "Anthropic": (
        f"{{provider: Anthropic, model: m, {KEY}, anthropic: {{baseUrl: '{IP}'}}}}",
        "spec.anthropic.baseUrl",
    ),
    "AzureOpenAI": (
        f"{{provider: AzureOpenAI, model: m, {KEY}, azureOpenAI: {{azureEndpoint: '{IP}',"
        " apiVersion: '1'}}",
        "spec.azureOpenAI.azureEndpoint",
    ),
    "Ollama": (f"{{provider: Ollama, model: m, ollama: {{host: '{IP}'}}}}", "spec.ollama.host"),
    "Vertex": (
        f"{{provider: GeminiVertexAI, model: m, geminiVertexAI: {{projectID: p, location: {'a' * 63}}}}}",
        "spec.geminiVertexAI.location",
    ),
    "Foundry": (
        f"{{provider: Foundry, model: m, {KEY}, foundry: {{endpoint: '{IP}', deployment: d}}}}",
        "spec.foundry.endpoint",
    ),
    "Foundry's endpoint in a ConfigMap": (
        f"{{provider: Foundry, model: m, {KEY}, foundry: {{endpointFrom: {{name: c, key: k}},"
        " deployment: d}}",
        "spec.foundry.endpointFrom",
    ),
    "SAP's API": (
        f"{{provider: SAPAICore, model: m, sapAICore: {{baseUrl: '{IP}', authUrl: 'https://a'}}}}",
        "spec.sapAICore.baseUrl",
    ),
    "SAP's token": (
        f"{{provider: SAPAICore, model: m, sapAICore: {{baseUrl: 'https://a', authUrl: '{IP}'}}}}",
        "spec.sapAICore.authUrl",
    ),
    "SAP's both": (
        f"{{provider: SAPAICore, model: m, sapAICore: {{baseUrl: '{IP}', authUrl: '{IP}/token'}}}}",
        "spec.sapAICore.baseUrl",
    ),
}
ENDPOINT = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{namespace: team, name: c}}\ndata: {{k: '{IP}'}}\n"


@pytest.mark.parametrize(("llm", "field"), MODELS.values(), ids=MODELS)
def test_an_endpoint_is_told_at_its_field(llm: str, field: str) -> None:
    assert check(template("lead"), ENDPOINT, llm=llm) == [("error", "ModelConfig/chosen", field)]


def test_the_host_is_the_one_that_the_adapter_calls() -> None:
    llm = "{provider: Bedrock, model: openai.gpt-5.5, bedrock: {region: eu-west-1}}"
    found = bound(template("lead"), llm=llm, variant="codex").bundle
    (use,) = egress_uses(found, adapter_of(found.harness.variant))
    assert use.destination.host == "bedrock-mantle.eu-west-1.api.aws"
    assert use.named_by is not None
    assert use.named_by.field == ("spec", "bedrock", "region")


DIGEST = f"sha256:{'0' * 64}"
SOURCES: dict[str, tuple[ArtifactSource, str, str]] = {
    "Git": (
        ArtifactSource(GitSource(f"{IP}/a", "c" * 40)),
        f"git: {{url: '{IP}/a', commit: {'c' * 40}}}",
        "git.url",
    ),
    "OCI": (
        ArtifactSource(OciSource(f"10.0.0.1:5000/a@{DIGEST}")),
        f"oci: '10.0.0.1:5000/a@{DIGEST}'",
        "oci",
    ),
    "S3": (
        ArtifactSource(S3Source("b", "k.zip", "v", IP)),
        f"bucket: {{s3: {{bucket: b, key: k.zip, versionId: v, endpoint: '{IP}'}}}}",
        "bucket.s3.endpoint",
    ),
    "S3 at RenderConfig's endpoint": (
        ArtifactSource(S3Source("b", "k.zip", "v")),
        "bucket: {s3: {bucket: b, key: k.zip, versionId: v}}",
        "bucket.s3",
    ),
}


@pytest.mark.parametrize(("source", "text", "field"), SOURCES.values(), ids=SOURCES)
def test_a_source_is_told_at_its_field(source: ArtifactSource, text: str, field: str) -> None:
    lead = template("lead", f"skills:\n- name: find\n  source: {{{text}}}")
    policy = Policy("ateapi/v0.4", s3_endpoint=IP)
    found = check(lead, policy=policy, packages={source: skill("find")})
    assert found == [("error", "AgentTemplate/lead", f"spec.skills[0].source.{field}")]


def test_one_port_has_one_scheme_told_at_the_second() -> None:
    lead = LEAD.replace(
        "tools: [t]}}]", "tools: [t]}}, {mcp: {server: {kind: RemoteMCPServer, name: b}, tools: [u]}}]"
    )
    texts = (remote("https://h:8443"), remote("http://H.:8443", "b"))
    found = bundle(lead, *texts)
    (fault,) = check_egress(found, adapter_of(found.harness.variant), POLICY)
    assert told(fault) == ("error", "RemoteMCPServer/b", "spec.url")
    assert fault.message == (
        "RemoteMCPServer `b` calls port 8443 of `h` over `http`, and RemoteMCPServer `server` over `https`,"
        " which no egress policy allows together"
    )


def test_two_ports_may_have_two_schemes() -> None:
    lead = LEAD.replace(
        "tools: [t]}}]", "tools: [t]}}, {mcp: {server: {kind: RemoteMCPServer, name: b}, tools: [u]}}]"
    )
    assert check(lead, remote("https://h:8443"), remote("http://h:8080", "b")) == []


def test_the_controller_s_port_has_its_scheme_already() -> None:
    (fault,) = check(LEAD, remote("https://kagent-controller.kagent:8083"))
    assert fault == ("error", "RemoteMCPServer/server", "spec.url")


def test_a_dedicated_agent_brings_the_tools_address() -> None:
    policy = Policy("ateapi/v0.4", tools_url="https://kagent-controller.kagent:8083")
    lead = template("lead", f"tools: [{agent('far', 'Dedicated')}]")
    assert check(lead, template("far"), policy=policy) == [
        ("error", "AgentTemplate/lead", "spec.tools[0].agent")
    ]
    assert check(template("lead"), policy=policy) == []


def test_an_address_of_renderconfig_is_told_by_who_has_its_document() -> None:
    policy = Policy("ateapi/v0.4", tools_url="https://10.0.0.1:8085", controller_name="a_b")
    lead = template("lead", f"tools: [{agent('far', 'Dedicated')}]")
    assert check(lead, template("far"), policy=policy) == []
    assert config_egress_problem(policy.tools_url)
    assert config_egress_problem(policy.controller_url)


KMCP = (
    "apiVersion: kagent.dev/v1alpha1\nkind: MCPServer\nmetadata: {namespace: team, name: kmcp}\n"
    "spec: {deployment: {image: i, port: 3000}, transportType: http}\n"
)
LEAD_KMCP = LEAD.replace("kind: RemoteMCPServer, name: server", "kind: MCPServer, name: kmcp")


def test_a_server_of_the_cluster_is_allowed_by_its_service() -> None:
    assert check(LEAD_KMCP, KMCP) == []


def test_a_server_of_the_cluster_is_told_at_its_port() -> None:
    lead = LEAD_KMCP.replace("}}]", "}}, {mcp: {server: {kind: RemoteMCPServer, name: server}, tools: [u]}}]")
    assert check(lead, KMCP, remote("https://kmcp.team:3000")) == [
        ("error", "RemoteMCPServer/server", "spec.url")
    ]
    first = LEAD.replace("}}]", "}}, {mcp: {server: {kind: MCPServer, name: kmcp}, tools: [u]}}]")
    assert check(first, KMCP, remote("https://kmcp.team:3000")) == [
        ("error", "MCPServer/kmcp", "spec.deployment.port")
    ]


def test_a_server_of_the_cluster_has_its_host_by_its_name() -> None:
    text = KMCP.replace("namespace: team, name: kmcp", "namespace: '1', name: '0x7f'")
    (use,) = server_uses(inventory(text).mcp_servers["MCPServer", "1", "0x7f"])
    assert use.destination == Destination("http", "0x7f.1", 3000)
    assert host_problem(use.destination.host)
    assert use.named_by is not None
    assert use.named_by.field == ("metadata", "name")


def test_a_provider_without_an_address_is_told_as_a_whole() -> None:
    root = LEAD.replace("}}]", f"}}}}, {agent('child')}]")
    child = template("child").replace("{name: model}", "{name: gemini}")
    gemini = model(f"{{provider: Gemini, model: m, {KEY}}}", "gemini")
    clear = remote("http://generativelanguage.googleapis.com:443/mcp")
    assert check(root, child, gemini, clear) == [("error", "ModelConfig/gemini", "spec.provider")]


@pytest.mark.parametrize("count", [254, 255])
def test_a_policy_has_at_most_256_rules(count: int) -> None:
    names = [f"s{number:03}" for number in range(count - 1)]  # beside the controller's two and the model's
    parts = [names[start : start + 45] for start in range(0, len(names), 45)]
    children = [f"c{number}" for number in range(len(parts))]
    texts = [
        template(
            child,
            "tools: ["
            + ", ".join(
                f"{{mcp: {{server: {{kind: RemoteMCPServer, name: {name}}}, tools: [t]}}}}" for name in part
            )
            + "]",
        )
        for child, part in zip(children, parts, strict=True)
    ]
    lead = template("lead", f"tools: [{', '.join(agent(child) for child in children)}]")
    servers = [remote(f"https://{name}.example.com", name) for name in names]
    expected = [("error", f"RemoteMCPServer/{names[-1]}", "spec.url")] if count > 254 else []
    assert check(lead, *texts, *servers) == expected


def test_one_host_is_told_once_at_each_field() -> None:
    lead = LEAD.replace("tools: [t]}}]", f"tools: [t]}}}}, {agent('child')}]")
    child = LEAD.replace("name: lead", "name: child")
    assert check(lead, child, remote("http://10.0.0.1")) == [("error", "RemoteMCPServer/server", "spec.url")]


@pytest.mark.parametrize("variant", ["python", "claude", "codex"])
def test_a_boundary_has_a_rule_for_each_origin_and_each_binding(variant: str) -> None:
    llm = {
        "python": f"{{model: m, {KEY}}}",
        "claude": f"{{provider: Anthropic, model: m, {KEY}}}",
        "codex": f"{{model: m, {KEY}, openAI: {{apiFormat: responses}}}}",
    }[variant]
    header = "{name: X-A, valueFrom: {type: Secret, name: s, key: k}}"
    texts = server(f"{{description: d, url: 'https://h.example.com', headersFrom: [{header}]}}")
    found = bound(LEAD, texts, llm=llm, variant=variant)
    rules = egress_rules("team", found.bundle.egress, found.bindings)
    (kinds,) = {len(rule) for rule in rules}
    bodies = [rule.get("http") or rule["https"] for rule in rules]
    replaced = [
        (body["hostnames"][0], header["header"])
        for body in bodies
        for header in body.get("effects", {}).get("replaceHeaders", [])
    ]
    assert kinds == 1
    assert len(rules) == len(found.bundle.egress)
    assert sorted(replaced) == [(entry.hostname, entry.header) for entry in found.bindings]
