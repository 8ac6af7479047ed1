"""The rules across a ModelConfig's fields.

Where each is reported: alternatives at the block that holds them, a block or value that another field
forbids at itself, what another field needs at the missing field.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kagent_render.api.providers import PROVIDER_BLOCKS
from kagent_render.api.schema import Rule

if TYPE_CHECKING:
    from collections.abc import Mapping

_KEYLESS: Final = ("Bedrock", "SAPAICore")
_WITHOUT_PASSTHROUGH: Final = ("Gemini", "GeminiVertexAI", "AnthropicVertexAI")


def _own_block(provider: str, block: str) -> Rule:
    return Rule(
        f"`{block}` may be set for the provider `{provider}` only",
        holds=lambda values: block not in values or values["provider"] == provider,
        reads=("provider",),
        field=(block,),
        hint=f"remove `{block}` or set `provider: {provider}`",
        cel=f"!(has(self.{block}) && self.provider != '{provider}')",
        schema={
            "if": {"required": [block]},
            "then": {
                "properties": {"provider": {"const": provider}},
                # An object that names no provider is OpenAI's.
                "required": [] if provider == "OpenAI" else ["provider"],
            },
        },
    )


def _exchanges(values: Mapping[str, Any]) -> bool:
    block = values.get("openAI")
    return isinstance(block, dict) and "tokenExchange" in block


def _passes_through(values: Mapping[str, Any]) -> bool:
    return values.get("apiKeyPassthrough") is True


MODEL_CONFIG_RULES: Final = (
    *(_own_block(provider, block) for provider, block in PROVIDER_BLOCKS.items()),
    Rule(
        "`apiKeySecretKey` needs `apiKeySecret`",
        holds=lambda values: "apiKeySecretKey" not in values or "apiKeySecret" in values,
        reads=("apiKeySecret", "apiKeySecretKey"),
        field=("apiKeySecret",),
        hint="set `apiKeySecret` to the Secret's name",
        cel="!(has(self.apiKeySecretKey) && !has(self.apiKeySecret))",
        schema={"dependencies": {"apiKeySecretKey": ["apiKeySecret"]}},
    ),
    Rule(
        "`apiKeySecret` needs `apiKeySecretKey` for this provider",
        holds=lambda values: (
            "apiKeySecret" not in values or "apiKeySecretKey" in values or values["provider"] in _KEYLESS
        ),
        reads=("provider", "apiKeySecret", "apiKeySecretKey"),
        field=("apiKeySecretKey",),
        hint="set `apiKeySecretKey` to the key of the API key",
        cel="!(has(self.apiKeySecret) && !has(self.apiKeySecretKey)"
        " && self.provider != 'Bedrock' && self.provider != 'SAPAICore')",
        schema={
            "if": {"required": ["apiKeySecret"], "properties": {"provider": {"not": {"enum": [*_KEYLESS]}}}},
            "then": {"required": ["apiKeySecretKey"]},
        },
    ),
    Rule(
        "`apiKeyPassthrough` and `apiKeySecret` are mutually exclusive",
        holds=lambda values: not (_passes_through(values) and values.get("apiKeySecret")),
        reads=("apiKeyPassthrough", "apiKeySecret"),
        hint="remove `apiKeyPassthrough` or `apiKeySecret`",
        cel="!(has(self.apiKeyPassthrough) && self.apiKeyPassthrough"
        " && has(self.apiKeySecret) && size(self.apiKeySecret) > 0)",
        schema={
            "not": {
                "required": ["apiKeyPassthrough", "apiKeySecret"],
                "properties": {"apiKeyPassthrough": {"const": True}, "apiKeySecret": {"minLength": 1}},
            }
        },
    ),
    Rule(
        "`apiKeyPassthrough` is not supported by this provider",
        holds=lambda values: not _passes_through(values) or values["provider"] not in _WITHOUT_PASSTHROUGH,
        reads=("provider", "apiKeyPassthrough"),
        field=("apiKeyPassthrough",),
        hint="remove `apiKeyPassthrough`",
        cel="!(has(self.apiKeyPassthrough) && self.apiKeyPassthrough"
        " && self.provider in ['Gemini', 'GeminiVertexAI', 'AnthropicVertexAI'])",
    ),
    Rule(
        "`openAI.tokenExchange` needs `apiKeySecret`",
        holds=lambda values: (
            not _exchanges(values) or _passes_through(values) or bool(values.get("apiKeySecret"))
        ),
        reads=("apiKeySecret", "apiKeyPassthrough"),
        field=("apiKeySecret",),
        hint="set `apiKeySecret` to the Secret of the service account",
        cel="!(has(self.openAI) && has(self.openAI.tokenExchange)"
        " && (!has(self.apiKeySecret) || size(self.apiKeySecret) == 0))",
    ),
    Rule(
        "`openAI.tokenExchange` and `apiKeyPassthrough` are mutually exclusive",
        holds=lambda values: not (_exchanges(values) and _passes_through(values)),
        reads=("apiKeyPassthrough",),
        hint="remove `openAI.tokenExchange` or `apiKeyPassthrough`",
        cel="!(has(self.openAI) && has(self.openAI.tokenExchange)"
        " && has(self.apiKeyPassthrough) && self.apiKeyPassthrough)",
    ),
)
"""The rules of `ModelConfig.spec`."""

FOUNDRY_RULES: Final = (
    Rule(
        "exactly one of `endpoint` or `endpointFrom` must be specified",
        holds=lambda values: bool(values.get("endpoint")) != ("endpointFrom" in values),
        reads=("endpoint", "endpointFrom"),
        hint="keep one of `endpoint` or `endpointFrom`",
        alternatives=("endpoint", "endpointFrom"),
        cel="(has(self.endpoint) && size(self.endpoint) > 0) != has(self.endpointFrom)",
        schema={
            "oneOf": [
                {"required": ["endpoint"], "properties": {"endpoint": {"minLength": 1}}},
                {"required": ["endpointFrom"]},
            ]
        },
    ),
)
"""The rules of `ModelConfig.spec.foundry`."""
