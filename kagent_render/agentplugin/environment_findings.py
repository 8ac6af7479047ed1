"""What is to be told of the variables that plugins set; never a variable's value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.agentplugin.environment import merge_env, plugin_variables
from kagent_render.agentplugin.operator_variables import HOME, OPERATOR_OWNED, operator_defaults
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kagent_render.agentplugin.compiled import PluginVariable
    from kagent_render.api.kubeagents import AgentPlugin, PlatformAgent
    from kagent_render.diagnostics.diagnostic import Diagnostic


def environment_findings(agent: PlatformAgent, rendered: Sequence[AgentPlugin]) -> Iterator[Diagnostic]:
    """Names that are the operator's, names of the operator's that are overridden, and plugins at odds."""
    free = []
    for found in _definitions(rendered):
        if found.name in OPERATOR_OWNED:
            yield _reserved(found)
        else:
            free.append(found)
    overridable = frozenset(operator_defaults(agent))
    for found in merge_env((), free):
        if found.name in overridable:
            yield _overrides(found)
    yield from _conflicts(free)


def _definitions(plugins: Sequence[AgentPlugin]) -> Iterator[PluginVariable]:
    """Each plugin's own definition of each name that it sets: the last one."""
    for plugin in plugins:
        yield from merge_env((), plugin_variables([plugin]))


def _conflicts(definitions: Sequence[PluginVariable]) -> Iterator[Diagnostic]:
    holding: dict[str, PluginVariable] = {}
    for found in definitions:
        earlier = holding.get(found.name)
        if earlier is not None and _content(earlier) != _content(found):
            yield _conflict(earlier, found)
        holding[found.name] = found


def _content(found: PluginVariable) -> object:
    return found.variable.value or "", found.variable.source


def _reserved(found: PluginVariable) -> Diagnostic:
    return _tell(
        found,
        Reason.RESERVED_ENV_NAME,
        f"`{found.name}` is the operator's own, which would send it twice and have the workload refused",
        hint="remove the entry, which is left out of the output",
    )


def _overrides(found: PluginVariable) -> Diagnostic:
    if found.name == HOME:
        return _tell(
            found,
            Reason.ENV_OVERRIDES_OPERATOR,
            f"`{found.name}` moves the agent's home, but not what is mounted there",
            hint="remove the entry, or set `spec.harness.hermes.agentHome` of the PlatformAgent",
            severity=Severity.WARNING,
        )
    return _tell(
        found,
        Reason.ENV_OVERRIDES_OPERATOR,
        f"`{found.name}` wins over what the operator gives the gateway under that name",
        hint="remove the entry unless you mean it for the whole agent",
        severity=Severity.INFO,
    )


def _conflict(earlier: PluginVariable, found: PluginVariable) -> Diagnostic:
    return _tell(
        found,
        Reason.PLUGIN_CONFLICT,
        f"`{found.name}` is set to something else by plugin `{earlier.plugin.name}`, over which"
        f" `{found.plugin.name}` wins, being later in name order",
        hint="set it in one of the two, or to the same in both",
        severity=Severity.WARNING,
    )


def _tell(
    found: PluginVariable, reason: Reason, message: str, *, hint: str, severity: Severity = Severity.ERROR
) -> Diagnostic:
    field = ("spec", "env", found.index, "name")
    return found.plugin.document.fault(reason, field, message, hint=hint, severity=severity, sensitive=True)
