"""Which Secret goes into which header of which host, for every provider as every runtime calls it."""

from __future__ import annotations

import itertools
import re

import pytest

from kagent_render.api.hub import SecretKeyRef
from kagent_render.compile.adapters.variants import adapter_of
from kagent_render.compile.credential_bindings import bind_credentials, credential_uri
from kagent_render.compile.destination import destination_of
from kagent_render.compile.mcp import credential_name
from tests.compile.boundaries import POLICY, agent, template
from tests.compile.credentials import KEY, bound
from tests.manifests import model, server

BEDROCK_SECRET = (
    "apiVersion: v1\nkind: Secret\nmetadata: {namespace: team, name: aws}\n"
    "stringData: {AWS_BEARER_TOKEN_BEDROCK: x}\n"
)
BEDROCK = "provider: Bedrock, apiKeySecret: aws, bedrock: {region: eu-central-1}"
RESPONSES = "openAI: {apiFormat: responses}"

PROVIDERS: dict[str, tuple[str, str, list[str]]] = {
    "OpenAI in python": (
        "python",
        f"{{model: m, {KEY}}}",
        ["api.openai.com authorization: Bearer <llm/token> = OPENAI_API_KEY"],
    ),
    "OpenAI in codex": (
        "codex",
        f"{{model: m, {KEY}, {RESPONSES}}}",
        ["api.openai.com authorization: Bearer <llm/token> = OPENAI_API_KEY"],
    ),
    "OpenAI at an address of its own, with an organization, which is no credential": (
        "python",
        f"{{model: m, {KEY}, openAI: {{baseUrl: 'https://LLM.example.com.:8443/v1', organization: o}}}}",
        ["llm.example.com authorization: Bearer <llm/token> = OPENAI_API_KEY"],
    ),
    "OpenAI without a key": ("python", "{model: m}", []),
    "OpenAI whose callers bring their keys": ("python", "{model: m, apiKeyPassthrough: true}", []),
    "Anthropic in python, whose client sends one header or the other": (
        "python",
        f"{{provider: Anthropic, model: m, {KEY}}}",
        [
            "api.anthropic.com authorization: Bearer <llm/token> = ANTHROPIC_API_KEY",
            "api.anthropic.com x-api-key: <llm/token> = ANTHROPIC_API_KEY",
        ],
    ),
    "Anthropic in claude": (
        "claude",
        f"{{provider: Anthropic, model: m, {KEY}}}",
        ["api.anthropic.com x-api-key: <llm/token> = ANTHROPIC_API_KEY"],
    ),
    "AzureOpenAI": (
        "python",
        f"{{provider: AzureOpenAI, model: m, {KEY}, azureOpenAI: {{azureEndpoint: 'https://a.azure.com',"
        " apiVersion: '1'}}",
        ["a.azure.com api-key: <llm/token> = AZURE_OPENAI_API_KEY"],
    ),
    "Foundry": (
        "python",
        f"{{provider: Foundry, model: m, {KEY}, foundry: {{endpoint: 'https://f.azure.com',"
        " deployment: d}}",
        ["f.azure.com api-key: <llm/token> = FOUNDRY_API_KEY"],
    ),
    "Gemini": (
        "python",
        f"{{provider: Gemini, model: m, {KEY}}}",
        ["generativelanguage.googleapis.com x-goog-api-key: <llm/token> = GOOGLE_API_KEY"],
    ),
    "Ollama": ("python", "{provider: Ollama, model: m, ollama: {host: 'ollama:11434'}}", []),
    "Bedrock in python": (
        "python",
        f"{{model: m, {BEDROCK}}}",
        [
            "bedrock-runtime.eu-central-1.amazonaws.com authorization: Bearer <aws/AWS_BEARER_TOKEN_BEDROCK>"
            " = AWS_BEARER_TOKEN_BEDROCK"
        ],
    ),
    "Bedrock whose callers bring their keys": (
        "python",
        "{provider: Bedrock, model: m, apiKeyPassthrough: true, bedrock: {region: eu-central-1}}",
        [],
    ),
    "Bedrock in claude": (
        "claude",
        f"{{model: m, {BEDROCK}}}",
        [
            "bedrock-runtime.eu-central-1.amazonaws.com authorization: Bearer <aws/AWS_BEARER_TOKEN_BEDROCK>"
            " = AWS_BEARER_TOKEN_BEDROCK"
        ],
    ),
    "Bedrock in codex, which calls another host": (
        "codex",
        f"{{model: openai.gpt-5.5, {BEDROCK}}}",
        [
            "bedrock-mantle.eu-central-1.api.aws authorization: Bearer <aws/AWS_BEARER_TOKEN_BEDROCK>"
            " = AWS_BEARER_TOKEN_BEDROCK"
        ],
    ),
}


@pytest.mark.parametrize(("variant", "llm", "bindings"), PROVIDERS.values(), ids=PROVIDERS)
def test_a_model_s_key_is_bound_as_the_runtime_sends_it(variant: str, llm: str, bindings: list[str]) -> None:
    found = bound(template("lead"), BEDROCK_SECRET, llm=llm, variant=variant)
    assert found.texts == bindings
    assert found.faults == []


UNBOUND: dict[str, tuple[str, str, list[tuple[str, str, str]]]] = {
    "SAP exchanges its keys for a token": (
        "python",
        "{provider: SAPAICore, model: m, apiKeySecret: sap, sapAICore: {baseUrl: 'https://a', authUrl: 'https://b'}}",
        [("error", "ModelConfig/chosen", "spec.apiKeySecret")],
    ),
    "Gemini on Vertex asks the machine": (
        "python",
        "{provider: GeminiVertexAI, model: m, geminiVertexAI: {projectID: p, location: eu}}",
        [("warning", "ModelConfig/chosen", "spec.provider")],
    ),
    "Anthropic on Vertex asks the machine": (
        "python",
        "{provider: AnthropicVertexAI, model: m, anthropicVertexAI: {projectID: p, location: eu}}",
        [("warning", "ModelConfig/chosen", "spec.provider")],
    ),
    "Anthropic on Vertex asks the machine in claude, too": (
        "claude",
        "{provider: AnthropicVertexAI, model: m, anthropicVertexAI: {projectID: p, location: eu}}",
        [("warning", "ModelConfig/chosen", "spec.provider")],
    ),
    "Bedrock without a Secret asks the machine": (
        "python",
        "{provider: Bedrock, model: m, bedrock: {region: eu-central-1}}",
        [("warning", "ModelConfig/chosen", "spec.apiKeySecret")],
    ),
}


@pytest.mark.parametrize(("variant", "llm", "told"), UNBOUND.values(), ids=UNBOUND)
def test_what_is_no_header_is_told_at_its_field(
    variant: str, llm: str, told: list[tuple[str, str, str]]
) -> None:
    found = bound(template("lead"), llm=llm, variant=variant)
    assert found.texts == []
    assert found.told == told


@pytest.mark.parametrize("keys", ["AWS_ACCESS_KEY_ID: x, AWS_SECRET_ACCESS_KEY: x"])
@pytest.mark.parametrize("session", ["", ", AWS_SESSION_TOKEN: x"])
@pytest.mark.parametrize("variant", ["python", "claude"])
def test_keys_that_sign_requests_are_refused_once(keys: str, session: str, variant: str) -> None:
    secret = BEDROCK_SECRET.replace("AWS_BEARER_TOKEN_BEDROCK: x", keys + session)
    found = bound(template("lead"), secret, llm=f"{{model: m, {BEDROCK}}}", variant=variant)
    assert found.texts == []
    assert found.told == [("error", "ModelConfig/chosen", "spec.apiKeySecret")]
    assert "AWS_BEARER_TOKEN_BEDROCK" in (found.faults[0].hint or "")


def header(name: str, secret: str = "s", key: str = "k") -> str:
    return f"{{name: {name}, valueFrom: {{type: Secret, name: {secret}, key: {key}}}}}"


def mcp(name: str = "server") -> str:
    return f"{{mcp: {{server: {{kind: RemoteMCPServer, name: {name}}}, tools: [t]}}}}"


def lead(*tools: str) -> str:
    return template("lead", f"tools: [{', '.join(tools)}]")


def remote(*headers: str, url: str = "https://mcp.example.com/mcp", name: str = "server") -> str:
    return server(f"{{description: d, url: '{url}', headersFrom: [{', '.join(headers)}]}}", name)


PREFIXES = {
    "python": "KAGENT_CREDENTIAL",
    "claude": "KAGENT_CLAUDE_MCP_CREDENTIAL",
    "codex": "KAGENT_CODEX_MCP_CREDENTIAL",
}
LLMS = {
    "python": f"{{model: m, {KEY}}}",
    "claude": f"{{provider: Anthropic, model: m, {KEY}}}",
    "codex": f"{{model: m, {KEY}, {RESPONSES}}}",
}


@pytest.mark.parametrize("variant", PREFIXES)
def test_a_server_s_headers_are_bound_whole_under_the_runtime_s_own_variables(variant: str) -> None:
    servers = remote(header("X-Token"), "{name: Accept-Language, value: de}", header("Authorization", "t"))
    found = bound(lead(mcp()), servers, llm=LLMS[variant], variant=variant)
    names = [credential_name("team", SecretKeyRef(secret, "k"), PREFIXES[variant]) for secret in ("t", "s")]
    assert found.faults == []
    assert [text for text in found.texts if text.startswith("mcp.")] == [
        f"mcp.example.com authorization: <t/k> = {names[0]}",
        f"mcp.example.com x-token: <s/k> = {names[1]}",
    ]
    given = {variable.name for variable in found.boundary.adapter.env}
    assert {variable for binding in found.bindings for variable in binding.variables} <= given


def test_every_secret_of_a_boundary_is_bound_or_told() -> None:
    children = [agent("a"), agent("b", of="b")]
    texts = (lead(mcp(), *children), template("a", f"tools: [{mcp('other')}]"), template("b"))
    found = bound(
        *texts,
        remote(header("X-Token")),
        remote(header("X-Token", "o"), name="other", url="https://other.example.com:8443/sse"),
        llm=f"{{model: m, {KEY}}}",
    )
    assert found.faults == []
    references = {variable.name for variable in found.boundary.credentials}
    assert {variable for binding in found.bindings for variable in binding.variables} == references


@pytest.mark.parametrize("variant", PREFIXES)
def test_what_a_literal_of_the_harness_replaces_binds_nothing(variant: str) -> None:
    name = "ANTHROPIC_API_KEY" if variant == "claude" else "OPENAI_API_KEY"
    found = bound(template("lead"), llm=LLMS[variant], variant=variant, env=f"[{{name: {name}, value: x}}]")
    assert found.texts == []
    assert found.faults == []


@pytest.mark.parametrize("name", ["EXTRA", "OPENAI_API_KEY"])
def test_a_secret_of_the_harness_is_refused(name: str) -> None:
    env = f"[{{name: LEVEL, value: x}}, {{name: {name}, credentialRef: {{name: s, key: k}}}}]"
    found = bound(template("lead"), llm=LLMS["python"], env=env)
    assert found.told == [("error", "Harness/runtime", "spec.env[1].credentialRef")]
    assert "apiKeySecret" in (found.faults[0].hint or "")
    assert f"`{name}`" in found.faults[0].message


@pytest.mark.parametrize("secret", ["", "apiKeySecret: aws,"])
def test_keys_of_the_harness_need_neither_secret_nor_machine(secret: str) -> None:
    llm = f"{{provider: Bedrock, model: m, {secret} bedrock: {{region: eu-central-1}}}}"
    keys = BEDROCK_SECRET.replace(
        "AWS_BEARER_TOKEN_BEDROCK: x", "AWS_ACCESS_KEY_ID: x, AWS_SECRET_ACCESS_KEY: x"
    )
    env = "[{name: AWS_ACCESS_KEY_ID, value: x}, {name: AWS_SECRET_ACCESS_KEY, value: x}]"
    found = bound(template("lead"), keys, llm=llm, env=env)
    assert (found.texts, found.faults) == ([], [])


def test_a_literal_of_the_harness_replaces_the_secret_of_a_server() -> None:
    name = credential_name("team", SecretKeyRef("s", "k"))
    found = bound(lead(mcp()), remote(header("X-Token")), env=f"[{{name: {name}, value: x}}]")
    assert (found.texts, found.faults) == ([], [])


def test_what_is_the_same_is_bound_once() -> None:
    texts = (lead(mcp(), agent("a")), template("a", f"tools: [{mcp('again')}, {mcp()}]"))
    servers = (remote(header("X-Token")), remote(header("x-token"), name="again"))
    found = bound(*texts, *servers, llm=LLMS["python"])
    assert found.faults == []
    assert [text.split(" =")[0] for text in found.texts] == [
        "api.openai.com authorization: Bearer <llm/token>",
        "mcp.example.com x-token: <s/k>",
    ]


def test_the_order_of_documents_tools_and_templates_never_matters() -> None:
    tools = [mcp(), mcp("again"), agent("a"), agent("b")]
    others = [
        template("a", f"tools: [{mcp('again')}]"),
        template("b", f"tools: [{mcp()}]").replace("{name: model}", "{name: second}"),
        model(LLMS["claude"], "second"),
        remote(header("X-Token"), header("A", "t")),
        remote(header("x-token"), name="again"),
    ]
    expected = bound(lead(*tools), *others, llm=LLMS["python"])
    assert len(expected.bindings) == 5
    for order in itertools.permutations(range(4)):
        shuffled = [*others[order[0] :], *others[: order[0]]]
        found = bound(lead(*(tools[place] for place in order)), *shuffled, llm=LLMS["python"])
        assert (found.bindings, found.faults) == (expected.bindings, [])


AZURE = (
    f"{{provider: AzureOpenAI, model: m, {KEY}, azureOpenAI: {{azureEndpoint: 'https://a.azure.com',"
    " apiVersion: '1'}}"
)
FOUNDRY = (
    f"{{provider: Foundry, model: m, {KEY}, foundry: {{endpoint: 'https://a.azure.com', deployment: d}}}}"
)


@pytest.mark.parametrize("variant", ["claude", "codex"])
@pytest.mark.parametrize("llm", [AZURE, FOUNDRY])
def test_nothing_is_said_of_the_key_of_a_model_that_a_runtime_cannot_call(variant: str, llm: str) -> None:
    found = bound(template("lead"), llm=llm, variant=variant)
    assert (found.texts, found.faults) == ([], [])


def test_two_variables_of_one_secret_share_a_header_whatever_the_order() -> None:
    def of(first: str, second: str) -> list[str]:
        child = template("child").replace("{name: model}", "{name: second}")
        found = bound(lead(agent("child")), child, model(second, "second"), llm=first)
        assert found.faults == []
        return found.texts

    expected = ["a.azure.com api-key: <llm/token> = AZURE_OPENAI_API_KEY, FOUNDRY_API_KEY"]
    assert of(AZURE, FOUNDRY) == expected
    assert of(FOUNDRY, AZURE) == expected


@pytest.mark.parametrize("variant", PREFIXES)
def test_every_bound_host_is_contacted(variant: str) -> None:
    found = bound(lead(mcp()), remote(header("X-Token")), llm=LLMS[variant], variant=variant)
    hosts = {destination_of(origin).host for origin in found.bundle.egress}
    assert {binding.hostname for binding in found.bindings} <= hosts


def test_binding_what_is_bound_changes_nothing() -> None:
    found = bound(lead(mcp()), remote(header("X-Token"), header("A")), llm=LLMS["python"])
    adapter = adapter_of(found.bundle.harness.variant)
    again = bind_credentials(found.bundle, adapter, found.boundary.env + found.boundary.env, POLICY)
    assert again == (found.bindings, found.faults)


def test_no_value_of_a_secret_is_known() -> None:
    secret = (
        "apiVersion: v1\nkind: Secret\nmetadata: {namespace: team, name: llm}\nstringData: {token: sesame}\n"
    )
    found = bound(lead(mcp()), secret, remote(header("X-Token", "llm", "token")), llm=LLMS["python"])
    assert found.bindings
    assert "sesame" not in repr((found.bindings, found.faults))


def test_a_secret_is_named_by_a_uri() -> None:
    assert (
        credential_uri("team", SecretKeyRef("my.secret", "A_key-1.x"))
        == "ate-secret://k8s.io/default/team/my.secret/A_key-1.x"
    )


NO_NAMES = [
    ("team/other", "s", "k"),
    ("", "s", "k"),
    ("team", "s/../../other/s", "k"),
    ("team", "..", "k"),
    ("team", "S", "k"),
    ("team", "", "k"),
    ("team", "s" * 254, "k"),
    ("team", "s", "../s2/k"),
    ("team", "s", "."),
    ("team", "s", ".."),
    ("team", "s", "..k"),
    ("team", "s", "k%2Fx"),
    ("team", "s", "k?x"),
    ("team", "s", "k#x"),
    ("team", "s", "k\n"),
    ("team", "s", "ü"),
    ("team", "s", ""),
    ("team", "s", "k" * 254),
]


@pytest.mark.parametrize(("namespace", "name", "key"), NO_NAMES)
def test_what_no_secret_is_called_gives_no_uri(namespace: str, name: str, key: str) -> None:
    with pytest.raises(ValueError, match="no Secret"):
        credential_uri(namespace, SecretKeyRef(name, key))


def test_a_uri_needs_no_escapes() -> None:
    uri = credential_uri("team", SecretKeyRef("a-b.c", "-._aZ09"))
    assert re.fullmatch(r"ate-secret://[A-Za-z0-9._/-]+", uri)
    assert uri.count("/") == 6
