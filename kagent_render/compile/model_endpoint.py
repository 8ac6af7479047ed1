"""What a runtime contacts for a model, where that is not the provider's own endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.api.hub import Variant

if TYPE_CHECKING:
    from kagent_render.compile.provider import Provider


def model_origins(provider: Provider, variant: Variant) -> tuple[str, ...]:
    """The origins of a model's endpoint: Codex reaches Bedrock at the host that has the Responses API."""
    if variant is Variant.CODEX and provider.model.provider == "Bedrock":
        return (f"https://bedrock-mantle.{provider.block['region']}.api.aws:443",)
    return provider.origins
