"""The model union of the ADK AgentConfig: keys and order as facts 3 states them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.api.providers import PROVIDER_BLOCKS
from kagent_render.compile.adapters.ignored_fields import ignored_model_fields
from kagent_render.compile.provider import Provider
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.compile.adapters.adapter import KeyHeaders
    from kagent_render.diagnostics.diagnostic import Diagnostic

KEY_HEADERS: KeyHeaders = {
    "OPENAI_API_KEY": (("authorization", "Bearer "),),
    # The first from version 2 of the client of Anthropic, the second before: kagent-adk takes either.
    "ANTHROPIC_API_KEY": (("authorization", "Bearer "), ("x-api-key", "")),
    "AZURE_OPENAI_API_KEY": (("api-key", ""),),
    "FOUNDRY_API_KEY": (("api-key", ""),),
    "GOOGLE_API_KEY": (("x-goog-api-key", ""),),
    "AWS_BEARER_TOKEN_BEDROCK": (("authorization", "Bearer "),),
}

_TYPES = {
    "OpenAI": "openai",
    "Anthropic": "anthropic",
    "AzureOpenAI": "azure_openai",
    "Ollama": "ollama",
    "Gemini": "gemini",
    "GeminiVertexAI": "gemini_vertex_ai",
    "AnthropicVertexAI": "gemini_anthropic",
    "Bedrock": "bedrock",
    "SAPAICore": "sap_ai_core",
    "Foundry": "foundry",
}

_FIELDS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    # provider: (key in the configuration, field of the block, kind)
    "OpenAI": (
        ("base_url", "baseUrl", "always"),
        ("frequency_penalty", "frequencyPenalty", "number"),
        ("max_tokens", "maxTokens", "value"),
        ("max_completion_tokens", "maxCompletionTokens", "value"),
        ("n", "n", "value"),
        ("presence_penalty", "presencePenalty", "number"),
        ("reasoning_effort", "reasoningEffort", "value"),
        ("seed", "seed", "value"),
        ("temperature", "temperature", "number"),
        ("timeout", "timeout", "value"),
        ("top_p", "topP", "number"),
        ("api_format", "apiFormat", "value"),
    ),
    "Anthropic": (
        ("base_url", "baseUrl", "value"),
        ("max_tokens", "maxTokens", "value"),
        ("temperature", "temperature", "number"),
        ("top_p", "topP", "number"),
        ("top_k", "topK", "value"),
        ("timeout", "timeout", "value"),
    ),
    "AzureOpenAI": (
        ("endpoint", "azureEndpoint", "value"),
        ("deployment", "azureDeployment", "value"),
        ("api_version", "apiVersion", "value"),
        ("max_tokens", "maxTokens", "value"),
        ("temperature", "temperature", "number"),
        ("top_p", "topP", "number"),
    ),
    "Ollama": (("options", "options", "value"),),
    "Gemini": (("max_output_tokens", "maxOutputTokens", "value"),),
    "GeminiVertexAI": (("max_output_tokens", "maxOutputTokens", "value"),),
    "AnthropicVertexAI": (),
    "Bedrock": (
        ("region", "region", "value"),
        ("additional_model_request_fields", "additionalModelRequestFields", "value"),
        ("prompt_caching", "promptCaching", "value"),
        ("cache_ttl", "cacheTTL", "value"),
        ("guardrail", "guardrail", "guardrail"),
        ("read_timeout", "readTimeout", "value"),
        ("connect_timeout", "connectTimeout", "value"),
    ),
    "SAPAICore": (
        ("base_url", "baseUrl", "always"),
        ("resource_group", "resourceGroup", "value"),
        ("auth_url", "authUrl", "value"),
    ),
    "Foundry": (
        ("endpoint", "endpoint", "always"),
        ("deployment", "deployment", "always"),
        ("api_version", "apiVersion", "always"),
    ),
}


_GUARDRAIL = ("identifier", "version", "trace")


def model_settings(provider: Provider) -> tuple[dict[str, Any], list[Diagnostic]]:
    """The `model` object of an AgentConfig, a fault for each number that is none and each field not told."""
    model, block = provider.model, provider.block
    settings: dict[str, Any] = {"type": _TYPES[model.provider], "model": provider.model_name[0]}
    settings.update(_common(model.spec))
    fields = _FIELDS[model.provider]
    faults = list(ignored_model_fields(provider, {field for _, field, _ in fields}))
    for key, field, kind in fields:
        value = block.get(field)
        if kind == "always":
            settings[key] = value or (provider.endpoint if field == "endpoint" else "") or ""
        elif kind == "number" and value not in (None, ""):
            number = _number(value)
            if number is None:
                faults.append(_no_number(provider, field))
            settings[key] = number
        elif kind == "guardrail" and value:
            settings[key] = {name: value[name] for name in _GUARDRAIL if name in value}
        elif kind == "value" and value not in (None, "", 0, False, {}, []):
            settings[key] = _ordered(value)
    return settings, faults


def _ordered(value: Any) -> Any:
    """A value with the keys of its maps sorted, so that their order in a manifest does not show."""
    if isinstance(value, dict):
        return {key: _ordered(value[key]) for key in sorted(value)}
    return [_ordered(item) for item in value] if isinstance(value, list) else value


def _common(spec: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    if headers := spec.get("defaultHeaders"):
        yield "headers", dict(sorted(headers.items()))
    tls = spec.get("tls") or {}
    yield from tls_settings(bool(tls.get("disableVerify")), bool(tls.get("disableSystemCAs")))
    if spec.get("apiKeyPassthrough"):
        yield "api_key_passthrough", True


def tls_settings(disable_verify: bool, disable_system_cas: bool) -> Iterator[tuple[str, Any]]:
    """The three TLS keys together, or none where nothing departs from the defaults (facts 2.1)."""
    if disable_verify or disable_system_cas:
        yield "tls_insecure_skip_verify", disable_verify
        yield "tls_ca_cert_path", ""
        yield "tls_disable_system_cas", disable_system_cas


def _number(text: str) -> float | None:
    """A decimal number as Go's ParseFloat takes it, less its hexadecimal and infinite forms."""
    try:
        number = float(text) if text.isascii() and "_" not in text and text == text.strip() else None
    except ValueError:
        return None
    return number if number is not None and number - number == 0 else None


def _no_number(provider: Provider, field: str) -> Diagnostic:
    model = provider.model
    return model.document.fault(
        Reason.PROVIDER_UNSUPPORTED,
        ("spec", PROVIDER_BLOCKS[model.provider], field),
        f"`{field}` is not a decimal number",
        hint='write it as a quoted number such as `"0.7"`',
    )
