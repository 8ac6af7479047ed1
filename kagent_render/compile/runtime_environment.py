"""The environment of one boundary: its order, its reserved names, its collisions (facts 4.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.compile.adapters.adapter import CARD_VARIABLE, CONFIG_VARIABLE, FILES_VARIABLE
from kagent_render.compile.environment import EnvVar, Provenance, deduplicate
from kagent_render.diagnostics.diagnostic import Severity, field_text
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kagent_render.api.hub import Harness
    from kagent_render.compile.adapters.adapter import Adapter, ModelVariable
    from kagent_render.compile.policy import Policy
    from kagent_render.diagnostics.diagnostic import Diagnostic

TOOLS_URL = "KAGENT_TOOLS_URL"

FIXED_NAMES = (
    "KAGENT_NAME",
    "KAGENT_NAMESPACE",
    "KAGENT_URL",
    "KAGENT_GRPC_URL",
    "PORT",
    "KAGENT_A2A_GRPC_ADDRESS",
    "KAGENT_PRE_RESPONSE_TRACE_FLUSH",
    TOOLS_URL,
)
"""Set here and nowhere else, in this order."""

RESERVED_NAMES = frozenset({*FIXED_NAMES, CONFIG_VARIABLE, CARD_VARIABLE, FILES_VARIABLE})


def fixed_variables(name: str, namespace: str, policy: Policy, *, tools: bool) -> tuple[EnvVar, ...]:
    """The variables that every boundary has; the tools address only where it may call another one."""
    values = {
        "KAGENT_NAME": name,
        "KAGENT_NAMESPACE": namespace,
        "KAGENT_URL": policy.controller_url,
        "KAGENT_GRPC_URL": policy.controller_grpc,
        "PORT": "80",
        "KAGENT_A2A_GRPC_ADDRESS": "[::]:80",
        "KAGENT_PRE_RESPONSE_TRACE_FLUSH": "true",
    }
    if tools:
        values[TOOLS_URL] = policy.tools_url
    return tuple(EnvVar(key, value) for key, value in values.items())


def harness_variables(harness: Harness) -> tuple[EnvVar, ...]:
    """The Harness's own entries, in its order."""
    return tuple(
        EnvVar(
            entry.name,
            entry.credential if entry.credential is not None else entry.value or "",
            Provenance(harness.document, ("spec", "env", index, "name")),
        )
        for index, entry in enumerate(harness.env)
    )


def order_environment(
    adapter: Iterable[EnvVar], harness: Iterable[EnvVar], fixed: Iterable[EnvVar]
) -> tuple[EnvVar, ...]:
    """Adapter, then Harness, then fixed variables; a later one replaces an earlier one in its place."""
    return deduplicate((*adapter, *harness, *fixed))


def check_environment(
    brought: tuple[EnvVar, ...], harness: tuple[EnvVar, ...], adapter: Adapter, reserved: Mapping[str, str]
) -> Iterator[Diagnostic]:
    """Reserved names, and Harness entries that replace what a provider or an MCP server has `brought`.

    `reserved` are names that the target reserves, each with the reason.
    """
    provided = {variable.name for variable in brought}
    for variable in harness:
        if variable.name in RESERVED_NAMES:
            yield _at(
                variable,
                Reason.RESERVED_ENV_NAME,
                f"`{variable.name}` is set for every runtime and cannot be set by a Harness",
                "remove the entry",
            )
        elif variable.name in reserved:
            message = f"`{variable.name}` {reserved[variable.name]}"
            yield _at(variable, Reason.RESERVED_ENV_NAME, message, "remove the entry")
        elif adapter.reserves(variable.name):
            yield _at(
                variable,
                Reason.RESERVED_ENV_NAME,
                f"`{variable.name}` decides what the `{adapter.NAME}` runtime does, and only what a template"
                " says may do that",
                "remove the entry",
            )
        elif variable.name in provided:
            yield _at(
                variable,
                Reason.ENV_OVERRIDES_PROVIDER,
                f"the Harness sets `{variable.name}`, which replaces what the model or an MCP server gives",
                "remove the entry unless you mean it for every template of this Harness",
                Severity.WARNING,
            )


def check_collisions(models: Iterable[ModelVariable], overridden: frozenset[str]) -> Iterator[Diagnostic]:
    """Variables that agents of one boundary need with two values, at the field of the second agent."""
    first: dict[str, EnvVar] = {}
    for model in models:
        variable, chosen_by = model.variable, model.chosen_by
        other = first.setdefault(variable.name, variable)
        if other.value != variable.value and variable.name not in overridden:
            yield chosen_by.document.fault(
                Reason.CREDENTIAL_UNSUPPORTED,
                chosen_by.field,
                f"`{variable.name}` would need two values in one runtime boundary: of {_setting(variable)}"
                f" and of {_setting(other)}",
                hint="use the same ModelConfig settings as the parent, or bind the agent as Dedicated",
            )


def _setting(variable: EnvVar) -> str:
    """The field that a variable comes from, as a person would name it."""
    if variable.origin is None:
        return "a ModelConfig that sets none"
    field = field_text(variable.origin.field)
    return f"`{field}` of {variable.origin.document.ref.kind} `{variable.origin.document.ref.name}`"


def _at(
    variable: EnvVar,
    reason: Reason,
    message: str,
    hint: str,
    severity: Severity = Severity.ERROR,
) -> Diagnostic:
    assert variable.origin is not None
    return variable.origin.document.fault(
        reason, variable.origin.field, message, hint=hint, severity=severity
    )
