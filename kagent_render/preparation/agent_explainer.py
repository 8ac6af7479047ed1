"""Where each value of a PlatformAgent's Component comes from: a plugin, the agent, or the operator itself."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_render.agentplugin.compiled import UPSTREAM
from kagent_render.agentplugin.config_places import config_position
from kagent_render.agentplugin.config_reading import read_config
from kagent_render.agentplugin.managed_config import KEY as MANAGED_CONFIG
from kagent_render.agentplugin.profiles import overlay_key
from kagent_render.api.credential_literals import holds_credential
from kagent_render.compile.environment import Provenance
from kagent_render.preparation.explanation import Explanation
from kagent_render.source.yaml import read_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.agentplugin.compiled import CompiledAgent, PluginStatus, PluginVariable, PluginVolume
    from kagent_render.api.kubeagents import AgentPlugin
    from kagent_render.diagnostics.diagnostic import FieldPath, SourcePosition
    from kagent_render.source.config import RenderConfig

_OPERATOR: Final = f"the operator's own, as of {UPSTREAM}"
_UNSHOWN: Final = "a literal, not shown here"
_CONTAINER: Final = "spec.template.spec.containers[platform-agent]"
_CONFIG: Final = ("spec", "config")


@dataclass(frozen=True, slots=True)
class ConfigProvenance(Provenance):
    """A key inside a plugin's `spec.config`, which is text of its own."""

    plugin: AgentPlugin
    path: FieldPath

    @property
    def position(self) -> SourcePosition:
        """Where the key is written."""
        return config_position(self.plugin, self.path)


def explain_agent(compiled: CompiledAgent, config: RenderConfig) -> list[Explanation]:
    """Every value of the Component, the ConfigMap's key by key."""
    return [
        *_config_map(compiled),
        *(_volume(volume) for volume in compiled.volumes),
        *(_variable(variable) for variable in compiled.env),
        *_image_volumes(compiled, config),
        *(_status(status) for status in compiled.statuses),
    ]


def _entry(file: str, field: str, value: str, *sources: Provenance, note: str = "") -> Explanation:
    return Explanation(None, file, field, value, sources, note)


def _config_map(compiled: CompiledAgent) -> Iterator[Explanation]:
    configs = {plugin.name: read_config(plugin.config).values for plugin in compiled.rendered}
    for key, text in compiled.data.items():
        document = read_yaml(text.encode())[0].value if key.endswith(".yaml") else _variables(text)
        for path, value in _leaves(document, ()):
            sources = list(_sources(compiled, configs, key, path))
            field = ".".join((f"data[{key}]", *path))
            note = "" if sources else _OPERATOR
            yield _entry("configmap.yaml", field, _text(path, value), *sources, note=note)


def _variables(text: str) -> dict[str, str] | str:
    """The variables of `KEY=value` lines; text without any as it is."""
    return dict(line.split("=", 1) for line in text.splitlines()) or text


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Everything in a value that is no mapping with entries."""
    if isinstance(value, dict) and value:
        for key, below in value.items():
            yield from _leaves(below, (*path, key))
    else:
        yield path, value


def _sources(
    compiled: CompiledAgent, configs: Mapping[str, Mapping[str, Any]], key: str, path: tuple[str, ...]
) -> Iterator[Provenance]:
    """The plugins that a leaf comes from: all that add to a list, the last that sets anything else."""
    reaching = [plugin for plugin in compiled.rendered if _reaches(plugin, key, path)]
    if path == ("plugins", "enabled"):
        yield from (Provenance(plugin.document, ("metadata", "name")) for plugin in reaching)
        return
    found = [
        ConfigProvenance(plugin.document, _CONFIG, plugin, place)
        for plugin in reaching
        if (place := _place_in(configs[plugin.name], path)) is not None
    ]
    values = [_at(configs[source.plugin.name], source.path) for source in found]
    lists = all(isinstance(value, list) for value in values)
    yield from found if lists else found[-1:]


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


def _volume(volume: PluginVolume) -> Explanation:
    plugin = volume.plugin
    sources = [Provenance(plugin.document, ("spec", "image"))]
    if plugin.profile:
        sources.append(Provenance(plugin.document, ("spec", "targetProfile")))
    value = f"{volume.reference or '(no image)'} at {volume.mount_path}, {volume.pull_policy}"
    return _entry("gateway.yaml", f"spec.template.spec.volumes[{volume.name}]", value, *sources)


def _variable(variable: PluginVariable) -> Explanation:
    source = Provenance(variable.plugin.document, ("spec", "env", variable.index))
    entry = variable.variable
    value = json.dumps(entry.source) if entry.source is not None else _UNSHOWN
    return _entry("gateway.yaml", f"{_CONTAINER}.env[{entry.name}]", value, source)


def _image_volumes(compiled: CompiledAgent, config: RenderConfig) -> Iterator[Explanation]:
    found = compiled.image_volumes
    value = "supported" if found.supported else "not supported"
    if found.decided_by == "annotation":
        yield _entry(
            "gateway.yaml", "imageVolumes", value, Provenance(compiled.agent.document, ("metadata",))
        )
    elif config.kube_version is not None:
        yield _entry(
            "gateway.yaml", "imageVolumes", value, Provenance(config.document, ("spec", "kubeVersion"))
        )
    else:
        yield _entry("gateway.yaml", "imageVolumes", value, note="no `kubeVersion` in kagent-render.yaml")


def _status(status: PluginStatus) -> Explanation:
    source = Provenance(status.plugin.document, ("metadata", "name"))
    field = f"plugins[{status.plugin.name}]"
    return _entry("status.yaml", field, f"{status.phase}, {status.reason}: {status.message}", source)


def _text(path: tuple[str, ...], value: Any) -> str:
    if holds_credential(path[-1] if path else "", value):
        return _UNSHOWN
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
