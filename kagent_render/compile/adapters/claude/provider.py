"""Models as Claude Code reaches them: the variables of the one process that all agents share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.api.providers import PROVIDER_BLOCKS
from kagent_render.compile.adapters.adapter import ModelVariable
from kagent_render.compile.environment import EnvVar, Provenance

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.compile.adapters.adapter import KeyHeaders
    from kagent_render.compile.bundle import AgentConfiguration
    from kagent_render.compile.provider import Provider

KEY_HEADERS: KeyHeaders = {
    "ANTHROPIC_API_KEY": (("x-api-key", ""),),
    "AWS_BEARER_TOKEN_BEDROCK": (("authorization", "Bearer "),),
}

_MULTI_REGIONS = ("eu", "us")


def origins(provider: Provider) -> tuple[str, ...]:
    """The provider's own endpoint, but for the multi-regions of Vertex, which the CLI calls elsewhere."""
    location = provider.block.get("location")
    if provider.model.provider == "AnthropicVertexAI" and location in _MULTI_REGIONS:
        return (f"https://aiplatform.{location}.rep.googleapis.com:443",)
    return provider.origins


def model_variables(agent: AgentConfiguration) -> tuple[ModelVariable, ...]:
    """What each agent's model needs of the one process that they share, root first."""
    members = agent.members()
    options = {variable.name for member in members for variable in _options(member.provider)}
    return tuple(
        ModelVariable(variable, member.model_choice)
        for member in members
        for variable in (*connection_variables(member.provider), *_all_options(member.provider, options))
    )


def connection_variables(provider: Provider) -> tuple[EnvVar, ...]:
    """The provider's switch, its endpoint and its credentials, each with an explicit value."""
    document = provider.model.document

    def variable(name: str, value: object, *field: str) -> EnvVar:
        return EnvVar(name, str(value), Provenance(document, ("spec", *field)))

    match provider.model.provider:
        case "Anthropic":
            base = variable("ANTHROPIC_BASE_URL", provider.endpoint, "anthropic", "baseUrl")
            return (*provider.env, base)
        case "AnthropicVertexAI":
            block = provider.block
            return (
                variable("CLAUDE_CODE_USE_VERTEX", "1", "provider"),
                variable("ANTHROPIC_VERTEX_PROJECT_ID", block["projectID"], "anthropicVertexAI", "projectID"),
                variable("CLOUD_ML_REGION", block["location"], "anthropicVertexAI", "location"),
            )
        case "Bedrock":
            return (variable("CLAUDE_CODE_USE_BEDROCK", "1", "provider"), *provider.env)
        case _:
            return ()


def _options(provider: Provider) -> Iterator[EnvVar]:
    """The options of a model that the CLI can be told of, for all agents of its process alike."""
    model = provider.model
    if tokens := provider.block.get("maxTokens"):
        field = ("spec", PROVIDER_BLOCKS[model.provider], "maxTokens")
        yield EnvVar("CLAUDE_CODE_MAX_OUTPUT_TOKENS", str(tokens), Provenance(model.document, field))
    if headers := model.spec.get("defaultHeaders"):
        lines = "\n".join(f"{name}: {headers[name]}" for name in sorted(headers))
        yield EnvVar(
            "ANTHROPIC_CUSTOM_HEADERS", lines, Provenance(model.document, ("spec", "defaultHeaders"))
        )


def _all_options(provider: Provider, names: set[str]) -> Iterator[EnvVar]:
    """An agent's options with those that only another agent sets, empty: two values, told as a collision."""
    own = {variable.name: variable for variable in _options(provider)}
    return (own.get(name, EnvVar(name, "")) for name in sorted(names))
