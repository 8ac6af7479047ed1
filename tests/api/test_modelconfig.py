"""The rules across a ModelConfig's fields, each with the place where it is told."""

from __future__ import annotations

import pytest

from tests.api.manifests import decode_text, yaml_manifest

PROVIDERS = {
    "OpenAI": "model: m\napiKeySecret: llm\napiKeySecretKey: token",
    "Anthropic": "provider: Anthropic\nmodel: m\napiKeySecret: llm\napiKeySecretKey: token",
    "AzureOpenAI": "provider: AzureOpenAI\nmodel: m\napiKeySecret: llm\napiKeySecretKey: token\n"
    "azureOpenAI: {azureEndpoint: 'https://h', apiVersion: '2024-10-21'}",
    "Ollama": "provider: Ollama\nmodel: m\nollama: {host: 'ollama.models:11434'}",
    "Gemini": "provider: Gemini\nmodel: m\napiKeySecret: llm\napiKeySecretKey: token",
    "GeminiVertexAI": "provider: GeminiVertexAI\nmodel: m\ngeminiVertexAI: {projectID: p, location: l}",
    "AnthropicVertexAI": "provider: AnthropicVertexAI\nmodel: m\n"
    "anthropicVertexAI: {projectID: p, location: l}",
    "Bedrock": "provider: Bedrock\nmodel: m\napiKeySecret: aws\nbedrock: {region: eu-central-1}",
    "SAPAICore": "provider: SAPAICore\nmodel: m\napiKeySecret: sap\nsapAICore: {baseUrl: 'https://h'}",
    "Foundry": "provider: Foundry\nmodel: m\napiKeySecret: llm\napiKeySecretKey: token\n"
    "foundry: {endpoint: 'https://h', deployment: d}",
}

DEFAULTS: dict[str, dict[str, object]] = {
    "OpenAI": {},
    "Bedrock": {"bedrock": {"region": "eu-central-1", "promptCaching": False, "cacheTTL": "5m"}},
    "SAPAICore": {"sapAICore": {"baseUrl": "https://h", "resourceGroup": "default"}},
    "Foundry": {"foundry": {"endpoint": "https://h", "deployment": "d", "apiVersion": "2024-10-21"}},
}

EXCHANGE = "openAI: {tokenExchange: {type: GDCHServiceAccount, gdchServiceAccount: {audience: a}}}"

BROKEN = {
    "no model": ("provider: OpenAI", "spec.model", 6),
    "unknown provider": ("model: m\nprovider: openai", "spec.provider", 8),
    "another provider's block": ("model: m\nanthropic: {}", "spec.anthropic", 8),
    "another provider's block where one is needed": (
        "model: m\nprovider: Bedrock\nopenAI: {}",
        "spec.openAI",
        9,
    ),
    "key without Secret": ("model: m\napiKeySecretKey: k", "spec.apiKeySecret", 6),
    "Secret without key": ("model: m\napiKeySecret: s", "spec.apiKeySecretKey", 6),
    "passthrough and Secret": (
        "model: m\napiKeyPassthrough: true\napiKeySecret: s\napiKeySecretKey: k",
        "spec",
        6,
    ),
    "passthrough for Gemini": (
        "model: m\nprovider: Gemini\napiKeyPassthrough: true",
        "spec.apiKeyPassthrough",
        9,
    ),
    "token exchange without Secret": (f"model: m\n{EXCHANGE}", "spec.apiKeySecret", 6),
    "token exchange and passthrough": (f"model: m\napiKeyPassthrough: true\n{EXCHANGE}", "spec", 6),
    "token exchange without account": (
        "model: m\napiKeySecret: s\napiKeySecretKey: k\n"
        "openAI:\n  tokenExchange:\n    type: GDCHServiceAccount",
        "spec.openAI.tokenExchange.gdchServiceAccount",
        11,
    ),
    "two limits": ("model: m\nopenAI: {maxTokens: 1, maxCompletionTokens: 1}", "spec.openAI", 8),
    "a limit of zero": ("model: m\nopenAI: {maxTokens: 0}", "spec.openAI.maxTokens", 8),
    "an integer that cannot be hashed": ("model: m\nopenAI: {seed: 9007199254740993}", "spec.openAI.seed", 8),
    "a free integer that cannot be hashed": (
        "model: m\nprovider: Bedrock\nbedrock:\n  region: r\n  additionalModelRequestFields:\n"
        "    a: [9007199254740993]",
        "spec.bedrock.additionalModelRequestFields.a[0]",
        12,
    ),
    "a temperature that is a number": ("model: m\nopenAI: {temperature: 0.5}", "spec.openAI.temperature", 8),
    "no endpoint": (
        "model: m\nprovider: Foundry\nfoundry:\n  deployment: d",
        "spec.foundry",
        9,
    ),
    "two endpoints": (
        "model: m\nprovider: Foundry\nfoundry:\n  deployment: d\n  endpoint: https://h\n"
        "  endpointFrom: {name: c, key: k}",
        "spec.foundry",
        9,
    ),
    "CA key without Secret": ("model: m\ntls:\n  caCertSecretKey: k", "spec.tls.caCertSecretRef", 8),
    "CA Secret without key": ("model: m\ntls:\n  caCertSecretRef: s", "spec.tls.caCertSecretKey", 8),
    "trust in nothing": ("model: m\ntls:\n  disableSystemCAs: true", "spec.tls.disableSystemCAs", 9),
    "address with a password": (
        "model: m\nopenAI:\n  baseUrl: https://user:word@h",
        "spec.openAI.baseUrl",
        9,
    ),
    "host with a password": (
        "model: m\nprovider: Ollama\nollama:\n  host: user:word@h:11434",
        "spec.ollama.host",
        10,
    ),
}

CROSSING = {
    "API key": ("model: m\napiKeySecret:\n  name: s\n  namespace: o", "spec.apiKeySecret.namespace", 10),
    "CA": (
        "model: m\ntls:\n  caCertSecretRef: {name: s, namespace: o}",
        "spec.tls.caCertSecretRef.namespace",
        9,
    ),
    "endpoint": (
        "model: m\nprovider: Foundry\nfoundry:\n  deployment: d\n"
        "  endpointFrom: {name: c, key: k, namespace: o}",
        "spec.foundry.endpointFrom.namespace",
        11,
    ),
}


@pytest.mark.parametrize("version", ["v1alpha2", "v1alpha3"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_minimal_config_of_each_provider_is_read(version: str, provider: str) -> None:
    inventory, told = decode_text(yaml_manifest(version, "ModelConfig", PROVIDERS[provider]))
    assert told == []
    config = inventory.model_configs["team", "subject"]
    assert (config.provider, config.model) == (provider, "m")
    assert config.spec["provider"] == provider
    for block, filled in DEFAULTS.get(provider, {}).items():
        assert config.spec[block] == filled


@pytest.mark.parametrize(("spec", "field", "line"), BROKEN.values(), ids=BROKEN)
def test_is_refused_once(spec: str, field: str, line: int) -> None:
    _, told = decode_text(yaml_manifest("v1alpha3", "ModelConfig", spec))
    places = [(item.reason.value, item.field, item.source.line if item.source else 0) for item in told]
    assert places == [("InvalidSpec", field, line)]


@pytest.mark.parametrize(("spec", "field", "line"), CROSSING.values(), ids=CROSSING)
def test_a_reference_stays_in_its_namespace(spec: str, field: str, line: int) -> None:
    _, told = decode_text(yaml_manifest("v1alpha3", "ModelConfig", spec))
    places = [(item.reason.value, item.field, item.source.line if item.source else 0) for item in told]
    assert places == [("CrossNamespaceReference", field, line)]


def test_only_v1alpha2_knows_the_maximal_effort() -> None:
    spec = "model: m\nopenAI: {reasoningEffort: max}"
    assert decode_text(yaml_manifest("v1alpha2", "ModelConfig", spec))[1] == []
    _, (told,) = decode_text(yaml_manifest("v1alpha3", "ModelConfig", spec))
    assert told.field == "spec.openAI.reasoningEffort"


def test_free_form_nulls_are_kept() -> None:
    settings = "{region: r, additionalModelRequestFields: {a: null}, guardrail: null}"
    spec = f"model: m\nprovider: Bedrock\nbedrock: {settings}"
    inventory, _ = decode_text(yaml_manifest("v1alpha3", "ModelConfig", spec))
    bedrock = inventory.model_configs["team", "subject"].spec["bedrock"]
    assert bedrock["additionalModelRequestFields"] == {"a": None}
    assert "guardrail" not in bedrock
