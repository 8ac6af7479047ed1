"""What Claude Code cannot be told of a model, or would change, each at the field that asks for it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kagent_render.compile.adapters.claude.headers import is_header_value, is_own_model_header
from kagent_render.compile.adapters.claude.provider import connection_variables
from kagent_render.compile.adapters.http_headers import is_header_name
from kagent_render.compile.adapters.ignored_fields import ignored_key, ignored_zeros
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from kagent_render.api.hub import ModelConfig
    from kagent_render.compile.bundle import AgentConfiguration
    from kagent_render.compile.provider import Provider
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath

_PROVIDERS = ("Anthropic", "AnthropicVertexAI", "Bedrock")
_ALIAS = re.compile(r"best|fable|haiku|inherit|opus|opusplan|sonnet", re.IGNORECASE)
_SUFFIX = re.compile(r"\[[12]m\]", re.IGNORECASE)
_BLANK = re.compile(r"\s|\ufeff")
_REGION = re.compile(r"[a-z]{2,}(?:-[a-z0-9]+){0,4}", re.IGNORECASE | re.ASCII)
_PLACES: dict[str, tuple[str, str, str]] = {
    "AnthropicVertexAI": ("anthropicVertexAI", "location", "us-east5"),
    "Bedrock": ("bedrock", "region", "us-east-1"),
}
"""Where a cloud's region stands, and which one the CLI calls in the place of one that it does not take."""


def check_models(agent: AgentConfiguration, variables: Collection[str]) -> Iterator[Diagnostic]:
    """Providers that the CLI has not, names that it changes, and what one process cannot have twice.

    `variables` are the names that the Harness itself gives to the process.
    """
    told: set[str] = set()
    for member in agent.members():
        model = member.provider.model
        if model.provider not in _PROVIDERS:
            yield _unsupported_provider(member)
        elif not _shares_connection(member, agent):
            yield _unshared(member)
        elif member is agent and not _has_credential(agent.provider, variables):
            yield _without_credential(model)
        if model.name not in told:
            told.add(model.name)
            yield from _check_model(member.provider)
            yield from ignored_zeros(member.provider, "claude")
            yield from ignored_key(member.provider, "claude")


def _check_model(provider: Provider) -> Iterator[Diagnostic]:
    model = provider.model
    if not _is_sent_as_written(model.model):
        yield model.document.fault(
            Reason.PROVIDER_UNSUPPORTED,
            ("spec", "model"),
            f"Claude Code would send another model than `{model.model}` to the provider, or none",
            hint="write the model's whole name, such as `claude-sonnet-4-5`",
        )
    yield from _check_region(provider)
    yield from _check_headers(model)


def _is_sent_as_written(name: str) -> bool:
    """Whether a name is no alias, has no part that the CLI cuts off, and is there at all."""
    if not name or _BLANK.match(name[0]) or _BLANK.match(name[-1]):
        return False
    return not _ALIAS.fullmatch(name) and not _SUFFIX.search(name)


def _check_region(provider: Provider) -> Iterator[Diagnostic]:
    if provider.model.provider not in _PLACES:
        return
    block, name, instead = _PLACES[provider.model.provider]
    region = str(provider.block[name])
    if not _REGION.fullmatch(region):
        yield provider.model.document.fault(
            Reason.PROVIDER_UNSUPPORTED,
            ("spec", block, name),
            f"Claude Code takes `{region}` for no region and would call `{instead}`",
            hint=f"write the region's name, such as `{instead}`",
        )


def _check_headers(model: ModelConfig) -> Iterator[Diagnostic]:
    known: set[str] = set()
    for name, value in (model.spec.get("defaultHeaders") or {}).items():
        field: FieldPath = ("spec", "defaultHeaders", name)
        if wrong := _wrong_header(model.provider, name, value, known):
            message, hint = wrong
            document = model.document
            yield document.fault(Reason.CAPABILITY_UNSUPPORTED, field, message, hint=hint, sensitive=True)
        known.add(name.lower())


def _wrong_header(provider: str, name: str, value: str, known: set[str]) -> tuple[str, str] | None:
    """What is wrong with a header after the `known` ones, and what to do; None when nothing is."""
    if name.lower() in known:
        return "the header is there twice, and Claude Code sends one", "remove one of the two"
    if is_own_model_header(name, provider):
        return "Claude Code sets the header itself", "remove the header"
    if not is_header_name(name) or not is_header_value(value):
        return (
            "the header would not arrive as it is written",
            "use printable ASCII characters, without white space at either end of the value",
        )
    return None


def _has_credential(provider: Provider, variables: Collection[str]) -> bool:
    """Whether the CLI finds what it logs in with; a cloud's may come from the machine."""
    if provider.model.provider != "Anthropic":
        return True
    names = {variable.name for variable in provider.env} | {*variables}
    headers = {name.lower() for name in provider.model.spec.get("defaultHeaders") or {}}
    return "ANTHROPIC_API_KEY" in names or "authorization" in headers


def _without_credential(model: ModelConfig) -> Diagnostic:
    return model.document.fault(
        Reason.CREDENTIAL_UNSUPPORTED,
        ("spec", "apiKeySecret"),
        "Claude Code calls no model without an API key, also where the endpoint needs none",
        hint="set `spec.apiKeySecret` and `spec.apiKeySecretKey`",
    )


def _shares_connection(member: AgentConfiguration, root: AgentConfiguration) -> bool:
    """Whether an agent needs the same variables as the root; other values are told as a collision."""
    names = [{variable.name for variable in connection_variables(agent.provider)} for agent in (member, root)]
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
