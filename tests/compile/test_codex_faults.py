"""What Codex cannot do, and what it would leave out or change, told at the field that asks for it."""

from __future__ import annotations

import pytest

from kagent_render.api.hub import ArtifactSource, OciSource
from kagent_render.diagnostics.diagnostic import Severity
from tests.compile.boundaries import agent, skill, template
from tests.compile.codex import OPENAI, codex
from tests.manifests import model, server

LEAD = template("lead")
MCP = "{mcp: {server: {kind: RemoteMCPServer, name: server}, tools: [find]}}"
ASKING = template("lead", f"tools: [{MCP}]")
NEAR = template("lead", f"tools: [{agent('near', of='aide')}]")
REFERENCE = f"r.example/a@sha256:{'a' * 64}"
SKILL = f"skills: [{{name: one, source: {{oci: '{REFERENCE}'}}}}]"


def served(spec: str = "", name: str = "server") -> str:
    return server(f"{{description: d, url: 'https://h.example.com/mcp'{spec}}}", name)


def openai(spec: str = "", block: str = "") -> str:
    return f"{{model: m{spec}, openAI: {{apiFormat: responses{block}}}}}"


def aide(llm: str, spec: str = "", prompt: str = "systemPrompt: Help.") -> str:
    return template("aide", spec, prompt).replace("{name: model}", f"{{name: {llm}}}")


def header(entry: str) -> tuple[str, ...]:
    return ASKING, served(f", headersFrom: [{entry}]")


FAULTS = {
    "a provider that Codex has not": (
        (LEAD,), "{provider: Anthropic, model: m}",
        "ProviderUnsupported", "AgentTemplate/lead", "spec.modelConfig.name",
    ),
    "another API than Responses": (
        (LEAD,), "{model: m, openAI: {apiFormat: chatCompletions}}",
        "ProviderUnsupported", "ModelConfig/gpt", "spec.openAI.apiFormat",
    ),
    "no API at all": (
        (LEAD,), "{model: m}", "ProviderUnsupported", "ModelConfig/gpt", "spec.openAI.apiFormat",
    ),
    "an address with a query": (
        (LEAD,), openai(block=", baseUrl: 'https://h.example.com/v1?a=b'"),
        "ProviderUnsupported", "ModelConfig/gpt", "spec.openAI.baseUrl",
    ),
    "an organization that is no header": (
        (LEAD,), openai(block=', organization: "a\\n"'),
        "ProviderUnsupported", "ModelConfig/gpt", "spec.openAI.organization",
    ),
    "a Bedrock model that is no gpt": (
        (LEAD,), "{provider: Bedrock, model: anthropic.claude, bedrock: {region: us-east-1}}",
        "ProviderUnsupported", "ModelConfig/gpt", "spec.model",
    ),
    "a Bedrock region without the Responses API": (
        (LEAD,), "{provider: Bedrock, model: openai.gpt-5, bedrock: {region: ca-west-1}}",
        "ProviderUnsupported", "ModelConfig/gpt", "spec.bedrock.region",
    ),
    "a time-out of nothing": (
        (ASKING, served(", timeout: 0s")), openai(),
        "CapabilityUnsupported", "RemoteMCPServer/server", "spec.timeout",
    ),
    "a time-out for reading of nothing": (
        (ASKING, served(", sseReadTimeout: 1ns")), openai(),
        "CapabilityUnsupported", "RemoteMCPServer/server", "spec.sseReadTimeout",
    ),
    "a model header with a control character": (
        (LEAD,), openai(', defaultHeaders: {X-A: "a\\nb"}'),
        "CapabilityUnsupported", "ModelConfig/gpt", "spec.defaultHeaders.X-A",
    ),
    "a model header that breaks the connection": (
        (LEAD,), openai(", defaultHeaders: {Transfer-Encoding: chunked}"),
        "CapabilityUnsupported", "ModelConfig/gpt", "spec.defaultHeaders.Transfer-Encoding",
    ),
    "a model header with white space around it": (
        (LEAD,), openai(", defaultHeaders: {X-A: ' a'}"),
        "CapabilityUnsupported", "ModelConfig/gpt", "spec.defaultHeaders.X-A",
    ),
    "a model header twice": (
        (LEAD,), openai(", defaultHeaders: {X-A: a, x-a: b}"),
        "CapabilityUnsupported", "ModelConfig/gpt", "spec.defaultHeaders.x-a",
    ),
    "a model header that Codex sets": (
        (LEAD,), openai(", defaultHeaders: {authorization: Basic}"),
        "CapabilityUnsupported", "ModelConfig/gpt", "spec.defaultHeaders.authorization",
    ),
    "a model option": (
        (LEAD,), openai(block=', temperature: "0.5"'),
        "CapabilityUnsupported", "ModelConfig/gpt", "spec.openAI.temperature",
    ),
    "a Shared agent at another endpoint": (
        (NEAR, aide("other"), model(openai(block=", baseUrl: 'https://h.example.com'"), "other")), openai(),
        "ProviderUnsupported", "AgentTemplate/aide", "spec.modelConfig.name",
    ),
    "a Shared agent with other headers": (
        (NEAR, aide("other"), model(openai(", defaultHeaders: {X-A: a}"), "other")), openai(),
        "ProviderUnsupported", "AgentTemplate/aide", "spec.modelConfig.name",
    ),
    "a Shared agent without a key": (
        (NEAR, aide("other"), model(openai(), "other")), OPENAI,
        "ProviderUnsupported", "AgentTemplate/aide", "spec.modelConfig.name",
    ),
    "a Shared agent without the effort of its parent": (
        (NEAR, aide("other"), model(openai(), "other")), openai(block=", reasoningEffort: high"),
        "CapabilityUnsupported", "AgentTemplate/aide", "spec.modelConfig.name",
    ),
    "a Shared agent with a blank prompt": (
        (NEAR, aide("model", prompt='systemPrompt: " \\n"')), openai(),
        "CapabilityUnsupported", "AgentTemplate/aide", "spec.systemPrompt",
    ),
    "a Shared agent with a blank description": (
        (NEAR.replace("description: Helps.", "description: ' '"), aide("model")), openai(),
        "InvalidSpec", "AgentTemplate/lead", "spec.tools[0].agent.description",
    ),
    "a Shared agent with a tool of its own": (
        (NEAR, aide("model", f"tools: [{MCP}]"), served()), openai(),
        "CapabilityUnsupported", "AgentTemplate/aide", "spec.tools[0].mcp",
    ),
    "a Shared agent with fewer tools": (
        (template("lead", f"tools: [{MCP}, {agent('near', of='aide')}]"), aide("model"), served()), openai(),
        "CapabilityUnsupported", "AgentTemplate/lead", "spec.tools[1].agent",
    ),
    "a skill": (
        (template("lead", SKILL),), openai(),
        "CapabilityUnsupported", "AgentTemplate/lead", "spec.skills[0].name",
    ),
    "a server that speaks SSE": (
        (ASKING, served(", protocol: SSE")), openai(),
        "CapabilityUnsupported", "AgentTemplate/lead", "spec.tools[0].mcp",
    ),
    "a server with the name of Codex's own": (
        (ASKING.replace("name: server", "name: codex.apps"), served(name="codex.apps")), openai(),
        "NameInvalid", "AgentTemplate/lead", "spec.tools[0].mcp",
    ),
    "servers that the model sees as one": (
        (
            template("lead", f"tools: [{MCP.replace('server}', 'a-b}')}, {MCP.replace('server}', 'a.b}')}]"),
            served(name="a-b"), served(name="a.b"),
        ), openai(),
        "NameInvalid", "AgentTemplate/lead", "spec.tools[1].mcp",
    ),
    "tools that the model sees as one": (
        (ASKING.replace("[find]", "[a_b, a.b]"), served()), openai(),
        "NameInvalid", "AgentTemplate/lead", "spec.tools[0].mcp.tools[1]",
    ),
    "a tool with a long name": (
        (ASKING.replace("[find]", f"[{'t' * 116}]"), served()), openai(),
        "NameInvalid", "AgentTemplate/lead", "spec.tools[0].mcp.tools[0]",
    ),
    "a server with a long name": (
        (ASKING.replace("name: server", f"name: {'s' * 118}"), served(name="s" * 118)), openai(),
        "NameInvalid", "AgentTemplate/lead", "spec.tools[0].mcp.tools[0]",
    ),
    "a header name that is none": (
        header("{name: 'X A', value: v}"), openai(),
        "CapabilityUnsupported", "RemoteMCPServer/server", "spec.headersFrom[0]",
    ),
    "a header with white space around it": (
        header("{name: X-A, value: 'v '}"), openai(),
        "CapabilityUnsupported", "RemoteMCPServer/server", "spec.headersFrom[0]",
    ),
    "a header with a control character": (
        header('{name: X-A, value: "a\\nb"}'), openai(),
        "CapabilityUnsupported", "RemoteMCPServer/server", "spec.headersFrom[0]",
    ),
    "a header that reads as a variable": (
        header("{name: X-A, value: '$" + "{KAGENT_NAME}'}"), openai(),
        "CapabilityUnsupported", "RemoteMCPServer/server", "spec.headersFrom[0]",
    ),
    "a header that Codex sets, from a Secret": (
        header("{name: Accept, valueFrom: {type: Secret, name: s, key: k}}"), openai(),
        "CapabilityUnsupported", "RemoteMCPServer/server", "spec.headersFrom[0]",
    ),
    "a header twice": (
        header("{name: X-A, value: v}, {name: x-a, value: w}"), openai(),
        "CapabilityUnsupported", "RemoteMCPServer/server", "spec.headersFrom[1]",
    ),
    "certificates that are not verified": (
        (ASKING, served(", tls: {disableVerify: true}")), openai(),
        "CapabilityUnsupported", "RemoteMCPServer/server", "spec.tls.disableVerify",
    ),
}  # fmt: skip
WARNINGS = {
    "a tool that the model sees under another name": (
        (ASKING.replace("[find]", "[get-it]"), served()),
        "NameInvalid", "AgentTemplate/lead", "spec.tools[0].mcp.tools[0]",
    ),
    "a path that no MCPServer is called at": (
        (
            ASKING.replace("RemoteMCPServer", "MCPServer"),
            "apiVersion: kagent.dev/v1alpha1\nkind: MCPServer\nmetadata: {namespace: team, name: server}\n"
            "spec: {deployment: {image: i}, transportType: http, httpTransport: {path: /tools}}\n",
        ),
        "FieldIgnored", "MCPServer/server", "spec.httpTransport.path",
    ),
    "a session that stays": (
        (ASKING, served(", terminateOnClose: false")),
        "FieldIgnored", "RemoteMCPServer/server", "spec.terminateOnClose",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("texts", "llm", "reason", "told", "field"), FAULTS.values(), ids=FAULTS.keys())
def test_what_codex_would_lose_or_widen_is_an_error(
    texts: tuple[str, ...], llm: str, reason: str, told: str, field: str
) -> None:
    packages = {ArtifactSource(OciSource(REFERENCE)): skill("one")}
    _, faults = codex(*texts, llm=llm, packages=packages, proven=False)
    errors = [fault for fault in faults if fault.is_error]
    assert [(fault.reason.value, str(fault.object), fault.field) for fault in errors] == [
        (reason, told, field)
    ]


@pytest.mark.parametrize(("texts", "reason", "told", "field"), WARNINGS.values(), ids=WARNINGS.keys())
def test_what_codex_does_otherwise_without_harm_is_a_warning(
    texts: tuple[str, ...], reason: str, told: str, field: str
) -> None:
    _, faults = codex(*texts, proven=False)
    assert [(fault.severity, fault.reason.value, str(fault.object), fault.field) for fault in faults] == [
        (Severity.WARNING, reason, told, field)
    ]


@pytest.mark.parametrize(
    ("llm", "field"),
    [
        pytest.param(openai(block=", seed: 0"), "spec.openAI.seed", id="an option that is 0"),
        pytest.param(
            "{provider: Bedrock, model: openai.gpt-5, bedrock: {region: us-east-1}, apiKeySecret: aws,"
            " apiKeySecretKey: k}",
            "spec.apiKeySecretKey",
            id="the key of a Secret whose keys have names of their own",
        ),
    ],
)
def test_a_field_of_a_model_that_codex_is_not_told_is_a_warning(llm: str, field: str) -> None:
    _, faults = codex(LEAD, llm=llm, proven=False)
    assert ("FieldIgnored", field) in [(fault.reason.value, fault.field) for fault in faults]
    assert not [fault for fault in faults if fault.is_error]


def test_the_longest_name_of_a_tool_is_taken() -> None:
    assert codex(ASKING.replace("[find]", f"[{'t' * 115}]"), served(), proven=False)[1] == []


def test_what_the_api_server_s_defaults_wrote_is_not_told() -> None:
    spec = ", timeout: 30s, terminateOnClose: true, headersFrom: [{name: X-A, value: v}]"
    assert codex(ASKING, served(spec), proven=False)[1] == []
