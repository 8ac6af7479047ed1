"""From a PlatformAgent and plugins to what the operator would make of them; read this first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.agentplugin.compiled import CompiledAgent
from kagent_render.agentplugin.config_map import config_hash, config_map_data
from kagent_render.agentplugin.config_reading import read_config
from kagent_render.agentplugin.environment import gateway_variables
from kagent_render.agentplugin.image_volumes import agent_image_volumes
from kagent_render.agentplugin.images import PluginImage, PullFailure
from kagent_render.agentplugin.selection import admit, select
from kagent_render.agentplugin.status import plugin_statuses
from kagent_render.agentplugin.volumes import plugin_volumes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.api.kubeagents import AgentPlugin, PlatformAgent


def wanted_images(agent: PlatformAgent, plugins: Iterable[AgentPlugin]) -> tuple[str, ...]:
    """The distinct image references of the agent's admitted plugins, in their order."""
    return tuple(dict.fromkeys(plugin.image for plugin in admit(select(agent, plugins))))


def compile_agent(
    agent: PlatformAgent,
    plugins: Iterable[AgentPlugin],
    kube_version: str | None,
    images: Mapping[str, PluginImage | PullFailure],
) -> CompiledAgent:
    """What the operator renders for `agent`; `images` by reference, those not looked up left out.

    A plugin whose image cannot be pulled is left out where image volumes are mounted: its volume would keep
    the agent from starting, and without the volume its enablement would name an absent plugin.
    """
    selected = select(agent, plugins)
    volumes = agent_image_volumes(agent, kube_version)
    admitted = admit(selected)
    rendered = _pullable(admitted, images) if volumes.supported else admitted
    configured = tuple((plugin, read_config(plugin.config)) for plugin in rendered)
    configs = {plugin.name: config for plugin, config in configured}
    data = config_map_data(agent, configured)
    return CompiledAgent(
        agent=agent,
        selected=selected,
        rendered=rendered,
        image_volumes=volumes,
        data=data,
        config_hash=config_hash(data),
        volumes=plugin_volumes(agent.home, rendered, images) if volumes.supported else (),
        env=gateway_variables(rendered),
        statuses=plugin_statuses(agent, selected, images, configs, image_volumes=volumes.supported),
        images=_known(rendered, images),
        pull_failures=_failed(admitted, images),
        configured=configured,
    )


def _pullable(
    plugins: Iterable[AgentPlugin], images: Mapping[str, PluginImage | PullFailure]
) -> tuple[AgentPlugin, ...]:
    return tuple(plugin for plugin in plugins if not isinstance(images.get(plugin.image), PullFailure))


def _known(
    plugins: Iterable[AgentPlugin], images: Mapping[str, PluginImage | PullFailure]
) -> dict[str, PluginImage]:
    found = ((plugin.image, images.get(plugin.image)) for plugin in plugins)
    return {reference: image for reference, image in found if isinstance(image, PluginImage)}


def _failed(
    plugins: Iterable[AgentPlugin], images: Mapping[str, PluginImage | PullFailure]
) -> dict[str, PullFailure]:
    found = ((plugin.image, images.get(plugin.image)) for plugin in plugins)
    return {reference: image for reference, image in found if isinstance(image, PullFailure)}
