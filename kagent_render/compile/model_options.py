"""The options of a ModelConfig: what it says of a model beyond which one it is and where it answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.api.providers import PROVIDER_BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from kagent_render.compile.provider import Provider
    from kagent_render.diagnostics.diagnostic import FieldPath

_WHICH_AND_WHERE: Mapping[str, frozenset[str]] = {
    "OpenAI": frozenset({"baseUrl", "organization", "apiFormat", "tokenExchange"}),
    "Anthropic": frozenset({"baseUrl"}),
    "AzureOpenAI": frozenset({"azureEndpoint", "apiVersion", "azureDeployment", "azureAdToken"}),
    "Ollama": frozenset({"host"}),
    "Gemini": frozenset(),
    "GeminiVertexAI": frozenset({"projectID", "location"}),
    "AnthropicVertexAI": frozenset({"projectID", "location"}),
    "Bedrock": frozenset({"region"}),
    "SAPAICore": frozenset({"baseUrl", "resourceGroup", "authUrl"}),
    "Foundry": frozenset({"endpoint", "endpointFrom", "deployment", "apiVersion"}),
}
"""Fields of a provider's block that are no options (facts 2.1)."""

_DEFAULTS: Mapping[tuple[str, str], str] = {("Bedrock", "cacheTTL"): "5m"}
"""What the API server writes where a manifest says nothing: it asks for nothing."""

_UNSET: tuple[object, ...] = (None, "", 0, False, {}, [])


def model_options(provider: Provider) -> Iterator[tuple[str, FieldPath]]:
    """Each option that a model sets, as `Provider.option`, with its field: the block's own, then the others.

    The same option reaches the models of one provider and not those of another.
    """
    model, block = provider.model, PROVIDER_BLOCKS[provider.model.provider]
    which = _WHICH_AND_WHERE[model.provider]
    for name, value in provider.block.items():
        if name not in which and value not in _UNSET and value != _DEFAULTS.get((model.provider, name)):
            yield f"{model.provider}.{name}", ("spec", block, name)
    for name, field in _common(model.spec):
        yield f"{model.provider}.{name}", field


def _common(spec: Mapping[str, Any]) -> Iterator[tuple[str, FieldPath]]:
    for name in ("apiKeyPassthrough", "defaultHeaders"):
        if spec.get(name):
            yield name, ("spec", name)
    tls = spec.get("tls") or {}
    for name in ("disableVerify", "disableSystemCAs"):
        if tls.get(name):
            yield f"tls.{name}", ("spec", "tls", name)
