"""The facts of a PlatformAgent and its plugins; no literal of theirs is ever shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.agentplugin.profiles import DEFAULT
from kagent_render.review import topics
from kagent_render.review.effect import MOUNTED, READY
from kagent_render.review.fact import Fact, hidden, leaves, literal
from kagent_render.review.parameters import agent_topic

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.agentplugin.compiled import CompiledAgent
    from kagent_render.agentplugin.lock import AgentLock, LockedPlugin
    from kagent_render.api.kubeagents import AgentPlugin, PlatformAgent


def agent_lock_facts(lock: AgentLock) -> Iterator[Fact]:
    """Every fact that a PlatformAgent's lock tells by itself."""
    yield Fact(topics.VERSION, "", "operator", lock.upstream)
    yield Fact(topics.VERSION, "", "PlatformAgent", lock.agent.api_version)
    volumes = lock.image_volumes
    yield Fact(topics.IMAGE_VOLUMES, "", "", MOUNTED if volumes.supported else "not mounted")
    for plugin in lock.plugins:
        yield from _locked(plugin)


def _locked(plugin: LockedPlugin) -> Iterator[Fact]:
    name, inside = plugin.name, _holder(plugin.name)
    yield Fact(topics.PLUGIN, name, "", inside=inside)
    yield Fact(topics.VERSION, name, "AgentPlugin", plugin.api_version, inside=inside)
    yield Fact(topics.PROFILE, name, "", plugin.profile or DEFAULT, inside=inside)
    state = READY if plugin.phase == READY else f"{plugin.phase}: {plugin.reason}"
    yield Fact(topics.STATUS, name, "", state, inside=inside)
    if plugin.image is not None:
        reference = plugin.image.reference.partition("@")[0]
        yield Fact(topics.IMAGE, name, "", plugin.image.digest, inside=inside)
        yield Fact(topics.REFERENCE, name, "", reference, inside=inside)
        if (manifest := plugin.image.manifest) is not None:
            described = f"{manifest.name} {manifest.version}".strip()
            seal = f"{manifest.requires_plugins} {manifest.requires_env}"
            yield Fact(topics.PACKAGE, name, "", described, seal, inside)


def agent_facts(compiled: CompiledAgent) -> Iterator[Fact]:
    """Every fact of a compiled PlatformAgent that its lock has only as a digest."""
    yield from _own(compiled.agent)
    for plugin in compiled.selected:
        yield from _variables(plugin)
        yield from _metadata(plugin)
    for plugin, config in compiled.configured:
        for field, value in leaves(config.values) if config.values else ():
            yield hidden(topics.CONFIG_KEY, plugin.name, field, value, _holder(plugin.name))
    for volume in compiled.volumes:
        name, path = volume.plugin.name, volume.mount_path
        yield Fact(topics.VOLUME, name, "", path, inside=_holder(name))


def _own(agent: PlatformAgent) -> Iterator[Fact]:
    """The agent's own fields; a literal of its environment has its name in another field."""
    for field, value in leaves(agent.spec):
        is_variable = field.startswith("deployment.env[")
        yield (hidden if is_variable else literal)(agent_topic(field), "", field, value)


def _variables(plugin: AgentPlugin) -> Iterator[Fact]:
    inside = _holder(plugin.name)
    for variable in plugin.env:
        match variable.source:
            case None:
                yield hidden(topics.VARIABLE, plugin.name, variable.name, variable.value or "", inside)
            case {"secretKeyRef": {"name": name, "key": key, **more}}:
                optional = ", optional" if more.get("optional") else ""
                secret = f"Secret {name}, key {key}{optional}"
                yield Fact(topics.CREDENTIAL, plugin.name, variable.name, secret, inside=inside)
            case other:
                for field, value in leaves(other):
                    name = f"{variable.name} {field}"
                    yield Fact(topics.VARIABLE, plugin.name, name, value, inside=inside)


def _metadata(plugin: AgentPlugin) -> Iterator[Fact]:
    inside = _holder(plugin.name)
    if plugin.pull_policy is not None:
        yield Fact(topics.REFERENCE, plugin.name, "pull policy", plugin.pull_policy, inside=inside)
    if plugin.generation is not None:
        yield Fact(topics.VERSION, plugin.name, "generation", str(plugin.generation), inside=inside)


def _holder(plugin: str) -> str:
    """What facts of a plugin go away with."""
    return f"plugin {plugin}"
