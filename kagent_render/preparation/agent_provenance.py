"""Which fields the values of an agent's ConfigMap come from: of plugins' configs, or of the agent itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_render.agentplugin.config_places import CONFIG, config_position
from kagent_render.agentplugin.managed_config import KEY as MANAGED_CONFIG
from kagent_render.agentplugin.managed_env import KEY as MANAGED_ENV
from kagent_render.agentplugin.profiles import CLUSTER_CLASS_KEY, DEFAULT, PLATFORM, overlay_key
from kagent_render.compile.environment import Provenance

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.agentplugin.compiled import CompiledAgent
    from kagent_render.api.kubeagents import AgentPlugin, PlatformAgent
    from kagent_render.diagnostics.diagnostic import FieldPath, SourcePosition

_HARNESS: Final = ("spec", "harness")
_FRONT_DOOR: Final = (*_HARNESS, "experimental", "platformFrontDoor")
_CHAT: Final = ("spec", "integration", "googleChat")
_SLACK: Final = ("spec", "integration", "slack")
_TUNED: Final = {
    overlay_key(DEFAULT): "default",
    overlay_key(PLATFORM): "platform",
    CLUSTER_CLASS_KEY: "cluster",
}
_OPERATOR_FIELDS: Final[tuple[tuple[str, tuple[str, ...], FieldPath], ...]] = (
    (MANAGED_CONFIG, ("display",), _CHAT),
    (MANAGED_CONFIG, ("platforms", "google_chat"), _CHAT),
    (MANAGED_CONFIG, ("platforms", "slack"), _SLACK),
    (MANAGED_CONFIG, ("model", "base_url"), ("metadata", "namespace")),
    (overlay_key(PLATFORM), ("memory",), (*_HARNESS, "memory", "provider")),
    (overlay_key(PLATFORM), ("kanban", "max_in_progress"), (*_HARNESS, "tuning", "maxInProgress")),
    (overlay_key(DEFAULT), ("kanban",), (*_HARNESS, "tuning", "maxInProgress")),
    (overlay_key(PLATFORM), ("kanban",), _FRONT_DOOR),
    (overlay_key(PLATFORM), ("platform_toolsets",), _FRONT_DOOR),
    (overlay_key(PLATFORM), ("plugins",), _FRONT_DOOR),
    *((key, ("agent",), (*_HARNESS, "tuning", name)) for key, name in _TUNED.items()),
)
"""The fields of a PlatformAgent behind what the operator writes: ConfigMap key, path in it, field."""

_VARIABLES: Final = {"GOOGLE_CHAT_": _CHAT, "SLACK_": _SLACK}


@dataclass(frozen=True, slots=True)
class ConfigProvenance(Provenance):
    """A key inside a plugin's `spec.config`, which is text of its own."""

    plugin: AgentPlugin
    path: FieldPath

    @property
    def position(self) -> SourcePosition:
        """Where the key is written."""
        return config_position(self.plugin, self.path)


def plugin_sources(
    compiled: CompiledAgent, configs: Mapping[str, Mapping[str, Any]], key: str, path: tuple[str, ...]
) -> Iterator[Provenance]:
    """The plugins that a leaf comes from: all that add to a list, the last that sets anything else."""
    reaching = [plugin for plugin in compiled.rendered if _reaches(plugin, key, path)]
    if path == ("plugins", "enabled"):
        yield from (Provenance(plugin.document, ("metadata", "name")) for plugin in reaching)
        return
    found = [
        ConfigProvenance(plugin.document, CONFIG, plugin, place)
        for plugin in reaching
        if (place := _place_in(configs[plugin.name], path)) is not None
    ]
    values = [_at(configs[source.plugin.name], source.path) for source in found]
    lists = all(isinstance(value, list) for value in values)
    yield from found if lists else found[-1:]


def agent_source(agent: PlatformAgent, key: str, path: tuple[str, ...]) -> Provenance | None:
    """The field of the agent that the operator makes a leaf from; None where it is not written."""
    fields = (
        field for known, start, field in _OPERATOR_FIELDS if known == key and path[: len(start)] == start
    )
    if key == MANAGED_ENV:
        fields = (field for start, field in _VARIABLES.items() if path and path[0].startswith(start))
    found = next((field for field in fields if _has(agent.document.value, field)), None)
    return Provenance(agent.document, found) if found is not None else None


def _has(value: Any, field: FieldPath) -> bool:
    for step in field:
        if not isinstance(value, dict) or step not in value:
            return False
        value = value[step]
    return True


def _reaches(plugin: AgentPlugin, key: str, path: tuple[str, ...]) -> bool:
    """Whether a plugin has a say in a part of the ConfigMap."""
    if key == MANAGED_CONFIG:
        return path[:1] == ("platforms",)
    return key == overlay_key(plugin.profile or "default")


def _place_in(config: Mapping[str, Any], path: tuple[str, ...]) -> FieldPath | None:
    """The deepest key of a config on the way to a leaf that replaces whatever was there; None without one."""
    value: Any = config
    for depth, step in enumerate(path):
        if not isinstance(value, dict) or step not in value:
            return None
        value = value[step]
        if not isinstance(value, dict):
            return path[: depth + 1]
    return path


def _at(value: Any, path: FieldPath) -> Any:
    for step in path:
        value = value[step]
    return value
