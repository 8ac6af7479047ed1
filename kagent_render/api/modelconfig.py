"""ModelConfig with its ten providers, in `kagent.dev/v1alpha2` and `kagent.dev/v1alpha3`."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from kagent_render.api import hub
from kagent_render.api.addresses import Url
from kagent_render.api.modelconfig_rules import FOUNDRY_RULES, MODEL_CONFIG_RULES
from kagent_render.api.schema import (
    Block,
    Integer,
    Positive,
    Reference,
    Refers,
    Rule,
    Sensitive,
    at_most_one,
)
from kagent_render.api.tls import TlsConfig
from kagent_render.source.document import Document


class GdchServiceAccount(Block):
    """The service account that a token is exchanged for."""

    audience: str


class TokenExchange(Block):
    """How a credential becomes a token."""

    type: Literal["GDCHServiceAccount"]
    gdch_service_account: GdchServiceAccount | None = None

    rules = (
        Rule(
            "token exchange of type `GDCHServiceAccount` needs `gdchServiceAccount`",
            holds=lambda block: block["type"] != "GDCHServiceAccount" or "gdchServiceAccount" in block,
            reads=("type",),
            field=("gdchServiceAccount",),
            hint="set `gdchServiceAccount.audience`",
            cel="self.type != 'GDCHServiceAccount' || has(self.gdchServiceAccount)",
        ),
    )


class OpenAISettings(Block):
    """What both versions set for OpenAI and for what speaks its protocol."""

    base_url: Url | None = None
    organization: str | None = None
    temperature: str | None = None
    max_tokens: Positive | None = None
    max_completion_tokens: Positive | None = None
    top_p: str | None = None
    frequency_penalty: str | None = None
    presence_penalty: str | None = None
    seed: Integer | None = None
    n: Integer | None = None
    timeout: Integer | None = None
    api_format: Literal["chatCompletions", "responses"] = "chatCompletions"
    token_exchange: TokenExchange | None = None

    rules = (at_most_one("maxTokens", "maxCompletionTokens"),)


class OpenAI(OpenAISettings):
    """Settings of OpenAI in `v1alpha3`."""

    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None


class OpenAIV1alpha2(OpenAISettings):
    """Settings of OpenAI in `v1alpha2`."""

    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None


class Anthropic(Block):
    """Settings of Anthropic."""

    base_url: Url | None = None
    max_tokens: Integer | None = None
    temperature: str | None = None
    top_p: str | None = None
    top_k: Integer | None = None


class AzureOpenAI(Block):
    """Settings of Azure OpenAI."""

    azure_endpoint: Url
    api_version: str
    azure_deployment: str | None = None
    azure_ad_token: Annotated[str, Sensitive()] | None = None
    temperature: str | None = None
    max_tokens: Integer | None = None
    top_p: str | None = None


class Ollama(Block):
    """Settings of Ollama."""

    host: Url | None = None
    options: dict[str, str] | None = None


class Gemini(Block):
    """Settings of the Gemini API."""

    max_output_tokens: Positive | None = None


class GeminiVertexAI(Block):
    """Settings of Gemini on Vertex AI; the numbers are never read, so that any text passes."""

    project_id: Annotated[str, Field(alias="projectID")]
    location: str
    temperature: str | None = None
    top_p: str | None = None
    top_k: str | None = None
    stop_sequences: list[str] | None = None
    max_output_tokens: Positive | None = None
    candidate_count: Integer | None = None
    response_mime_type: str | None = None


class AnthropicVertexAI(Block):
    """Settings of Anthropic on Vertex AI; the numbers are never read, so that any text passes."""

    project_id: Annotated[str, Field(alias="projectID")]
    location: str
    temperature: str | None = None
    top_p: str | None = None
    top_k: str | None = None
    stop_sequences: list[str] | None = None
    max_tokens: Integer | None = None


class Guardrail(Block):
    """A guardrail of Bedrock."""

    identifier: Annotated[str, Field(min_length=1, max_length=2048)]
    version: Annotated[str, Field(min_length=1, max_length=8)]
    trace: Literal["disabled", "enabled", "enabled_full"] = "disabled"


class Bedrock(Block):
    """Settings of Bedrock."""

    region: str
    additional_model_request_fields: Any = None
    prompt_caching: bool = False
    cache_ttl: Annotated[Literal["5m", "1h"], Field(alias="cacheTTL")] = "5m"
    guardrail: Guardrail | None = None
    read_timeout: Positive | None = None
    connect_timeout: Positive | None = None


class SapAICore(Block):
    """Settings of SAP AI Core."""

    base_url: Url
    resource_group: str = "default"
    auth_url: Url | None = None


class EndpointKey(Reference):
    """A key of a ConfigMap of the same namespace that holds the endpoint."""

    name: str = ""
    key: str
    optional: bool | None = None


class Foundry(Block):
    """Settings of Azure AI Foundry."""

    endpoint: Url | None = None
    endpoint_from: EndpointKey | None = None
    deployment: str
    api_version: str = "2024-10-21"

    rules = FOUNDRY_RULES


class ModelSettings(Block):
    """What both versions set for a model and its provider."""

    model: str
    provider: Literal[
        "Anthropic",
        "OpenAI",
        "AzureOpenAI",
        "Ollama",
        "Gemini",
        "GeminiVertexAI",
        "AnthropicVertexAI",
        "Bedrock",
        "SAPAICore",
        "Foundry",
    ] = "OpenAI"
    api_key_secret: Annotated[str, Refers()] | None = None
    api_key_secret_key: str | None = None
    api_key_passthrough: bool | None = None
    default_headers: Annotated[dict[str, str], Sensitive()] | None = None
    tls: TlsConfig | None = None
    anthropic: Anthropic | None = None
    azure_open_ai: Annotated[AzureOpenAI | None, Field(alias="azureOpenAI")] = None
    ollama: Ollama | None = None
    gemini: Gemini | None = None
    gemini_vertex_ai: Annotated[GeminiVertexAI | None, Field(alias="geminiVertexAI")] = None
    anthropic_vertex_ai: Annotated[AnthropicVertexAI | None, Field(alias="anthropicVertexAI")] = None
    bedrock: Bedrock | None = None
    sap_ai_core: Annotated[SapAICore | None, Field(alias="sapAICore")] = None
    foundry: Foundry | None = None

    rules = MODEL_CONFIG_RULES


class ModelConfigSpec(ModelSettings):
    """A model and its provider in `v1alpha3`."""

    open_ai: Annotated[OpenAI | None, Field(alias="openAI")] = None


class ModelConfigSpecV1alpha2(ModelSettings):
    """A model and its provider in `v1alpha2`."""

    open_ai: Annotated[OpenAIV1alpha2 | None, Field(alias="openAI")] = None


def hub_model(document: Document, spec: Mapping[str, Any], model: ModelSettings) -> hub.ModelConfig:
    """The ModelConfig of a valid manifest."""
    return hub.ModelConfig(document.ref, spec, document, provider=model.provider, model=model.model)
