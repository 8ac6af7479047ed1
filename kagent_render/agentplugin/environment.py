"""The variables that plugins give the container `platform-agent` of the gateway."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from kagent_render.agentplugin.compiled import PluginVariable
from kagent_render.agentplugin.operator_variables import OPERATOR_OWNED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.api.kubeagents import AgentPlugin


class Named(Protocol):
    """What a variable's name can be asked of."""

    @property
    def name(self) -> str:
        """The variable's name."""
        ...


Variable = TypeVar("Variable", bound=Named)


def merge_env(defaults: Iterable[Variable], custom: Iterable[Variable]) -> tuple[Variable, ...]:
    """The operator's merge: `custom` replaces `defaults` in their places, and what is new comes after them.

    The last entry of a name in `custom` is the one that counts, at the place of the first.
    """
    chosen = {variable.name: variable for variable in custom}
    merged = [chosen.get(variable.name, variable) for variable in defaults]
    known = {variable.name for variable in merged}
    return (*merged, *(variable for name, variable in chosen.items() if name not in known))


def plugin_variables(plugins: Iterable[AgentPlugin]) -> Iterator[PluginVariable]:
    """Every `env` entry of the plugins, in their order."""
    for plugin in plugins:
        for index, variable in enumerate(plugin.env):
            yield PluginVariable(plugin, index, variable)


def gateway_variables(plugins: Iterable[AgentPlugin]) -> tuple[PluginVariable, ...]:
    """What the plugins set in the gateway's container.

    The names that the operator owns are left out: it sends both entries, and a server-side apply refuses a
    list that has one name twice.
    """
    return merge_env((), (found for found in plugin_variables(plugins) if found.name not in OPERATOR_OWNED))
