"""What a runtime contacts for a model, where that is not the provider's own endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.api.hub import Variant

if TYPE_CHECKING:
    from kagent_render.compile.provider import Provider


_MULTI_REGIONS = ("eu", "us")


def model_origins(provider: Provider, variant: Variant) -> tuple[str, ...]:
    """The origins of a model's endpoint.

    Codex reaches Bedrock at the host that has the Responses API, Claude Code the multi-regions of Vertex at
    hosts of their own.
    """
    location = provider.block.get("location")
    vertex = provider.model.provider == "AnthropicVertexAI"
    if variant is Variant.CLAUDE and vertex and location in _MULTI_REGIONS:
        return (f"https://aiplatform.{location}.rep.googleapis.com:443",)
    if variant is Variant.CODEX and provider.model.provider == "Bedrock":
        return (f"https://bedrock-mantle.{provider.block['region']}.api.aws:443",)
    return provider.origins
