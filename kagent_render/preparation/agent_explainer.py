"""Where each value of a PlatformAgent's Component comes from: a plugin, the agent, or the operator itself."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from kagent_render.agentplugin.compiled import UPSTREAM
from kagent_render.agentplugin.component import CONFIG_MAP, GATEWAY, STATUS
from kagent_render.agentplugin.config_map import CONFIG_HASH_ANNOTATION, config_map_values
from kagent_render.agentplugin.key_order import natural_order
from kagent_render.agentplugin.managed_env import KEY as MANAGED_ENV
from kagent_render.agentplugin.managed_env import managed_variables
from kagent_render.api.credential_literals import holds_credential
from kagent_render.api.kubeagents import DEFAULT_HOME, IMAGE_VOLUMES_ANNOTATION
from kagent_render.compile.environment import Provenance
from kagent_render.emit.layout import LOCK
from kagent_render.preparation.agent_provenance import agent_source, plugin_sources
from kagent_render.preparation.explanation import Explanation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kagent_render.agentplugin.compiled import CompiledAgent, PluginStatus, PluginVariable, PluginVolume
    from kagent_render.api.kubeagents import PlatformAgent
    from kagent_render.source.config import RenderConfig

    Order = Callable[[Iterable[str]], Iterable[str]]

_OPERATOR: Final = f"the operator's own, as of {UPSTREAM}"
_UNSHOWN: Final = "a literal, not shown here"
_CONTAINER: Final = "spec.template.spec.containers[platform-agent]"


def explain_agent(compiled: CompiledAgent, config: RenderConfig) -> list[Explanation]:
    """Every value of the Component, the ConfigMap's key by key."""
    return [
        *_config_map(compiled),
        *_restart_trigger(compiled),
        *(entry for volume in compiled.volumes for entry in _volume(volume, compiled.agent)),
        *(_variable(variable) for variable in compiled.env),
        _image_volumes(compiled, config),
        *(_status(status) for status in compiled.statuses),
    ]


def _entry(file: str, field: str, value: str, *sources: Provenance, note: str = "") -> Explanation:
    return Explanation(None, file, field, value, sources, note)


def _config_map(compiled: CompiledAgent) -> Iterator[Explanation]:
    configs = {plugin.name: config.values for plugin, config in compiled.configured}
    values = {
        **config_map_values(compiled.agent, compiled.configured),
        MANAGED_ENV: dict(managed_variables(compiled.agent)) or "",
    }
    for key in compiled.data:
        order = list if key == MANAGED_ENV else natural_order
        for path, value in _leaves(values[key], (), order):
            sources = list(plugin_sources(compiled, configs, key, path))
            own = agent_source(compiled.agent, key, path)
            # A list has what the operator puts in and what plugins add; anything else is one writer's.
            if own is not None and (not sources or isinstance(value, list)):
                sources.insert(0, own)
            field = ".".join((f"data[{key}]", *path))
            note = "" if sources else _OPERATOR
            yield _entry(CONFIG_MAP, field, _text(path, value), *sources, note=note)


def _leaves(value: Any, path: tuple[str, ...], order: Order) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Everything in a value that is no mapping with entries."""
    if isinstance(value, dict) and value:
        for key in order(value):
            yield from _leaves(value[key], (*path, key), order)
    else:
        yield path, value


def _volume(volume: PluginVolume, agent: PlatformAgent) -> Iterator[Explanation]:
    plugin = volume.plugin
    image = Provenance(plugin.document, ("spec", "image"))
    place = f"spec.template.spec.volumes[{volume.name}].image"
    yield _entry(GATEWAY, f"{place}.reference", volume.reference, image)
    policy = Provenance(plugin.document, ("spec", "imagePullPolicy"))
    note = "" if plugin.pull_policy else "the operator's default"
    yield _entry(GATEWAY, f"{place}.pullPolicy", volume.pull_policy, *([] if note else [policy]), note=note)
    sources = [Provenance(plugin.document, ("metadata", "name"))]
    if plugin.profile:
        sources.append(Provenance(plugin.document, ("spec", "targetProfile")))
    elif agent.home != DEFAULT_HOME:
        sources.append(Provenance(agent.document, ("spec", "harness", "hermes", "agentHome")))
    yield _entry(GATEWAY, f"{_CONTAINER}.volumeMounts[{volume.name}]", volume.mount_path, *sources)


def _restart_trigger(compiled: CompiledAgent) -> Iterator[Explanation]:
    field = f"spec.template.metadata.annotations[{CONFIG_HASH_ANNOTATION}]"
    if CONFIG_HASH_ANNOTATION not in compiled.agent.pod_annotations:
        yield _entry(GATEWAY, field, compiled.config_hash, note="over the data of configmap.yaml")


def _variable(variable: PluginVariable) -> Explanation:
    source = Provenance(variable.plugin.document, ("spec", "env", variable.index))
    entry = variable.variable
    value = json.dumps(entry.source) if entry.source is not None else _UNSHOWN
    return _entry(GATEWAY, f"{_CONTAINER}.env[{entry.name}]", value, source)


def _image_volumes(compiled: CompiledAgent, config: RenderConfig) -> Explanation:
    value = "supported" if compiled.image_volumes.supported else "not supported"
    entry = partial(_entry, LOCK, "spec.imageVolumes", value)
    if compiled.image_volumes.decided_by == "annotation":
        field = ("metadata", "annotations", IMAGE_VOLUMES_ANNOTATION)
        return entry(Provenance(compiled.agent.document, field))
    if config.kube_version is not None:
        return entry(Provenance(config.document, ("spec", "kubeVersion")))
    return entry(note="no `kubeVersion` in kagent-render.yaml")


def _status(status: PluginStatus) -> Explanation:
    source = Provenance(status.plugin.document, ("metadata", "name"))
    field = f"plugins[{status.plugin.name}]"
    return _entry(STATUS, field, f"{status.phase}, {status.reason}: {status.message}", source)


def _text(path: tuple[str, ...], value: Any) -> str:
    if holds_credential(path[-1] if path else "", value):
        return _UNSHOWN
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
