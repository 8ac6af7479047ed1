"""What one header of one host cannot be, and what no Secret may be: each at the field that asks for it."""

from __future__ import annotations

import dataclasses

import pytest

from kagent_render.api.hub import SecretKeyRef
from kagent_render.compile.mcp import credential_name
from kagent_render.diagnostics.diagnostic import Severity
from tests.compile.boundaries import POLICY, agent, template
from tests.compile.credentials import KEY, Told, bound
from tests.manifests import model, server

HOST = "https://h.example.com"
OPENAI = f"{{model: m, {KEY}, openAI: {{baseUrl: '{HOST}/v1'}}}}"
PASSING = f"{{model: m, apiKeyPassthrough: true, openAI: {{baseUrl: '{HOST}/v1'}}}}"
KEYLESS = f"{{model: m, openAI: {{baseUrl: '{HOST}/v1'}}}}"


def secret(name: str, of: str = "s", key: str = "k") -> str:
    return f"{{name: {name}, valueFrom: {{type: Secret, name: {of}, key: {key}}}}}"


def literal(name: str) -> str:
    return f"{{name: {name}, value: x}}"


def mcp(name: str) -> str:
    return f"{{mcp: {{server: {{kind: RemoteMCPServer, name: {name}}}, tools: [t-{name}]}}}}"


def remote(name: str, *headers: str, url: str = f"{HOST}/mcp") -> str:
    return server(f"{{description: d, url: '{url}', headersFrom: [{', '.join(headers)}]}}", name)


def lead(*names: str) -> str:
    return template("lead", f"tools: [{', '.join(mcp(name) for name in names)}]")


CONFIG_MAP = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: team, name: texts}\ndata: {language: de}\n"
)
FROM_CONFIG = "{name: x-a, valueFrom: {type: ConfigMap, name: texts, key: language}}"
A, B, LLM = "RemoteMCPServer/a", "RemoteMCPServer/b", "ModelConfig/chosen"
ONE = "headersFrom[0].valueFrom"

CONFLICTS: dict[str, tuple[str, tuple[str, ...], Told]] = {
    "another Secret": (
        "",
        (remote("a", secret("X-A")), remote("b", secret("x-a", "t"))),
        ("error", B, f"spec.{ONE}"),
    ),
    "another key of one Secret": (
        "",
        (remote("a", secret("X-A")), remote("b", secret("x-a", "s", "l"))),
        ("error", B, f"spec.{ONE}"),
    ),
    "another port of one host": (
        "",
        (remote("a", secret("X-A")), remote("b", secret("x-a", "t"), url=f"{HOST}:8443")),
        ("error", B, f"spec.{ONE}"),
    ),
    "another spelling of one host": (
        "",
        (remote("a", secret("X-A")), remote("b", secret("x-a", "t"), url="https://H.Example.com./mcp")),
        ("error", B, f"spec.{ONE}"),
    ),
    "twice in one server": (
        "",
        (remote("a", secret("X-A"), secret("X-A", "t")), remote("b")),
        ("error", A, "spec.headersFrom[1].valueFrom"),
    ),
    "another prefix": (
        OPENAI,
        (remote("a", secret("Authorization", "llm", "token")), remote("b")),
        ("error", A, f"spec.{ONE}"),
    ),
    "a literal of another server": (
        "",
        (remote("a", secret("x-a")), remote("b", literal("X-A"))),
        ("error", B, "spec.headersFrom[0]"),
    ),
    "a literal of an earlier server": (
        "",
        (remote("a", literal("x-a")), remote("b", secret("X-A"))),
        ("error", A, "spec.headersFrom[0]"),
    ),
    "a ConfigMap's value": (
        "",
        (remote("a", secret("X-A")), remote("b", FROM_CONFIG), CONFIG_MAP),
        ("error", B, "spec.headersFrom[0]"),
    ),
    "a literal of the same server": (
        "",
        (remote("a", secret("X-A"), literal("x-a")), remote("b")),
        ("error", A, "spec.headersFrom[1]"),
    ),
    "a header of every request to a model": (
        f"{{model: m, defaultHeaders: {{X-A: x}}, openAI: {{baseUrl: '{HOST}'}}}}",
        (remote("a", secret("x-a")), remote("b")),
        ("error", LLM, "spec.defaultHeaders.X-A"),
    ),
    "a model's own literal in the place of its key": (
        f"{{model: m, {KEY}, defaultHeaders: {{Authorization: x}}}}",
        (remote("a"), remote("b")),
        ("error", LLM, "spec.defaultHeaders.Authorization"),
    ),
    "keys of callers": (
        PASSING,
        (remote("a", secret("x-a")), remote("b")),
        ("error", LLM, "spec.apiKeyPassthrough"),
    ),
    "the same host without TLS": (
        "",
        (remote("a", secret("x-a")), remote("b", url="http://h.example.com:8080")),
        ("error", B, "spec.url"),
    ),
    "a model without TLS": (
        "{provider: Ollama, model: m, ollama: {host: h.example.com}}",
        (remote("a", secret("x-a")), remote("b")),
        ("error", LLM, "spec.ollama.host"),
    ),
    "a header of the connection": (
        "",
        (remote("a", secret("Host")), remote("b")),
        ("error", A, "spec.headersFrom[0].name"),
    ),
    "no header at all": (
        "",
        (remote("a", secret("'X A'")), remote("b")),
        ("error", A, "spec.headersFrom[0].name"),
    ),
    "a pseudo-header": (
        "",
        (remote("a", secret("':authority'")), remote("b")),
        ("error", A, "spec.headersFrom[0].name"),
    ),
    "a Secret that cannot be": (
        "",
        (remote("a", secret("X-A", "S/../t")), remote("b")),
        ("error", A, f"spec.{ONE}"),
    ),
    "a key that would leave its Secret": (
        "",
        (remote("a", secret("X-A", "s", "'..'")), remote("b")),
        ("error", A, f"spec.{ONE}"),
    ),
}


@pytest.mark.parametrize(("llm", "texts", "told"), CONFLICTS.values(), ids=CONFLICTS)
def test_a_header_of_a_host_has_one_value(llm: str, texts: tuple[str, ...], told: Told) -> None:
    assert bound(lead("a", "b"), *texts, llm=llm).told == [told]


def test_a_conflict_names_header_host_and_both_objects() -> None:
    (fault,) = bound(lead("a", "b"), remote("a", secret("X-A")), remote("b", secret("x-a", "t"))).faults
    assert fault.message == (
        "the egress gateway has one value for header `x-a` of `h.example.com`: RemoteMCPServer `b` wants key"
        " `k` of Secret `t`, and RemoteMCPServer `a` key `k` of Secret `s`"
    )


@pytest.mark.parametrize("name", [name for name in CONFLICTS if name.startswith(("a literal", "the same"))])
def test_every_conflict_names_both_objects(name: str) -> None:
    llm, texts, _ = CONFLICTS[name]
    (fault,) = bound(lead("a", "b"), *texts, llm=llm).faults
    assert "`h.example.com`" in fault.message
    assert "`x-a`" in fault.message
    assert fault.message.count("RemoteMCPServer `") == 2


def test_a_literal_key_of_the_harness_is_not_overwritten_by_a_server_s_secret() -> None:
    env = "[{name: OPENAI_API_KEY, value: x}]"
    found = bound(lead("a"), remote("a", secret("Authorization")), llm=KEYLESS, env=env)
    assert found.told == [("error", "Harness/runtime", "spec.env[0].value")]


def test_a_literal_of_the_harness_for_one_server_is_not_overwritten_by_another_s_secret() -> None:
    env = f"[{{name: {credential_name('team', SecretKeyRef('s', 'k'))}, value: x}}]"
    texts = (remote("a", secret("X-A")), remote("b", secret("x-a", "t")))
    assert bound(lead("a", "b"), *texts, env=env).told == [("error", "Harness/runtime", "spec.env[0].value")]


def test_two_secrets_of_one_variable_are_told_by_the_environment_alone() -> None:
    child = template("child").replace("{name: model}", "{name: second}")
    spec = OPENAI.replace("apiKeySecret: llm", "apiKeySecret: other").replace(HOST, "https://g.example.com")
    root = template("lead", f"tools: [{agent('child')}]")
    found = bound(root, child, model(spec, "second"), llm=OPENAI)
    assert found.faults == []
    assert found.texts == ["g.example.com authorization: Bearer <other/token> = OPENAI_API_KEY"]


@pytest.mark.parametrize(
    ("isolation", "url", "expected"),
    [
        ("Dedicated", "https://tools:9000/mcp", [("error", A, f"spec.{ONE}")]),
        ("Dedicated", "https://elsewhere/mcp", []),
        ("Shared", "https://tools:9000/mcp", []),
    ],
)
def test_no_secret_takes_the_place_of_the_token_for_dedicated_agents(
    isolation: str, url: str, expected: list[Told]
) -> None:
    root = template("lead", f"tools: [{mcp('a')}, {agent('child', isolation)}]")
    policy = dataclasses.replace(POLICY, tools_url="https://Tools:8085")
    found = bound(root, template("child"), remote("a", secret("X-A"), url=url), policy=policy)
    assert found.told == expected


def test_a_literal_elsewhere_is_left_alone() -> None:
    texts = (remote("a", secret("X-A")), remote("b", literal("x-a"), url="https://other.example.com"))
    found = bound(lead("a", "b"), *texts, llm=PASSING.replace(HOST, "https://llm.example.com"))
    assert found.faults == []


@pytest.mark.parametrize("count", [16, 17, 18])
def test_a_host_has_at_most_sixteen_headers(count: int) -> None:
    found = bound(lead("a"), remote("a", *(secret(f"X-{number:02}") for number in range(count))))
    expected = [("error", A, "spec.headersFrom[16].valueFrom")] if count > 16 else []
    assert found.told == expected
    assert len(found.bindings) == 16


def test_sixteen_are_counted_for_each_host() -> None:
    headers = [secret(f"X-{number}") for number in range(9)]
    texts = (remote("a", *headers), remote("b", *headers, url="https://other.example.com"))
    assert bound(lead("a", "b"), *texts).faults == []


@pytest.mark.parametrize(
    ("llm", "texts", "told"),
    [
        pytest.param(
            "", (remote("a", secret("X-A"), url="http://h"),), (A, f"spec.{ONE}"), id="an MCP server"
        ),
        pytest.param(
            OPENAI.replace("https", "http"), (remote("a"),), (LLM, "spec.apiKeySecret"), id="a model"
        ),
    ],
)
def test_a_secret_without_tls_is_a_warning(llm: str, texts: tuple[str, ...], told: tuple[str, str]) -> None:
    found = bound(lead("a"), *(text.replace("https://h.example.com", "http://g") for text in texts), llm=llm)
    assert found.told == [("warning", *told)]
    assert len(found.bindings) == 1


def test_an_error_takes_the_place_of_a_warning_at_the_same_field() -> None:
    texts = (remote("a", secret("X-A"), url="http://h"), remote("b", secret("x-a", "t"), url="http://h"))
    found = bound(lead("a", "b"), *texts)
    assert found.told == [("warning", A, f"spec.{ONE}"), ("error", B, f"spec.{ONE}")]


def test_an_address_is_left_to_the_check_of_egress() -> None:
    found = bound(lead("a"), remote("a", secret("X-A"), url="https://10.0.0.1/mcp"))
    assert (found.bindings, found.faults) == ((), [])


@pytest.mark.parametrize(
    "name",
    ["Connection", "Content-Length", "TE", "Transfer-Encoding", "Upgrade", "Proxy-Authorization", "Trailer"],
)
def test_a_header_of_the_connection_is_refused_by_name(name: str) -> None:
    (fault,) = bound(lead("a"), remote("a", secret(name))).faults
    assert f"`{name.lower()}`" in fault.message


def test_no_line_with_a_literal_is_shown() -> None:
    texts = (remote("a", secret("X-A")), remote("b", literal("x-a")))
    (fault,) = bound(lead("a", "b"), *texts).faults
    assert fault.sensitive
    assert fault.severity is Severity.ERROR
