"""The model endpoint of a Codex process, which is one for all of its agents."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kagent_render.compile.adapters.http_headers import header_problem
from kagent_render.compile.adapters.ignored_fields import ignored_key, ignored_zeros
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from kagent_render.compile.adapters.adapter import KeyHeaders
    from kagent_render.compile.bundle import AgentConfiguration
    from kagent_render.compile.provider import Provider
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath

KEY_HEADERS: KeyHeaders = {
    "OPENAI_API_KEY": (("authorization", "Bearer "),),
    "AWS_BEARER_TOKEN_BEDROCK": (("authorization", "Bearer "),),
}

_NAMES = {"OpenAI": "openai", "Bedrock": "amazon-bedrock"}
"""How KAGENT_CONFIG_JSON calls the providers that Codex can use (facts 6.2)."""

_TABLES = {"OpenAI": "kagent-openai", "Bedrock": "amazon-bedrock"}
_KEY = "OPENAI_API_KEY"
_ORGANIZATION = "OPENAI_ORGANIZATION"
_OWN_HEADERS = frozenset({"accept", "authorization", "content-length", "content-type", "transfer-encoding"})
_BEDROCK_MODEL = re.compile(r"(?:.*[./])?gpt-.*")
_BEDROCK_REGIONS = (
    "ap-northeast-1",
    "ap-south-1",
    "ap-southeast-3",
    "eu-central-1",
    "eu-north-1",
    "eu-south-1",
    "eu-west-1",
    "eu-west-2",
    "sa-east-1",
    "us-east-1",
    "us-east-2",
    "us-gov-east-1",
    "us-gov-west-1",
    "us-west-2",
)
"""Where Codex 0.171.0 does not refuse to start."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where and as whom models are called; `variables` are the names that the process is given for it."""

    provider: str
    base_url: str | None
    headers: tuple[tuple[str, str], ...]
    variables: tuple[str, ...]


def endpoint_of(provider: Provider) -> Endpoint:
    """What one ModelConfig says of its endpoint."""
    headers = provider.model.spec.get("defaultHeaders") or {}
    base_url = None
    if provider.model.provider == "OpenAI":
        base_url = provider.block.get("baseUrl") or f"{provider.endpoint}/v1"
    variables = tuple(variable.name for variable in provider.env)
    return Endpoint(provider.model.provider, base_url, tuple(sorted(headers.items())), variables)


def origins(provider: Provider) -> tuple[str, ...]:
    """The provider's own endpoint, but for Bedrock, whose Responses API is at a host of its own."""
    if provider.model.provider == "Bedrock":
        return (f"https://bedrock-mantle.{provider.block['region']}.api.aws:443",)
    return provider.origins


def provider_entry(endpoint: Endpoint) -> dict[str, str]:
    """The provider as KAGENT_CONFIG_JSON names it."""
    entry = {"name": _NAMES.get(endpoint.provider, endpoint.provider)}
    return entry if endpoint.base_url is None else {**entry, "base_url": endpoint.base_url}


def provider_name(endpoint: Endpoint) -> str:
    """The provider as config.toml names it: Codex lets nobody redefine `openai`."""
    return _TABLES.get(endpoint.provider, endpoint.provider)


def provider_table(endpoint: Endpoint, variables: Collection[str]) -> dict[str, Any]:
    """The provider's own table; `variables` are all that the process has."""
    table: dict[str, Any] = {}
    if endpoint.base_url is not None:
        table = {"name": provider_name(endpoint), "base_url": endpoint.base_url, "wire_api": "responses"}
        if _KEY in variables:
            table["env_key"] = _KEY
    if endpoint.headers:
        table["http_headers"] = dict(endpoint.headers)
    if _ORGANIZATION in endpoint.variables:
        table["env_http_headers"] = {"OpenAI-Organization": _ORGANIZATION}
    return table


def check_providers(agent: AgentConfiguration) -> Iterator[Diagnostic]:
    """What Codex cannot use of a provider, and Shared agents that would need an endpoint of their own."""
    for member in agent.members():
        if member.provider.model.provider in _NAMES:
            yield from _check_settings(member.provider)
        else:
            yield _unknown_provider(member)
    own = endpoint_of(agent.provider)
    for child in agent.children:
        other = endpoint_of(child.provider)
        if other != own and {own.provider, other.provider} <= _NAMES.keys():
            yield _second_endpoint(child, agent)


def _unknown_provider(member: AgentConfiguration) -> Diagnostic:
    model = member.provider.model
    return member.model_choice.document.fault(
        Reason.PROVIDER_UNSUPPORTED,
        member.model_choice.field,
        f"ModelConfig `{model.name}` has the provider `{model.provider}`, and Codex takes only `OpenAI`"
        " and `Bedrock`",
        hint="choose a ModelConfig of one of these providers",
    )


def _second_endpoint(child: AgentConfiguration, parent: AgentConfiguration) -> Diagnostic:
    other, own = endpoint_of(child.provider), endpoint_of(parent.provider)
    parts = {
        "provider": other.provider != own.provider,
        "address": other.base_url != own.base_url,
        "`defaultHeaders`": other.headers != own.headers,
        "kind of credential": other.variables != own.variables,
    }
    differing = " and ".join(part for part, differs in parts.items() if differs)
    return child.model_choice.document.fault(
        Reason.PROVIDER_UNSUPPORTED,
        child.model_choice.field,
        f"ModelConfig `{child.provider.model.name}` has another {differing} than"
        f" `{parent.provider.model.name}` of the parent, and Codex has one for all its agents",
        hint="use a ModelConfig that differs in `model` and `reasoningEffort` alone, or bind the agent as"
        " Dedicated",
    )


def _check_settings(provider: Provider) -> Iterator[Diagnostic]:
    document = provider.model.document
    for field, message, hint in (*_openai_faults(provider), *_bedrock_faults(provider)):
        yield document.fault(Reason.PROVIDER_UNSUPPORTED, field, message, hint=hint)
    yield from ignored_zeros(provider, "codex")
    yield from ignored_key(provider, "codex")
    yield from _check_headers(provider)


def _check_headers(provider: Provider) -> Iterator[Diagnostic]:
    known: set[str] = set()
    for name, value in endpoint_of(provider).headers:
        twice = "it is there a second time" if name.lower() in known else None
        if problem := twice or header_problem(name, value, _OWN_HEADERS):
            yield provider.model.document.fault(
                Reason.CAPABILITY_UNSUPPORTED,
                ("spec", "defaultHeaders", name),
                f"Codex would not send this header as it is: {problem}",
                hint="remove or correct the header",
                sensitive=True,
            )
        known.add(name.lower())


def _openai_faults(provider: Provider) -> Iterator[tuple[FieldPath, str, str]]:
    if provider.model.provider != "OpenAI":
        return
    if provider.block.get("apiFormat") != "responses":
        message = "Codex calls the Responses API alone, and the ModelConfig says `chatCompletions` or nothing"
        yield ("spec", "openAI", "apiFormat"), message, "set `apiFormat: responses` if the endpoint has it"
    if re.search("[?#]", str(provider.block.get("baseUrl") or "")):
        message = "Codex appends a path to the address, which has a query or a fragment"
        yield ("spec", "openAI", "baseUrl"), message, "end the address with its path"
    organization = str(provider.block.get("organization") or "-")
    if not organization.strip() or header_problem("OpenAI-Organization", organization, ()):
        message = "Codex sends the organization as a header, which cannot have this value"
        yield ("spec", "openAI", "organization"), message, "write the organization's id"


def _bedrock_faults(provider: Provider) -> Iterator[tuple[FieldPath, str, str]]:
    if provider.model.provider != "Bedrock":
        return
    if not _BEDROCK_MODEL.fullmatch(provider.model.model):
        message = f"Codex can use only `gpt-` models of Bedrock, and `{provider.model.model}` is none"
        yield ("spec", "model"), message, "choose a model such as `openai.gpt-5.5`"
    region = provider.block.get("region")
    if region not in _BEDROCK_REGIONS:
        known = ", ".join(f"`{name}`" for name in _BEDROCK_REGIONS)
        message = f"Codex does not start with the Bedrock region `{region}`"
        yield ("spec", "bedrock", "region"), message, f"use one of {known}"
