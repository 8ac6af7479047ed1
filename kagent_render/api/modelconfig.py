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
    """The audience of the token."""


class TokenExchange(Block):
    """How a credential becomes a token."""

    type: Literal["GDCHServiceAccount"]
    """The kind of credential."""
    gdch_service_account: GdchServiceAccount | None = None
    """The service account of type `GDCHServiceAccount`."""

    rules = (
        Rule(
            "token exchange of type `GDCHServiceAccount` needs `gdchServiceAccount`",
            holds=lambda block: block["type"] != "GDCHServiceAccount" or "gdchServiceAccount" in block,
            reads=("type",),
            field=("gdchServiceAccount",),
            hint="set `gdchServiceAccount.audience`",
            cel="self.type != 'GDCHServiceAccount' || has(self.gdchServiceAccount)",
            schema={"required": ["gdchServiceAccount"]},
        ),
    )


class OpenAISettings(Block):
    """What both versions set for OpenAI and for what speaks its protocol."""

    base_url: Url | None = None
    """The API's address; OpenAI's own where it is left out."""
    organization: str | None = None
    """The organization that pays."""
    temperature: str | None = None
    """The sampling temperature, in quotes."""
    max_tokens: Positive | None = None
    """The most tokens of an answer; this, or `maxCompletionTokens`."""
    max_completion_tokens: Positive | None = None
    """The most tokens of an answer, thoughts included; this, or `maxTokens`."""
    top_p: str | None = None
    """Nucleus sampling, in quotes."""
    frequency_penalty: str | None = None
    """The penalty for frequent tokens, in quotes."""
    presence_penalty: str | None = None
    """The penalty for tokens that occurred, in quotes."""
    seed: Integer | None = None
    """A seed for sampling."""
    n: Integer | None = None
    """How many answers are made."""
    timeout: Integer | None = None
    """The time-out in seconds."""
    api_format: Literal["chatCompletions", "responses"] = "chatCompletions"
    """Which of OpenAI's APIs is spoken."""
    token_exchange: TokenExchange | None = None
    """How the credential becomes a token."""

    rules = (at_most_one("maxTokens", "maxCompletionTokens"),)


class OpenAI(OpenAISettings):
    """Settings of OpenAI in `v1alpha3`."""

    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh"] | None = None
    """How much the model reasons."""


class OpenAIV1alpha2(OpenAISettings):
    """Settings of OpenAI in `v1alpha2`."""

    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    """How much the model reasons."""


class Anthropic(Block):
    """Settings of Anthropic."""

    base_url: Url | None = None
    """The API's address; Anthropic's own where it is left out."""
    max_tokens: Integer | None = None
    """The most tokens of an answer."""
    temperature: str | None = None
    """The sampling temperature, in quotes."""
    top_p: str | None = None
    """Nucleus sampling, in quotes."""
    top_k: Integer | None = None
    """How many tokens are sampled from."""


class AzureOpenAI(Block):
    """Settings of Azure OpenAI."""

    azure_endpoint: Url
    """The resource's address."""
    api_version: str
    """The API's version."""
    azure_deployment: str | None = None
    """The deployment's name."""
    azure_ad_token: Annotated[str, Sensitive()] | None = None
    """A token as literal text, which no repository should hold."""
    temperature: str | None = None
    """The sampling temperature, in quotes."""
    max_tokens: Integer | None = None
    """The most tokens of an answer."""
    top_p: str | None = None
    """Nucleus sampling, in quotes."""


class Ollama(Block):
    """Settings of Ollama."""

    host: Url | None = None
    """The server's address."""
    options: dict[str, str] | None = None
    """Options of the model, as text."""


class Gemini(Block):
    """Settings of the Gemini API."""

    max_output_tokens: Positive | None = None
    """The most tokens of an answer."""


class GeminiVertexAI(Block):
    """Settings of Gemini on Vertex AI; the numbers are never read, so that any text passes."""

    project_id: Annotated[str, Field(alias="projectID")]
    """The Google Cloud project."""
    location: str
    """The location, such as `europe-west1`."""
    temperature: str | None = None
    """The sampling temperature, in quotes."""
    top_p: str | None = None
    """Nucleus sampling, in quotes."""
    top_k: str | None = None
    """How many tokens are sampled from, in quotes."""
    stop_sequences: list[str] | None = None
    """Texts that end an answer."""
    max_output_tokens: Positive | None = None
    """The most tokens of an answer."""
    candidate_count: Integer | None = None
    """How many answers are made."""
    response_mime_type: str | None = None
    """The media type of an answer."""


class AnthropicVertexAI(Block):
    """Settings of Anthropic on Vertex AI; the numbers are never read, so that any text passes."""

    project_id: Annotated[str, Field(alias="projectID")]
    """The Google Cloud project."""
    location: str
    """The location, such as `europe-west1`."""
    temperature: str | None = None
    """The sampling temperature, in quotes."""
    top_p: str | None = None
    """Nucleus sampling, in quotes."""
    top_k: str | None = None
    """How many tokens are sampled from, in quotes."""
    stop_sequences: list[str] | None = None
    """Texts that end an answer."""
    max_tokens: Integer | None = None
    """The most tokens of an answer."""


class Guardrail(Block):
    """A guardrail of Bedrock."""

    identifier: Annotated[str, Field(min_length=1, max_length=2048)]
    """The guardrail's identifier."""
    version: Annotated[str, Field(min_length=1, max_length=8)]
    """Its version."""
    trace: Literal["disabled", "enabled", "enabled_full"] = "disabled"
    """Whether its decisions are traced."""


class Bedrock(Block):
    """Settings of Bedrock."""

    region: str
    """The AWS region."""
    additional_model_request_fields: Any = None
    """Fields of the request that Bedrock hands to the model."""
    prompt_caching: bool = False
    """Whether prompts are cached."""
    cache_ttl: Annotated[Literal["5m", "1h"], Field(alias="cacheTTL")] = "5m"
    """How long prompts are cached."""
    guardrail: Guardrail | None = None
    """A guardrail for requests and answers."""
    read_timeout: Positive | None = None
    """How long an answer may take, in seconds."""
    connect_timeout: Positive | None = None
    """How long connecting may take, in seconds."""


class SapAICore(Block):
    """Settings of SAP AI Core."""

    base_url: Url
    """The API's address."""
    resource_group: str = "default"
    """The resource group."""
    auth_url: Url | None = None
    """Where tokens come from."""


class EndpointKey(Reference):
    """A key of a ConfigMap of the same namespace that holds the endpoint."""

    name: str = ""
    """The ConfigMap's name."""
    key: str
    """The key that holds the endpoint."""
    optional: bool | None = None
    """Whether the key may be missing."""


class Foundry(Block):
    """Settings of Azure AI Foundry."""

    endpoint: Url | None = None
    """The resource's address; this, or `endpointFrom`."""
    endpoint_from: EndpointKey | None = None
    """A ConfigMap's key that holds the address; this, or `endpoint`."""
    deployment: str
    """The deployment's name."""
    api_version: str = "2024-10-21"
    """The API's version."""

    rules = FOUNDRY_RULES


class ModelSettings(Block):
    """What both versions set for a model and its provider."""

    model: str
    """The model's name, as the provider has it."""
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
    """Who serves the model."""
    api_key_secret: Annotated[str, Refers()] | None = None
    """The Secret that holds the API key."""
    api_key_secret_key: str | None = None
    """The key of that Secret."""
    api_key_passthrough: bool | None = None
    """Whether the caller's own key is handed on."""
    default_headers: Annotated[dict[str, str], Sensitive()] | None = None
    """Headers of every request."""
    tls: TlsConfig | None = None
    """How the provider's certificate is verified."""
    anthropic: Anthropic | None = None
    """Settings of the provider `Anthropic`."""
    azure_open_ai: Annotated[AzureOpenAI | None, Field(alias="azureOpenAI")] = None
    """Settings of the provider `AzureOpenAI`."""
    ollama: Ollama | None = None
    """Settings of the provider `Ollama`."""
    gemini: Gemini | None = None
    """Settings of the provider `Gemini`."""
    gemini_vertex_ai: Annotated[GeminiVertexAI | None, Field(alias="geminiVertexAI")] = None
    """Settings of the provider `GeminiVertexAI`."""
    anthropic_vertex_ai: Annotated[AnthropicVertexAI | None, Field(alias="anthropicVertexAI")] = None
    """Settings of the provider `AnthropicVertexAI`."""
    bedrock: Bedrock | None = None
    """Settings of the provider `Bedrock`."""
    sap_ai_core: Annotated[SapAICore | None, Field(alias="sapAICore")] = None
    """Settings of the provider `SAPAICore`."""
    foundry: Foundry | None = None
    """Settings of the provider `Foundry`."""

    rules = MODEL_CONFIG_RULES


class ModelConfigSpec(ModelSettings):
    """A model and its provider in `v1alpha3`."""

    open_ai: Annotated[OpenAI | None, Field(alias="openAI")] = None
    """Settings of the provider `OpenAI`."""


class ModelConfigSpecV1alpha2(ModelSettings):
    """A model and its provider in `v1alpha2`."""

    open_ai: Annotated[OpenAIV1alpha2 | None, Field(alias="openAI")] = None
    """Settings of the provider `OpenAI`."""


def hub_model(document: Document, spec: Mapping[str, Any], model: ModelSettings) -> hub.ModelConfig:
    """The ModelConfig of a valid manifest."""
    return hub.ModelConfig(document.ref, spec, document, provider=model.provider, model=model.model)
