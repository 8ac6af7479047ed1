"""The ten model providers: environment, credentials and endpoint of each (facts 2.1, 2.3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kagent_render.api.hub import ConfigMapKeyRef, ModelConfig, SecretKeyRef
from kagent_render.api.names import is_dns_label
from kagent_render.api.providers import PROVIDER_BLOCKS
from kagent_render.api.user_information import has_user_information
from kagent_render.compile.environment import EnvVar, Provenance
from kagent_render.compile.origin import origin_of
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kagent_render.api.hub import Secret
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath

_OPTIONAL_BLOCKS = frozenset({"OpenAI", "Anthropic", "Gemini"})
_DEFAULT_ENDPOINTS: Mapping[str, str] = {
    "OpenAI": "https://api.openai.com",
    "Anthropic": "https://api.anthropic.com",
    "Gemini": "https://generativelanguage.googleapis.com",
}
_API_KEYS: Mapping[str, str] = {
    "OpenAI": "OPENAI_API_KEY",
    "Anthropic": "ANTHROPIC_API_KEY",
    "AzureOpenAI": "AZURE_OPENAI_API_KEY",
    "Gemini": "GOOGLE_API_KEY",
    "Foundry": "FOUNDRY_API_KEY",
}
_BEARER = "AWS_BEARER_TOKEN_BEDROCK"
_SIGV4 = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")


@dataclass(frozen=True, slots=True)
class Provider:
    """What a model brings into its boundary.

    `secret_keys` is the (Secret name, key names) list that decided between credential kinds, None where no
    Secret's key list was looked at; `endpoint_key` the ConfigMap key that gave the endpoint.
    """

    model: ModelConfig
    endpoint: str | None
    env: tuple[EnvVar, ...]
    origins: tuple[str, ...]
    secret_keys: tuple[str, tuple[str, ...]] | None = None
    endpoint_key: ConfigMapKeyRef | None = None

    @property
    def block(self) -> Mapping[str, Any]:
        """The provider's own block of `spec`; empty when it is left out."""
        return block_of(self.model)

    @property
    def model_name(self) -> tuple[str, FieldPath]:
        """The model as its endpoint knows it, with its field: on Azure a deployment stands for it."""
        if self.model.provider == "AzureOpenAI" and (deployment := self.block.get("azureDeployment")):
            return str(deployment), ("spec", "azureOpenAI", "azureDeployment")
        return self.model.model, ("spec", "model")


def block_of(model: ModelConfig) -> Mapping[str, Any]:
    """The provider's own block of a ModelConfig's spec; empty when it is left out."""
    block = model.spec.get(PROVIDER_BLOCKS[model.provider])
    return block if isinstance(block, dict) else {}


def resolve_provider(
    model: ModelConfig,
    config_map_value: Callable[[ConfigMapKeyRef, ModelConfig], str | Diagnostic],
    secret: Callable[[str], Secret | None],
) -> tuple[Provider | None, list[Diagnostic]]:
    """Resolve a model's endpoint, environment and credentials, or say why this cannot be done."""
    faults = [*_missing_block(model), *_unsupported(model)] or _misplaced(model)
    if faults:
        return None, faults
    endpoint, endpoint_key = _endpoint(model), None
    if model.provider == "Foundry" and not endpoint:
        chosen = model.spec["foundry"]["endpointFrom"]
        endpoint_key = ConfigMapKeyRef(chosen["name"], chosen["key"])
        value = config_map_value(endpoint_key, model)
        if not isinstance(value, str):
            return None, [value]
        endpoint = value.strip()
        if has_user_information(endpoint):
            return None, [_user_information(model)]
    if endpoint is not None and origin_of(endpoint) is None:
        return None, [_no_origin(model, endpoint_key)]
    credentials, secret_keys, warnings = _credentials(model, secret)
    env = (*credentials, *_settings(model, endpoint))
    origins = tuple(
        filter(None, (origin_of(url) for url in (endpoint, block_of(model).get("authUrl")) if url))
    )
    return Provider(model, endpoint, env, origins, secret_keys, endpoint_key), warnings


_ENDPOINT_FIELDS: Mapping[str, str] = {
    "AzureOpenAI": "azureEndpoint",
    "Ollama": "host",
    "GeminiVertexAI": "location",
    "AnthropicVertexAI": "location",
    "Bedrock": "region",
    "Foundry": "endpoint",
}
_PLACES: Mapping[str, str] = {
    "Bedrock": "eu-central-1",
    "GeminiVertexAI": "europe-west1",
    "AnthropicVertexAI": "europe-west1",
}


def endpoint_field(provider: Provider) -> FieldPath:
    """The field that a model's endpoint comes from, or would come from where its default is called."""
    if provider.endpoint_key is not None:
        return ("spec", "foundry", "endpointFrom")
    if provider.model.provider == "Gemini":  # it has no field for one
        return ("spec", "provider")
    block = PROVIDER_BLOCKS[provider.model.provider]
    return ("spec", block, _ENDPOINT_FIELDS.get(provider.model.provider, "baseUrl"))


def key_variable(provider: str) -> str | None:
    """The variable that holds a provider's one key; None where it has no such key."""
    return _BEARER if provider == "Bedrock" else _API_KEYS.get(provider)


def _no_origin(model: ModelConfig, key: ConfigMapKeyRef | None) -> Diagnostic:
    field = "endpointFrom" if key is not None else _ENDPOINT_FIELDS.get(model.provider, "baseUrl")
    return model.document.fault(
        Reason.PROVIDER_UNSUPPORTED,
        ("spec", PROVIDER_BLOCKS[model.provider], field),
        f"`{field}` gives no `http` or `https` address with a host and a port that can be called",
        hint="write the whole URL, such as `https://models.example.com`",
    )


def _misplaced(model: ModelConfig) -> list[Diagnostic]:
    """A region that would be more than its part of the endpoint's host."""
    if model.provider not in _PLACES:
        return []
    field = _ENDPOINT_FIELDS[model.provider]
    if is_dns_label(block_of(model)[field].lower()):
        return []
    return [
        model.document.fault(
            Reason.PROVIDER_UNSUPPORTED,
            ("spec", PROVIDER_BLOCKS[model.provider], field),
            f"`{field}` becomes a part of the endpoint's host, and is no name of letters, digits and `-`",
            hint=f"write the name of a {field}, such as `{_PLACES[model.provider]}`",
        )
    ]


def _user_information(model: ModelConfig) -> Diagnostic:
    return model.document.fault(
        Reason.INVALID_SPEC,
        ("spec", "foundry", "endpointFrom"),
        "the endpoint in the ConfigMap must not contain user information",
        hint="remove the part before `@` there and refer to a credential instead",
    )


def _missing_block(model: ModelConfig) -> list[Diagnostic]:
    name = PROVIDER_BLOCKS[model.provider]
    if model.provider in _OPTIONAL_BLOCKS or isinstance(model.spec.get(name), dict):
        return []
    return [
        model.document.fault(
            Reason.PROVIDER_UNSUPPORTED,
            ("spec", name),
            f"provider `{model.provider}` cannot be used without its block `{name}`",
            hint=f"add `spec.{name}` to ModelConfig `{model.name}`",
        )
    ]


def _unsupported(model: ModelConfig) -> list[Diagnostic]:
    """Credentials that need a volume, or that the manifest would carry in clear."""
    document, spec = model.document, model.spec
    faults = []
    if (spec.get("tls") or {}).get("caCertSecretRef"):
        faults.append(_volume(model, ("spec", "tls", "caCertSecretRef"), "a CA certificate"))
    if block_of(model).get("tokenExchange"):
        faults.append(_volume(model, ("spec", "openAI", "tokenExchange"), "token exchange"))
    if model.provider in ("GeminiVertexAI", "AnthropicVertexAI") and spec.get("apiKeySecret"):
        faults.append(_volume(model, ("spec", "apiKeySecret"), "a Google service account"))
    if block_of(model).get("azureAdToken"):
        faults.append(
            document.fault(
                Reason.CREDENTIAL_UNSUPPORTED,
                ("spec", "azureOpenAI", "azureAdToken"),
                "`azureAdToken` is a credential in clear text and would be written to the ActorTemplate",
                hint="use `apiKeySecret` and `apiKeySecretKey` instead",
                sensitive=True,
            )
        )
    if model.provider == "Gemini" and not spec.get("apiKeySecret"):
        faults.append(
            document.fault(
                Reason.CREDENTIAL_UNSUPPORTED,
                ("spec", "apiKeySecret"),
                "provider `Gemini` needs an API key from a Secret",
                hint="set `spec.apiKeySecret` and `spec.apiKeySecretKey`",
            )
        )
    return faults


def _volume(model: ModelConfig, field: FieldPath, what: str) -> Diagnostic:
    return model.document.fault(
        Reason.VOLUME_REQUIRED,
        field,
        f"{what} is read from a mounted Secret, and an ActorTemplate cannot mount one",
        hint="use a credential that fits an environment variable, or an endpoint with a public certificate",
    )


def _endpoint(model: ModelConfig) -> str | None:
    """The URL that the runtime calls; None where it is looked up elsewhere."""
    block = block_of(model)
    match model.provider:
        case "OpenAI" | "Anthropic" | "Gemini":
            return block.get("baseUrl") or _DEFAULT_ENDPOINTS[model.provider]
        case "AzureOpenAI":
            return str(block["azureEndpoint"])
        case "Ollama":
            host = block.get("host") or "localhost:11434"
            return host if "://" in host else f"http://{host}"
        case "GeminiVertexAI" | "AnthropicVertexAI":
            location = block["location"]
            prefix = "" if location == "global" else f"{location}-"
            return f"https://{prefix}aiplatform.googleapis.com"
        case "Bedrock":
            return f"https://bedrock-runtime.{block['region']}.amazonaws.com"
        case "SAPAICore":
            return str(block["baseUrl"])
        case _:
            return block.get("endpoint") or None


def _settings(model: ModelConfig, endpoint: str | None) -> list[EnvVar]:
    """The literal variables of a provider, in the order of facts 2.1."""
    block, name = block_of(model), PROVIDER_BLOCKS[model.provider]

    def variable(env: str, value: object, field: str) -> EnvVar:
        return EnvVar(env, str(value), Provenance(model.document, ("spec", name, field)))

    match model.provider:
        case "OpenAI" if block.get("organization"):
            return [variable("OPENAI_ORGANIZATION", block["organization"], "organization")]
        case "AzureOpenAI":
            return [
                variable("OPENAI_API_VERSION", block["apiVersion"], "apiVersion"),
                variable("AZURE_OPENAI_ENDPOINT", block["azureEndpoint"], "azureEndpoint"),
            ]
        case "Ollama":
            return [variable("OLLAMA_API_BASE", endpoint, "host")]
        case "GeminiVertexAI" | "AnthropicVertexAI":
            variables = [
                variable("GOOGLE_CLOUD_PROJECT", block["projectID"], "projectID"),
                variable("GOOGLE_CLOUD_LOCATION", block["location"], "location"),
            ]
            if model.provider == "GeminiVertexAI":
                variables.append(
                    EnvVar(
                        "GOOGLE_GENAI_USE_VERTEXAI", "true", Provenance(model.document, ("spec", "provider"))
                    )
                )
            return variables
        case "Foundry":
            return [
                variable(
                    "FOUNDRY_ENDPOINT", endpoint, "endpoint" if block.get("endpoint") else "endpointFrom"
                ),
                variable("FOUNDRY_DEPLOYMENT", block["deployment"], "deployment"),
                variable("FOUNDRY_API_VERSION", block["apiVersion"], "apiVersion"),
            ]
        case _:
            return []


def _credentials(
    model: ModelConfig, secret: Callable[[str], Secret | None]
) -> tuple[list[EnvVar], tuple[str, tuple[str, ...]] | None, list[Diagnostic]]:
    """The Secret references of a provider; Bedrock's and SAP's by key name."""
    name = model.spec.get("apiKeySecret")
    origin = Provenance(model.document, ("spec", "apiKeySecret"))

    def reference(env: str, key: str) -> EnvVar:
        return EnvVar(env, SecretKeyRef(str(name), key), origin)

    if model.provider == "Bedrock":
        region = EnvVar(
            "AWS_REGION",
            block_of(model)["region"],
            Provenance(model.document, ("spec", "bedrock", "region")),
        )
        if not name or model.spec.get("apiKeyPassthrough"):
            return [region], None, []
        keys, warnings = _bedrock_keys(model, secret(name))
        known = (name, keys) if not warnings else None
        return [region, *(reference(key, key) for key in keys)], known, warnings
    if not name or model.spec.get("apiKeyPassthrough"):
        return [], None, []
    if model.provider == "SAPAICore":
        return (
            [
                reference("SAP_AI_CORE_CLIENT_ID", "client_id"),
                reference("SAP_AI_CORE_CLIENT_SECRET", "client_secret"),
            ],
            None,
            [],
        )
    env = _API_KEYS.get(model.provider)
    return ([reference(env, model.spec["apiKeySecretKey"])] if env else []), None, []


def _bedrock_keys(model: ModelConfig, secret: Secret | None) -> tuple[tuple[str, ...], list[Diagnostic]]:
    """Which AWS variables a Bedrock Secret gives, by its key names (DESIGN 10)."""
    if secret is not None:
        if _BEARER in secret.keys:
            return (_BEARER,), []
        if secret.keys.issuperset(_SIGV4):
            token = ("AWS_SESSION_TOKEN",) if "AWS_SESSION_TOKEN" in secret.keys else ()
            return (*_SIGV4, *token), []
    known = "has neither kind of AWS key" if secret is not None else "has no manifest that lists its keys"
    warning = model.document.fault(
        Reason.CREDENTIAL_KEYS_UNKNOWN,
        ("spec", "apiKeySecret"),
        f"Secret `{model.spec['apiKeySecret']}` {known}, so `{_BEARER}` is assumed",
        hint="commit a Secret, ExternalSecret or SealedSecret manifest that lists its key names",
        severity=Severity.WARNING,
    )
    return (_BEARER,), [warning]
