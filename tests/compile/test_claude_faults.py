"""What Claude Code cannot express or would lose: each at the authored field that asks for it."""

from __future__ import annotations

import pytest

from kagent_render.diagnostics.diagnostic import Severity
from tests.compile.boundaries import agent, template
from tests.compile.claude import ANTHROPIC, claude
from tests.manifests import model, server

SERVER = server("{description: d, url: 'https://h'}")
UNSUPPORTED, INVALID, PROVIDER = "CapabilityUnsupported", "NameInvalid", "ProviderUnsupported"
TEMPLATE, CONFIG, REMOTE = "AgentTemplate/lead", "ModelConfig/claude", "RemoteMCPServer/server"
Told = tuple[str, str, str]


def told(*texts: str, llm: str = ANTHROPIC) -> list[Told]:
    _, faults = claude(*texts, llm=llm)
    assert all(fault.is_error for fault in faults)
    return [(fault.reason.value, str(fault.object), fault.field or "") for fault in faults]


def mcp(*tools: str, name: str = "server") -> str:
    return f"{{mcp: {{server: {{kind: RemoteMCPServer, name: {name}}}, tools: [{', '.join(tools)}]}}}}"


def lead(*tools: str) -> str:
    return template("lead", f"tools: [{', '.join(tools)}]")


def far(name: str) -> str:
    return agent(name, "Dedicated", of="aide")


NAMES: dict[str, tuple[tuple[str, ...], Told]] = {
    "a server's name that is kept": (
        (lead(mcp("find", name="workspace")), server("{description: d, url: 'https://h'}", "workspace")),
        (INVALID, TEMPLATE, "spec.tools[0].mcp"),
    ),
    "a server whose name has no tools": (
        (lead(mcp("find", name="ide")), server("{description: d, url: 'https://h'}", "ide")),
        (INVALID, TEMPLATE, "spec.tools[0].mcp"),
    ),
    "a Dedicated agent's name that is kept": (
        (lead(far("Claude_Preview")), template("aide")),
        (INVALID, TEMPLATE, "spec.tools[0].agent.name"),
    ),
    "a Dedicated agent's name with two underscores": (
        (lead(far("a__b")), template("aide")),
        (INVALID, TEMPLATE, "spec.tools[0].agent.name"),
    ),
    "a Dedicated agent's name that ends in one": (
        (lead(far("a_")), template("aide")),
        (INVALID, TEMPLATE, "spec.tools[0].agent.name"),
    ),
    "a server and a Dedicated agent of one name": (
        (lead(mcp("find"), far("server")), SERVER, template("aide")),
        (INVALID, TEMPLATE, "spec.tools[1].agent"),
    ),
    "a tool's name that is changed": (
        (lead(mcp("find", "a.b")), SERVER),
        (INVALID, TEMPLATE, "spec.tools[0].mcp.tools[1]"),
    ),
    "a tool's name that reads as all of them": (
        (lead(mcp("'*'")), SERVER),
        (INVALID, TEMPLATE, "spec.tools[0].mcp.tools[0]"),
    ),
    "a tool's name that is too long": (
        (lead(mcp("t" * 116)), SERVER),
        (INVALID, TEMPLATE, "spec.tools[0].mcp.tools[0]"),
    ),
}


@pytest.mark.parametrize(("texts", "fault"), NAMES.values(), ids=NAMES)
def test_a_name_that_the_cli_would_lose_is_refused(texts: tuple[str, ...], fault: Told) -> None:
    assert told(*texts) == [fault]


def test_the_longest_name_of_a_tool_is_taken() -> None:
    assert told(lead(mcp("t" * 115)), SERVER) == []


SERVERS: dict[str, tuple[str, Told]] = {
    "an expansion in the address": ("url: 'https://h/${HOME}'", (UNSUPPORTED, REMOTE, "spec.url")),
    "an expansion in a header": (
        "url: 'https://h', headersFrom: [{name: X, value: 'a${HOME:-b}'}]",
        (UNSUPPORTED, REMOTE, "spec.headersFrom[0]"),
    ),
    "a header of several lines": (
        'url: "https://h", headersFrom: [{name: X, value: "a\\nY: b"}]',
        (UNSUPPORTED, REMOTE, "spec.headersFrom[0]"),
    ),
    "a header that is no ASCII": (
        "url: 'https://h', headersFrom: [{name: X, value: ü}]",
        (UNSUPPORTED, REMOTE, "spec.headersFrom[0]"),
    ),
    "a header with white space around it": (
        "url: 'https://h', headersFrom: [{name: X, value: ' a'}]",
        (UNSUPPORTED, REMOTE, "spec.headersFrom[0]"),
    ),
    "a header's name that is none": (
        "url: 'https://h', headersFrom: [{name: 'X Y', value: a}]",
        (UNSUPPORTED, REMOTE, "spec.headersFrom[0]"),
    ),
    "a header twice": (
        "url: 'https://h', headersFrom: [{name: X-A, value: a},"
        " {name: x-a, valueFrom: {type: Secret, name: s, key: k}}]",
        (UNSUPPORTED, REMOTE, "spec.headersFrom[1]"),
    ),
    "a header that the CLI sets": (
        "url: 'https://h', headersFrom: [{name: Content-Type, valueFrom: {type: Secret, name: s, key: k}}]",
        (UNSUPPORTED, REMOTE, "spec.headersFrom[0]"),
    ),
    "no verification": (
        "url: 'https://h', tls: {disableVerify: true}",
        (UNSUPPORTED, REMOTE, "spec.tls.disableVerify"),
    ),
}


@pytest.mark.parametrize(("spec", "fault"), SERVERS.values(), ids=SERVERS)
def test_what_a_server_cannot_be_is_refused(spec: str, fault: Told) -> None:
    assert told(lead(mcp("find")), server(f"{{description: d, {spec}}}")) == [fault]


@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ("timeout: 500ms", "spec.timeout"),
        ("sseReadTimeout: 5m", "spec.sseReadTimeout"),
        ("terminateOnClose: false", "spec.terminateOnClose"),
    ],
)
def test_a_setting_without_effect_is_told(spec: str, field: str) -> None:
    _, faults = claude(lead(mcp("find")), server(f"{{description: d, url: 'https://h', {spec}}}"))
    assert [(fault.reason.value, fault.field, fault.severity) for fault in faults] == [
        ("FieldIgnored", field, Severity.WARNING)
    ]


BEDROCK = "{provider: Bedrock, model: m, bedrock: {region: eu-central-1}}"
OPENAI = "{model: m, apiKeySecret: llm, apiKeySecretKey: token}"
MODELS: dict[str, tuple[str, Told]] = {
    "another provider": (OPENAI, (PROVIDER, TEMPLATE, "spec.modelConfig.name")),
    "an alias": (ANTHROPIC.replace("model: m", "model: Sonnet"), (PROVIDER, CONFIG, "spec.model")),
    "a suffix": (ANTHROPIC.replace("model: m", "model: 'm[1m]'"), (PROVIDER, CONFIG, "spec.model")),
    "a suffix in the middle": (
        ANTHROPIC.replace("model: m", "model: 'm[2M]x'"),
        (PROVIDER, CONFIG, "spec.model"),
    ),
    "white space": (ANTHROPIC.replace("model: m", "model: ' m'"), (PROVIDER, CONFIG, "spec.model")),
    "what JavaScript takes for white space": (
        ANTHROPIC.replace("model: m", 'model: "haiku\\ufeff"'),
        (PROVIDER, CONFIG, "spec.model"),
    ),
    "no name": (ANTHROPIC.replace("model: m", "model: ''"), (PROVIDER, CONFIG, "spec.model")),
    "no key": (
        "{provider: Anthropic, model: m}",
        ("CredentialUnsupported", CONFIG, "spec.apiKeySecret"),
    ),
    "a region of Bedrock that is none": (
        "{provider: Bedrock, model: m, bedrock: {region: l}}",
        (PROVIDER, CONFIG, "spec.bedrock.region"),
    ),
    "a location of Vertex that is none": (
        "{provider: AnthropicVertexAI, model: m, anthropicVertexAI: {projectID: p, location: l}}",
        (PROVIDER, CONFIG, "spec.anthropicVertexAI.location"),
    ),
    "a header that the CLI sets": (
        ANTHROPIC.replace("}", ", defaultHeaders: {Anthropic-Beta: b}}"),
        (UNSUPPORTED, CONFIG, "spec.defaultHeaders.Anthropic-Beta"),
    ),
    "a header in the place of the key": (
        ANTHROPIC.replace("}", ", defaultHeaders: {X-Api-Key: b}}"),
        (UNSUPPORTED, CONFIG, "spec.defaultHeaders.X-Api-Key"),
    ),
    "a header in the place of a cloud's credential": (
        "{provider: Bedrock, model: m, bedrock: {region: eu-west-1}, defaultHeaders: {Authorization: b}}",
        (UNSUPPORTED, CONFIG, "spec.defaultHeaders.Authorization"),
    ),
    "a header twice": (
        ANTHROPIC.replace("}", ", defaultHeaders: {X-A: a, x-a: b}}"),
        (UNSUPPORTED, CONFIG, "spec.defaultHeaders.x-a"),
    ),
    "a header of several lines": (
        ANTHROPIC.replace("}", ', defaultHeaders: {X: "a\\nb"}}'),
        (UNSUPPORTED, CONFIG, "spec.defaultHeaders.X"),
    ),
}


@pytest.mark.parametrize(("llm", "fault"), MODELS.values(), ids=MODELS)
def test_a_model_that_the_cli_cannot_call_as_written_is_refused(llm: str, fault: Told) -> None:
    assert told(lead(), llm=llm) == [fault]


@pytest.mark.parametrize(
    "llm",
    [
        pytest.param(
            "{provider: Anthropic, model: m, defaultHeaders: {Authorization: Bearer t}}", id="a header"
        ),
        pytest.param(BEDROCK, id="the machine's own"),
    ],
)
def test_a_credential_may_come_from_elsewhere(llm: str) -> None:
    assert told(lead(), llm=llm) == []


def test_a_provider_is_told_with_those_that_serve() -> None:
    _, (fault,) = claude(lead(), llm=OPENAI)
    assert "`claude` has the provider `OpenAI`" in fault.message
    assert fault.hint is not None
    assert "`Anthropic`, `AnthropicVertexAI` or `Bedrock`" in fault.hint


OTHERS: dict[str, tuple[str, str]] = {
    "another endpoint": (
        ANTHROPIC.replace("}", ", anthropic: {baseUrl: 'https://h'}}"),
        "CredentialUnsupported",
    ),
    "another key": (ANTHROPIC.replace("llm", "other"), "CredentialUnsupported"),
    "no key": ("{provider: Anthropic, model: m}", PROVIDER),
    "another provider": (BEDROCK, PROVIDER),
    "a limit of its own": (
        ANTHROPIC.replace("}", ", anthropic: {maxTokens: 9}}"),
        "CredentialUnsupported",
    ),
}


@pytest.mark.parametrize(("llm", "reason"), OTHERS.values(), ids=OTHERS)
def test_a_child_may_not_need_what_one_process_has_once(llm: str, reason: str) -> None:
    aide = template("aide").replace("{name: model}", "{name: other}")
    assert told(lead(agent("near", of="aide")), aide, model(llm, "other")) == [
        (reason, "AgentTemplate/aide", "spec.modelConfig.name")
    ]


@pytest.mark.parametrize("prompt", ["systemPrompt: ''", "systemPrompt: ' '"])
def test_a_root_without_a_prompt_would_be_the_cli_s_own_agent(prompt: str) -> None:
    assert told(template("lead", prompt=prompt)) == [(UNSUPPORTED, TEMPLATE, "spec.systemPrompt")]


@pytest.mark.parametrize("option", ["temperature: '0.5'", "topP: '0.5'", "topK: 3"])
def test_an_option_that_does_not_reach_the_model_is_refused(option: str) -> None:
    llm = ANTHROPIC.replace("}", f", anthropic: {{{option}}}}}")
    _, faults = claude(lead(), llm=llm, proven=False)
    assert [(fault.reason.value, str(fault.object)) for fault in faults] == [(UNSUPPORTED, CONFIG)]


def test_no_record_vouches_for_an_option_that_no_variable_can_say() -> None:
    llm = ANTHROPIC.replace("model: m,", "model: m, anthropic: {temperature: '0.5'},")
    _, faults = claude(template("lead"), llm=llm, proven=True)
    (fault,) = (fault for fault in faults if fault.is_error)
    assert (fault.reason.value, fault.field) == ("CapabilityUnsupported", "spec.anthropic.temperature")
    assert "no configuration of the `claude` runtime can say" in fault.message
