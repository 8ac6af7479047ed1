"""Model providers: environment, endpoint and settings of each, and what none of them can have."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_render.api.hub import ConfigMapKeyRef, ModelConfig, SecretKeyRef
from kagent_render.compile.adapters.python.model import model_settings
from kagent_render.compile.environment import EnvValue
from kagent_render.compile.provider import Provider, resolve_provider
from kagent_render.diagnostics.diagnostic import Diagnostic
from tests.manifests import inventory, model, told


def resolve(spec: str, *others: str) -> tuple[Provider | None, list[Diagnostic]]:
    found = inventory(model(spec), *others)

    def value(reference: ConfigMapKeyRef, _: ModelConfig) -> str | Diagnostic:
        return found.config_maps["team", reference.name].data[reference.key]

    return resolve_provider(
        found.model_configs["team", "model"], value, lambda name: found.secrets.get(("team", name))
    )


def env_of(provider: Provider | None) -> dict[str, EnvValue]:
    assert provider is not None
    return {variable.name: variable.value for variable in provider.env}


KEY = "apiKeySecret: llm, apiKeySecretKey: token"
TOKEN = SecretKeyRef("llm", "token")


@pytest.mark.parametrize(
    ("spec", "env", "origins", "settings"),
    [
        pytest.param(
            f"{{model: gpt-5-mini, {KEY}}}",
            {"OPENAI_API_KEY": TOKEN},
            ("https://api.openai.com:443",),
            {"type": "openai", "model": "gpt-5-mini", "base_url": ""},
            id="OpenAI is the default provider",
        ),
        pytest.param(
            f"{{provider: OpenAI, model: m, {KEY}, openAI: {{baseUrl: 'http://llm:8000/v1', organization: o,"
            " temperature: '0.7', topP: '1', maxTokens: 100, reasoningEffort: low}}",
            {"OPENAI_API_KEY": TOKEN, "OPENAI_ORGANIZATION": "o"},
            ("http://llm:8000",),
            {
                "type": "openai",
                "model": "m",
                "base_url": "http://llm:8000/v1",
                "max_tokens": 100,
                "reasoning_effort": "low",
                "temperature": 0.7,
                "top_p": 1.0,
                "api_format": "chatCompletions",
            },
            id="OpenAI with a base URL reaches only that",
        ),
        pytest.param(
            f"{{provider: Anthropic, model: claude-sonnet-4-5, {KEY}, anthropic: {{topK: 5}}}}",
            {"ANTHROPIC_API_KEY": TOKEN},
            ("https://api.anthropic.com:443",),
            {"type": "anthropic", "model": "claude-sonnet-4-5", "top_k": 5},
            id="Anthropic",
        ),
        pytest.param(
            f"{{provider: AzureOpenAI, model: gpt-4o, {KEY}, azureOpenAI: {{azureEndpoint: "
            "'https://acme.openai.azure.com', apiVersion: '2024-10-21', azureDeployment: gpt4o}}",
            {
                "AZURE_OPENAI_API_KEY": TOKEN,
                "OPENAI_API_VERSION": "2024-10-21",
                "AZURE_OPENAI_ENDPOINT": "https://acme.openai.azure.com",
            },
            ("https://acme.openai.azure.com:443",),
            {
                "type": "azure_openai",
                "model": "gpt4o",
                "endpoint": "https://acme.openai.azure.com",
                "deployment": "gpt4o",
                "api_version": "2024-10-21",
            },
            id="AzureOpenAI is called by its deployment",
        ),
        pytest.param(
            "{provider: Ollama, model: qwen3, ollama: {host: 'ollama.models:11434',"
            " options: {num_ctx: '8192'}}}",
            {"OLLAMA_API_BASE": "http://ollama.models:11434"},
            ("http://ollama.models:11434",),
            {"type": "ollama", "model": "qwen3", "options": {"num_ctx": "8192"}},
            id="Ollama without a scheme is http",
        ),
        pytest.param(
            f"{{provider: Gemini, model: g, {KEY}, gemini: {{maxOutputTokens: 9}}}}",
            {"GOOGLE_API_KEY": TOKEN},
            ("https://generativelanguage.googleapis.com:443",),
            {"type": "gemini", "model": "g", "max_output_tokens": 9},
            id="Gemini",
        ),
        pytest.param(
            "{provider: GeminiVertexAI, model: g, geminiVertexAI: {projectID: acme, location: europe-west1}}",
            {
                "GOOGLE_CLOUD_PROJECT": "acme",
                "GOOGLE_CLOUD_LOCATION": "europe-west1",
                "GOOGLE_GENAI_USE_VERTEXAI": "true",
            },
            ("https://europe-west1-aiplatform.googleapis.com:443",),
            {"type": "gemini_vertex_ai", "model": "g"},
            id="GeminiVertexAI",
        ),
        pytest.param(
            "{provider: AnthropicVertexAI, model: c, anthropicVertexAI: {projectID: acme, location: global}}",
            {"GOOGLE_CLOUD_PROJECT": "acme", "GOOGLE_CLOUD_LOCATION": "global"},
            ("https://aiplatform.googleapis.com:443",),
            {"type": "gemini_anthropic", "model": "c"},
            id="AnthropicVertexAI",
        ),
        pytest.param(
            "{provider: SAPAICore, model: m, apiKeySecret: sap, sapAICore: {baseUrl: "
            "'https://api.ai.example.com', authUrl: 'https://auth.example.com/oauth/token'}}",
            {
                "SAP_AI_CORE_CLIENT_ID": SecretKeyRef("sap", "client_id"),
                "SAP_AI_CORE_CLIENT_SECRET": SecretKeyRef("sap", "client_secret"),
            },
            ("https://api.ai.example.com:443", "https://auth.example.com:443"),
            {
                "type": "sap_ai_core",
                "model": "m",
                "base_url": "https://api.ai.example.com",
                "resource_group": "default",
                "auth_url": "https://auth.example.com/oauth/token",
            },
            id="SAPAICore has two origins",
        ),
        pytest.param(
            f"{{provider: Foundry, model: m, {KEY}, foundry: {{endpoint: 'https://f.example.com',"
            " deployment: d}}",
            {
                "FOUNDRY_API_KEY": TOKEN,
                "FOUNDRY_ENDPOINT": "https://f.example.com",
                "FOUNDRY_DEPLOYMENT": "d",
                "FOUNDRY_API_VERSION": "2024-10-21",
            },
            ("https://f.example.com:443",),
            {
                "type": "foundry",
                "model": "m",
                "endpoint": "https://f.example.com",
                "deployment": "d",
                "api_version": "2024-10-21",
            },
            id="Foundry",
        ),
        pytest.param(
            "{model: m, apiKeyPassthrough: true, defaultHeaders: {b: '2', a: '1'},"
            " tls: {disableVerify: true}}",
            {},
            ("https://api.openai.com:443",),
            {
                "type": "openai",
                "model": "m",
                "headers": {"a": "1", "b": "2"},
                "tls_insecure_skip_verify": True,
                "tls_ca_cert_path": "",
                "tls_disable_system_cas": False,
                "api_key_passthrough": True,
                "base_url": "",
            },
            id="passthrough has no credential, and TLS settings come together",
        ),
    ],
)
def test_each_provider_has_its_environment_origin_and_settings(
    spec: str, env: dict[str, EnvValue], origins: tuple[str, ...], settings: dict[str, Any]
) -> None:
    provider, faults = resolve(spec)
    assert not faults
    assert provider is not None
    assert env_of(provider) == env
    assert provider.origins == origins
    written, wrong = model_settings(provider)
    assert not wrong
    assert written == settings
    assert list(written) == list(settings), "the key order is the reference's"


SECRET = """\
apiVersion: v1
kind: Secret
metadata: {namespace: team, name: aws}
data: {%s}
"""
BEDROCK = "{provider: Bedrock, model: m, apiKeySecret: aws, bedrock: {region: eu-central-1}}"


@pytest.mark.parametrize(
    ("keys", "expected", "warned"),
    [
        (None, ["AWS_BEARER_TOKEN_BEDROCK"], True),
        (["AWS_BEARER_TOKEN_BEDROCK", "AWS_ACCESS_KEY_ID"], ["AWS_BEARER_TOKEN_BEDROCK"], False),
        (
            ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
            ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
            False,
        ),
        (
            ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
            ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
            False,
        ),
        (["unrelated"], ["AWS_BEARER_TOKEN_BEDROCK"], True),
    ],
)
def test_bedrock_reads_the_key_names_of_its_secret(
    keys: list[str] | None, expected: list[str], warned: bool
) -> None:
    others = [] if keys is None else [SECRET % ", ".join(f"{key}: czNjcmV0" for key in keys)]
    provider, faults = resolve(BEDROCK, *others)
    assert list(env_of(provider)) == ["AWS_REGION", *expected]
    assert told(faults) == ([("CredentialKeysUnknown", "spec.apiKeySecret")] if warned else [])
    assert not any(fault.is_error for fault in faults)


def test_foundry_takes_its_endpoint_from_a_config_map() -> None:
    config_map = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {namespace: team, name: f}\n"
        "data: {url: 'https://f.example.com'}\n"
    )
    provider, _ = resolve(
        "{provider: Foundry, model: m, foundry: {endpointFrom: {name: f, key: url}, deployment: d}}",
        config_map,
    )
    assert provider is not None
    assert provider.endpoint_key == ConfigMapKeyRef("f", "url")
    assert model_settings(provider)[0]["endpoint"] == "https://f.example.com"
    (variable,) = (variable for variable in provider.env if variable.name == "FOUNDRY_ENDPOINT")
    assert variable.value == "https://f.example.com"
    assert variable.origin is not None
    assert variable.origin.field == ("spec", "foundry", "endpointFrom")


@pytest.mark.parametrize(
    ("spec", "reason", "field"),
    [
        ("{provider: Bedrock, model: m}", "ProviderUnsupported", "spec.bedrock"),
        ("{provider: Ollama, model: m}", "ProviderUnsupported", "spec.ollama"),
        ("{provider: Gemini, model: m}", "CredentialUnsupported", "spec.apiKeySecret"),
        (
            f"{{provider: GeminiVertexAI, model: m, {KEY}, geminiVertexAI: {{projectID: p, location: l}}}}",
            "VolumeRequired",
            "spec.apiKeySecret",
        ),
        (
            "{model: m, tls: {caCertSecretRef: ca, caCertSecretKey: crt}}",
            "VolumeRequired",
            "spec.tls.caCertSecretRef",
        ),
        (
            f"{{model: m, {KEY}, openAI: {{tokenExchange: {{type: GDCHServiceAccount, "
            "gdchServiceAccount: {audience: a}}}}",
            "VolumeRequired",
            "spec.openAI.tokenExchange",
        ),
        (
            "{provider: AzureOpenAI, model: m, azureOpenAI: {azureEndpoint: 'https://a', apiVersion: v, "
            "azureAdToken: planted-token}}",
            "CredentialUnsupported",
            "spec.azureOpenAI.azureAdToken",
        ),
        (
            "{provider: AzureOpenAI, model: m, azureOpenAI: {azureEndpoint: acme.azure.com, apiVersion: v}}",
            "ProviderUnsupported",
            "spec.azureOpenAI.azureEndpoint",
        ),
    ],
)
def test_what_a_runtime_cannot_use_is_told_at_its_field(spec: str, reason: str, field: str) -> None:
    provider, faults = resolve(spec)
    assert provider is None
    assert told(faults) == [(reason, field)]
    assert "planted-token" not in faults[0].message + (faults[0].hint or "")


@pytest.mark.parametrize(
    "value", ["", "ftp://f.example.com", "https://f.example.com\\nhttps://g.example.com"]
)
def test_a_config_map_s_value_that_is_no_endpoint_is_told_where_it_is_taken_from(value: str) -> None:
    config_map = (
        f'apiVersion: v1\nkind: ConfigMap\nmetadata: {{namespace: team, name: f}}\ndata: {{url: "{value}"}}\n'
    )
    provider, faults = resolve(
        "{provider: Foundry, model: m, foundry: {endpointFrom: {name: f, key: url}, deployment: d}}",
        config_map,
    )
    assert provider is None
    assert told(faults) == [("ProviderUnsupported", "spec.foundry.endpointFrom")]


@pytest.mark.parametrize("place", ["", "x/y", "a@example.com/", "example.com#", "eu.west", "eu west"])
@pytest.mark.parametrize(
    ("spec", "field"),
    [
        ("{provider: Bedrock, model: m, bedrock: {region: 'PLACE'}}", "spec.bedrock.region"),
        (
            "{provider: GeminiVertexAI, model: m, geminiVertexAI: {projectID: p, location: 'PLACE'}}",
            "spec.geminiVertexAI.location",
        ),
        (
            "{provider: AnthropicVertexAI, model: m, anthropicVertexAI: {projectID: p, location: 'PLACE'}}",
            "spec.anthropicVertexAI.location",
        ),
    ],
)
def test_a_region_is_one_part_of_the_endpoint_s_host(spec: str, field: str, place: str) -> None:
    provider, faults = resolve(spec.replace("PLACE", place))
    assert provider is None
    assert told(faults) == [("ProviderUnsupported", field)]


@pytest.mark.parametrize("url", ["https://bücher.example/v1", "https://a:99999", "ftp://a", "a.b/v1"])
def test_an_address_that_cannot_be_called_is_told_for_what_it_is(url: str) -> None:
    _, (fault,) = resolve(f"{{model: m, openAI: {{baseUrl: '{url}'}}}}")
    assert fault.message == (
        "`baseUrl` gives no `http` or `https` address with a host and a port that can be called"
    )


@pytest.mark.parametrize("number", ["warm", "1_0", " 1", "0x1p3", "nan", "inf", "1e999"])
def test_a_setting_that_is_no_decimal_number_is_told(number: str) -> None:
    provider, _ = resolve(f"{{model: m, openAI: {{temperature: '{number}'}}}}")
    assert provider is not None
    assert told(model_settings(provider)[1]) == [("ProviderUnsupported", "spec.openAI.temperature")]
