"""The overlays of the profiles' configurations, which the pod merges into what its image brings."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from kagent_render.agentplugin.merge import merge
from kagent_render.agentplugin.operator_overlays import board, front_door, limits, memory
from kagent_render.agentplugin.profiles import CLUSTER_CLASS_KEY, DEFAULT, PLATFORM, overlay_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from kagent_render.agentplugin.config_reading import PluginConfig
    from kagent_render.api.kubeagents import AgentPlugin, PlatformAgent

Configured = tuple["AgentPlugin", "PluginConfig"]
"""A plugin and what its `spec.config` says."""


def overlays(agent: PlatformAgent, plugins: Iterable[Configured]) -> dict[str, Any]:
    """The overlays by ConfigMap key, in no order; one that would be empty is left out.

    A plugin that targets `default` by name is in none of them: the schema refuses it, and the operator has no
    overlay for it.
    """
    by_profile = _partition(plugins)
    made = {overlay_key(name): _of_profile(agent, name, group) for name, group in by_profile.items()}
    made[CLUSTER_CLASS_KEY] = limits(agent.tuning.get("cluster"))
    return {key: overlay for key, overlay in made.items() if overlay}


def operator_overlay(agent: PlatformAgent, profile: str) -> Mapping[str, Any]:
    """What the overlay of a profile holds before any plugin."""
    return _of_profile(agent, profile, ())


def _partition(plugins: Iterable[Configured]) -> Mapping[str, Sequence[Configured]]:
    groups: dict[str, list[Configured]] = {DEFAULT: [], PLATFORM: []}
    for plugin, config in plugins:
        if plugin.profile != DEFAULT:
            groups.setdefault(plugin.profile or DEFAULT, []).append((plugin, config))
    return groups


def _of_profile(agent: PlatformAgent, profile: str, plugins: Sequence[Configured]) -> dict[str, Any]:
    overlay: dict[str, Any] = reduce(merge, _parts(agent, profile, plugins), {})
    return overlay


def _parts(agent: PlatformAgent, profile: str, plugins: Sequence[Configured]) -> Iterator[Mapping[str, Any]]:
    """The parts of one overlay; a later one adds to an earlier one, and wins over its scalars."""
    if profile in (DEFAULT, PLATFORM):
        yield limits(agent.tuning.get(profile))
    if profile == PLATFORM:
        yield memory(agent)
        yield front_door(agent)
    if plugins:
        yield {"plugins": {"enabled": list(dict.fromkeys(plugin.name for plugin, _ in plugins))}}
    for _, config in plugins:
        yield {key: value for key, value in config.values.items() if key != "platforms"}
    if profile == DEFAULT:
        yield board(agent)
