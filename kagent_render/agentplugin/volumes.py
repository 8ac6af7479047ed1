"""The image volumes of a gateway's pod, and where its container mounts them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.agentplugin.compiled import PluginVolume
from kagent_render.agentplugin.images import PluginImage
from kagent_render.agentplugin.names import volume_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.agentplugin.images import PullFailure
    from kagent_render.api.kubeagents import AgentPlugin

_TARGETED: Final = "/opt/agent-plugins"
"""Outside the agent's home: a mount inside a profile's tree would keep the profile from being scaffolded."""

_PULL_POLICY: Final = "IfNotPresent"


def plugin_volumes(
    home: str, plugins: Iterable[AgentPlugin], images: Mapping[str, PluginImage | PullFailure]
) -> tuple[PluginVolume, ...]:
    """One volume per plugin, in the order given, whatever its profile."""
    return tuple(
        PluginVolume(
            plugin=plugin,
            name=volume_name(plugin.name),
            reference=pinned(plugin.image, images.get(plugin.image)),
            pull_policy=plugin.pull_policy or _PULL_POLICY,
            mount_path=mount_path(home, plugin),
        )
        for plugin in plugins
    )


def mount_path(home: str, plugin: AgentPlugin) -> str:
    """Where a plugin is mounted; `home` is taken as it is written, a trailing slash included."""
    if plugin.profile:
        return f"{_TARGETED}/{plugin.profile}/{plugin.name}"
    return f"{home}/plugins/{plugin.name}"


def pinned(reference: str, image: PluginImage | PullFailure | None) -> str:
    """The reference with its digest; as it is written where it has one, or none is known."""
    if "@" in reference or not isinstance(image, PluginImage):
        return reference
    return f"{reference}@{image.digest}"
