"""The status that the operator gives a plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.agentplugin.compiled import PluginStatus
from kagent_render.agentplugin.config_reading import issue
from kagent_render.agentplugin.images import PullFailure
from kagent_render.agentplugin.names import built_in_like, is_valid, normalize
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.agentplugin.config_reading import PluginConfig
    from kagent_render.agentplugin.images import PluginImage
    from kagent_render.api.kubeagents import AgentPlugin, PlatformAgent

READY: Final = "Ready"
DEGRADED: Final = "Degraded"
APPLIED: Final = "Applied"

_APPLIED: Final = "Plugin successfully applied to agent {agent.name}."
_ORPHANED: Final = (
    "No PlatformAgent named '{plugin.agent}' exists in namespace '{plugin.namespace}';"
    " this plugin is not applied to any agent."
)
_MESSAGES: Final = {
    Reason.INVALID_PLUGIN_NAME: (
        "Plugin name '{plugin.name}' must start with a lowercase letter and contain only"
        " lowercase letters and digits (max 56 characters)."
    ),
    Reason.DUPLICATE_PLUGIN_NAME: (
        "Plugin name '{plugin.name}' collides with built-in or already registered plugin."
    ),
    Reason.IMAGE_VOLUME_UNSUPPORTED: (
        "Kubernetes version does not support ImageVolumeSource (requires 1.35+)."
        " OCI volume for agent {agent.name} was not mounted."
    ),
    Reason.IMAGE_PULL_FAILED: (
        "Plugin image '{plugin.image}' could not be pulled, which is blocking agent {agent.name}"
        " from starting: {cause}"
    ),
}


def plugin_statuses(
    agent: PlatformAgent,
    selected: Iterable[AgentPlugin],
    images: Mapping[str, PluginImage | PullFailure],
    configs: Mapping[str, PluginConfig],
    *,
    image_volumes: bool,
) -> tuple[PluginStatus, ...]:
    """The status of each selected plugin, in the order given; `configs` has those rendered, by name.

    An invalid name counts as seen here, though it does not where plugins are admitted: the same name without
    its separators is then rendered, and told as a duplicate.
    """
    seen: set[str] = set()
    statuses = []
    for plugin in selected:
        form, image = normalize(plugin.name), images.get(plugin.image)
        duplicate = built_in_like(plugin.name) is not None or form in seen
        seen.add(form)
        failure = image if isinstance(image, PullFailure) else None
        reason = _degradation(plugin, failure, duplicate=duplicate, image_volumes=image_volumes)
        statuses.append(
            _ready(agent, plugin, configs[plugin.name])
            if reason is None
            else _degraded(agent, plugin, reason, failure)
        )
    return tuple(statuses)


def orphan_statuses(orphans: Iterable[AgentPlugin]) -> tuple[PluginStatus, ...]:
    """The status of plugins whose agent does not exist; one that names no agent at all is never given any."""
    return tuple(
        PluginStatus(
            plugin,
            DEGRADED,
            Reason.AGENT_NOT_FOUND.value,
            _ORPHANED.format(plugin=plugin),
            target_agents=None,
            observed_generation=plugin.generation,
        )
        for plugin in orphans
        if plugin.agent
    )


def _degradation(
    plugin: AgentPlugin, failure: PullFailure | None, *, duplicate: bool, image_volumes: bool
) -> Reason | None:
    """The first reason why a plugin is not ready."""
    if not is_valid(plugin.name):
        return Reason.INVALID_PLUGIN_NAME
    if duplicate:
        return Reason.DUPLICATE_PLUGIN_NAME
    if not image_volumes:
        return Reason.IMAGE_VOLUME_UNSUPPORTED
    return Reason.IMAGE_PULL_FAILED if failure is not None else None


def _degraded(
    agent: PlatformAgent, plugin: AgentPlugin, reason: Reason, failure: PullFailure | None
) -> PluginStatus:
    cause = failure.cause if failure is not None else ""
    message = _MESSAGES[reason].format(agent=agent, plugin=plugin, cause=cause)
    return PluginStatus(plugin, DEGRADED, reason.value, message, _targets(agent, plugin), plugin.generation)


def _ready(agent: PlatformAgent, plugin: AgentPlugin, config: PluginConfig) -> PluginStatus:
    message = " ".join(filter(None, (_APPLIED.format(agent=agent), issue(config))))
    return PluginStatus(plugin, READY, APPLIED, message, _targets(agent, plugin), plugin.generation)


def _targets(agent: PlatformAgent, plugin: AgentPlugin) -> tuple[str, ...]:
    """The agents that the manifest's own status has, and this one; a former agent is never taken out."""
    known = plugin.target_agents
    return known if agent.name in known else (*known, agent.name)
