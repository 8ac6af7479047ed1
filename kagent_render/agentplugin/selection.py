"""Which plugins an agent has, and which of them the operator renders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.agentplugin.names import built_in_like, is_valid, normalize

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from kagent_render.api.kubeagents import AgentPlugin, PlatformAgent


def select(agent: PlatformAgent, plugins: Iterable[AgentPlugin]) -> tuple[AgentPlugin, ...]:
    """The plugins of the agent's namespace that name it exactly, valid or not, in name order."""
    claimed = (
        plugin
        for plugin in plugins
        if plugin.agent and plugin.agent == agent.name and plugin.namespace == agent.namespace
    )
    # Code points sort as their UTF-8 bytes do, which is the operator's order.
    return tuple(sorted(claimed, key=lambda plugin: plugin.name))


def admit(selected: Iterable[AgentPlugin]) -> tuple[AgentPlugin, ...]:
    """Those of the selected plugins that reach the ConfigMap and the pod: the first of each valid name.

    An invalid name does not count as seen here, though it does where statuses are computed.
    """
    seen: set[str] = set()
    admitted = []
    for plugin in selected:
        form = normalize(plugin.name)
        if is_valid(plugin.name) and not built_in_like(plugin.name) and form not in seen:
            seen.add(form)
            admitted.append(plugin)
    return tuple(admitted)


def orphans(plugins: Iterable[AgentPlugin], agents: Container[tuple[str, str]]) -> tuple[AgentPlugin, ...]:
    """The plugins that name none of the `agents` (namespace, name), by namespace and name."""
    lost = (plugin for plugin in plugins if (plugin.namespace, plugin.agent) not in agents)
    return tuple(sorted(lost, key=lambda plugin: (plugin.namespace, plugin.name)))
