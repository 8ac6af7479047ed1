"""Models as Claude Code reaches them: providers, variables, and names that it would change."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kagent_render.api.providers import PROVIDER_BLOCKS
from kagent_render.compile.adapters.adapter import ModelVariable
from kagent_render.compile.adapters.claude.headers import is_header_value
from kagent_render.compile.adapters.http_headers import is_header_name
from kagent_render.compile.adapters.ignored_fields import ignored_key, ignored_zeros
from kagent_render.compile.environment import EnvVar, Provenance
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.compile.bundle import AgentConfiguration
    from kagent_render.compile.provider import Provider
    from kagent_render.diagnostics.diagnostic import Diagnostic

_PROVIDERS = ("Anthropic", "AnthropicVertexAI", "Bedrock")
_ALIAS = re.compile(r"(?:best|fable|haiku|inherit|opus|opusplan|sonnet)|.*\[1m\]", re.IGNORECASE)


def model_variables(agent: AgentConfiguration) -> tuple[ModelVariable, ...]:
    """What each agent's model needs of the one process that they share, root first."""
    members = agent.members()
    options = {variable.name for member in members for variable in _options(member.provider)}
    return tuple(
        ModelVariable(variable, member.model_choice)
        for member in members
        for variable in (*_connection(member.provider), *_all_options(member.provider, options))
    )


def _connection(provider: Provider) -> tuple[EnvVar, ...]:
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


def check_models(agent: AgentConfiguration) -> Iterator[Diagnostic]:
    """Providers that the CLI has not, names that it changes, and what one process cannot have twice."""
    told: set[str] = set()
    for member in agent.members():
        model = member.provider.model
        if model.provider not in _PROVIDERS:
            yield _unsupported_provider(member)
        elif not _shares_connection(member, agent):
            yield _unshared(member)
        if model.name not in told:
            told.add(model.name)
            yield from _check_model(member.provider)
            yield from ignored_zeros(member.provider, "claude")
            yield from ignored_key(member.provider, "claude")


def _check_model(provider: Provider) -> Iterator[Diagnostic]:
    model = provider.model
    if _ALIAS.fullmatch(model.model.strip()) or model.model != model.model.strip():
        yield model.document.fault(
            Reason.PROVIDER_UNSUPPORTED,
            ("spec", "model"),
            f"Claude Code would send another model than `{model.model}` to the provider",
            hint="write the model's whole name, such as `claude-sonnet-4-5`",
        )
    for name, value in (model.spec.get("defaultHeaders") or {}).items():
        if not is_header_name(name) or not is_header_value(value):
            yield model.document.fault(
                Reason.CAPABILITY_UNSUPPORTED,
                ("spec", "defaultHeaders", name),
                "the header would not arrive as it is written",
                hint="use printable ASCII characters, without white space at either end of the value",
                sensitive=True,
            )


def _shares_connection(member: AgentConfiguration, root: AgentConfiguration) -> bool:
    """Whether an agent needs the same variables as the root; other values are told as a collision."""
    names = [{variable.name for variable in _connection(agent.provider)} for agent in (member, root)]
    return names[0] == names[1]


def _unsupported_provider(member: AgentConfiguration) -> Diagnostic:
    model, chosen_by = member.provider.model, member.model_choice
    return chosen_by.document.fault(
        Reason.PROVIDER_UNSUPPORTED,
        chosen_by.field,
        f"ModelConfig `{model.name}` has the provider `{model.provider}`, which Claude Code cannot call",
        hint=f"choose one with {_listed(_PROVIDERS)}, or attach the template to another Harness",
    )


def _unshared(member: AgentConfiguration) -> Diagnostic:
    model, chosen_by = member.provider.model, member.model_choice
    return chosen_by.document.fault(
        Reason.PROVIDER_UNSUPPORTED,
        chosen_by.field,
        f"ModelConfig `{model.name}` needs another provider or kind of credential than the root's, and"
        " one Claude Code process has one",
        hint="use a ModelConfig with the root's provider and credential, or bind the agent as Dedicated",
    )


def _listed(names: tuple[str, ...]) -> str:
    quoted = [f"`{name}`" for name in names]
    return f"{', '.join(quoted[:-1])} or {quoted[-1]}"
