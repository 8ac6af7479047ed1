"""Which values of an AgentConfig kagent-adk 0.10.4 reads and uses; the rest it drops without a word.

A value that stands in no table below is read and used: another value makes another agent.
"""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import pytest

from kagent_render.api.hub import ArtifactSource, S3Source
from kagent_render.api.providers import PROVIDER_BLOCKS
from tests.compile.boundaries import skill
from tests.runtimes.adk.environment import answer_of
from tests.runtimes.adk.repository import agent, manifest, mcp, render, template
from tests.runtimes.environments import actor_environments
from tests.vendored import vendor_package

pytestmark = pytest.mark.server

_KEY = "apiKeySecret: llm, apiKeySecretKey: token"
_COMMON = "defaultHeaders: {X-A: a}, tls: {disableVerify: true}"
_SAMPLING = "temperature: '0.5', topP: '0.5'"
_SERVER = (
    "{{description: d, url: 'https://h', protocol: {}, timeout: 7s, sseReadTimeout: 9s,"
    " headersFrom: [{{name: X-A, value: a}}], tls: {{disableVerify: true}}}}"
)
_SOURCE = S3Source("content", "one.zip", "1", "https://s3.example.com", "eu-1")

MODELS = {
    "OpenAI": f"{_KEY}, openAI: {{baseUrl: 'https://h/v1', organization: o, {_SAMPLING}, maxTokens: 3,"
    " seed: 7, frequencyPenalty: '0.5', presencePenalty: '0.5', 'n': 2, timeout: 9, reasoningEffort: low,"
    " apiFormat: responses}",
    "Anthropic": f"{_KEY}, anthropic: {{baseUrl: 'https://h', maxTokens: 3, {_SAMPLING}, topK: 5}}",
    "AzureOpenAI": f"{_KEY}, azureOpenAI: {{azureEndpoint: 'https://h', apiVersion: v, azureDeployment: d,"
    f" {_SAMPLING}, maxTokens: 3}}",
    "Ollama": "ollama: {host: 'http://h', options: {num_ctx: '5'}}",
    "Gemini": f"{_KEY}, gemini: {{maxOutputTokens: 9}}",
    "GeminiVertexAI": "geminiVertexAI: {projectID: p, location: l, maxOutputTokens: 9}",
    "AnthropicVertexAI": "anthropicVertexAI: {projectID: p, location: l}",
    "Bedrock": "apiKeySecret: aws, bedrock: {region: r, additionalModelRequestFields: {a: 1}, cacheTTL: 1h,"
    " promptCaching: true, guardrail: {identifier: g, version: v}, readTimeout: 3, connectTimeout: 3}",
    "SAPAICore": "apiKeySecret: sap, sapAICore: {baseUrl: 'https://h', resourceGroup: g, authUrl: 'https://a'}",
    "Foundry": f"{_KEY}, foundry: {{endpoint: 'https://h', deployment: d, apiVersion: v}}",
}
"""Every setting of a provider that the `python` adapter writes."""

_TLS = {"model.tls_insecure_skip_verify", "model.tls_ca_cert_path", "model.tls_disable_system_cas"}
UNREAD: dict[str, set[str]] = {
    "Anthropic": {"model.max_tokens", "model.temperature", "model.top_p", "model.top_k"},
    "AzureOpenAI": {
        *("model.max_tokens", "model.temperature", "model.top_p"),
        *("model.endpoint", "model.deployment", "model.api_version"),  # its variables say these
    },
    "Bedrock": {"model.guardrail.identifier", "model.guardrail.version", "model.guardrail.trace"},
}
"""What kagent-adk has no key for; of every agent it ignores the name, too."""

UNUSED: dict[str, set[str]] = {
    "GeminiVertexAI": {"model.headers.X-A", *_TLS},
    "AnthropicVertexAI": {"model.headers.X-A", *_TLS},
    "Bedrock": {"model.region"},  # AWS_REGION says it
    "SAPAICore": {"model.headers.X-A"},
}
"""What kagent-adk reads and gives to no model."""


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What kagent-adk makes of a configuration for each provider, and of one that uses everything else."""
    root = tmp_path_factory.mktemp("root")
    vendor_package(root, ArtifactSource(_SOURCE), skill("one"))
    source = "bucket: {s3: {bucket: content, key: one.zip, versionId: '1', region: eu-1, endpoint: '%s'}}"
    models = {name: f"{{provider: {name}, model: m, {_COMMON}, {spec}}}" for name, spec in MODELS.items()}
    models["Passing"] = "{model: m, apiKeyPassthrough: true}"
    lead = template(
        "lead",
        *(mcp("http", "a"), mcp("sse", "b")),
        *(agent("child", "passing"), agent("far", "passing", "Dedicated")),
        model="passing",
        skills=f"{{name: one, source: {{{source % _SOURCE.endpoint}}}}}",
    )
    render(
        root,
        *(manifest("ModelConfig", name.lower(), spec) for name, spec in models.items()),
        *(template(name.lower(), model=name.lower()) for name in models),
        manifest("RemoteMCPServer", "http", _SERVER.format("STREAMABLE_HTTP")),
        manifest("RemoteMCPServer", "sse", _SERVER.format("SSE")),
        lead,
    )
    actors = actor_environments(root, defaultdict(str))
    names = [*models, "lead"]
    envs = [actors[f"{name.lower()}-runtime"] for name in names]
    question = [
        {"config": json.loads(env["KAGENT_CONFIG_JSON"]), "card": json.loads(env["KAGENT_AGENT_CARD_JSON"])}
        for env in envs
    ]
    answers = answer_of("reading.py", question, tmp_path_factory.mktemp("home"))
    return dict(zip(names, answers, strict=True))


def test_every_provider_is_looked_at() -> None:
    assert set(MODELS) == set(PROVIDER_BLOCKS)


@pytest.mark.parametrize("provider", [name for name in MODELS if name != "Foundry"])
def test_the_settings_of_a_provider_are_read_and_used_but_these(
    looked: dict[str, dict[str, Any]], provider: str
) -> None:
    found = looked[provider]
    assert not found["refused"]
    assert set(found["unread"]) == {"name", *UNREAD.get(provider, ())}
    assert set(found["unused"]) == UNUSED.get(provider, set())


def test_a_key_that_the_caller_brings_is_read_and_used(looked: dict[str, dict[str, Any]]) -> None:
    assert (looked["Passing"]["unread"], looked["Passing"]["unused"]) == (["name"], [])


def test_foundry_is_refused(looked: dict[str, dict[str, Any]]) -> None:
    assert "Input tag 'foundry' found using 'type' does not match" in looked["Foundry"]["refused"]


def test_of_servers_everything_is_read_and_shared_agents_and_skills_are_not(
    looked: dict[str, dict[str, Any]],
) -> None:
    found = looked["lead"]
    roots = {path.split(".")[0] for path in found["unread"]}
    assert roots == {"name", "sub_agents", "agent_plugins"}
    assert {"sub_agents.0.instruction", "sub_agents.0.model.model"} <= set(found["unread"])
    assert {"agent_plugins.skills.0.name", "agent_plugins.skills.0.sha256"} <= set(found["unread"])
    assert {path.split(".", 2)[2] for path in found["unused"]} <= {
        # with `disableVerify` there is nothing left that these could say
        "params.tls_ca_cert_path",
        "params.tls_disable_system_cas",
    }


def test_the_private_card_lacks_what_a2a_before_1_0_needs(looked: dict[str, dict[str, Any]]) -> None:
    assert looked["lead"]["card"] == ["url"]
