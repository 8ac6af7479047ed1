"""Why an agent's lock is stale: each input that differs between the committed lock and the one of now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.revision.staleness import UNEXPLAINED, Cause, field_causes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.agentplugin.lock import AgentLock, LockedPlugin

_AGENT = "PlatformAgent"
_PLUGIN = "AgentPlugin"


def find_causes(known: AgentLock, now: AgentLock) -> list[Cause]:
    """Every cause, sources first; what merely follows from one of them is not a cause of its own."""
    causes = [*_agent(known, now), *_kube_version(known, now), *_plugins(known, now), *_upstream(known, now)]
    return causes or list(_circumstances(known, now)) or [UNEXPLAINED]


def is_of_another_release(known: AgentLock, now: AgentLock) -> bool:
    """Whether no input differs, so that another release of the program wrote the same otherwise."""
    sources = (*_agent(known, now), *_kube_version(known, now), *_plugins(known, now))
    return not sources and known.plugins == now.plugins


def _agent(known: AgentLock, now: AgentLock) -> Iterator[Cause]:
    was, agent = known.agent, now.agent
    if was.api_version != agent.api_version:
        yield Cause(f"{_AGENT} `{agent.name}` is of another version", _AGENT, agent.name, ("apiVersion",))
    if was.spec_digest != agent.spec_digest:
        yield from field_causes(_AGENT, agent.name, was.fields, agent.fields)
    for name in sorted({*was.annotations, *agent.annotations}):
        if was.annotations.get(name) != agent.annotations.get(name):
            message = f"the annotation `{name}` of {_AGENT} `{agent.name}` was edited"
            yield Cause(message, _AGENT, agent.name, ("metadata", "annotations", name))


def _kube_version(known: AgentLock, now: AgentLock) -> Iterator[Cause]:
    """RenderConfig's version; that it counts no longer, or again, is the doing of the annotation."""
    was, volumes = known.image_volumes, now.image_volumes
    if was.kube_version != volumes.kube_version and known.agent.annotations == now.agent.annotations:
        message = "`spec.kubeVersion` was edited in RenderConfig"
        yield Cause(message, "RenderConfig", "kagent-render", ("spec", "kubeVersion"))


def _plugins(known: AgentLock, now: AgentLock) -> Iterator[Cause]:
    before = {plugin.name: plugin for plugin in known.plugins}
    after = {plugin.name: plugin for plugin in now.plugins}
    for name in sorted({*before, *after}):
        if name not in before:
            yield Cause(f"{_PLUGIN} `{name}` was added to {_AGENT} `{now.agent.name}`", _PLUGIN, name)
        elif name not in after:
            yield Cause(f"{_PLUGIN} `{name}` was removed from {_AGENT} `{now.agent.name}`", _PLUGIN, name)
        else:
            yield from _plugin(before[name], after[name])


def _plugin(was: LockedPlugin, plugin: LockedPlugin) -> Iterator[Cause]:
    name = plugin.name
    if was.api_version != plugin.api_version:
        yield Cause(f"{_PLUGIN} `{name}` is of another version", _PLUGIN, name, ("apiVersion",))
    if was.spec_digest != plugin.spec_digest:
        yield from field_causes(_PLUGIN, name, was.fields, plugin.fields)
    old, new = was.image, plugin.image
    if old and new and old.reference == new.reference and old.digest != new.digest:
        message = f"the image `{new.reference}` of {_PLUGIN} `{name}` was resolved anew: its digest changed"
        yield Cause(message, _PLUGIN, name, ("spec", "image"))


def _upstream(known: AgentLock, now: AgentLock) -> Iterator[Cause]:
    if known.upstream != now.upstream:
        yield Cause(f"the modelled operator is `{now.upstream}`, the lock has `{known.upstream}`")


def _circumstances(known: AgentLock, now: AgentLock) -> Iterator[Cause]:
    """What changes a lock while every manifest and setting stays as it was."""
    before = {plugin.name: plugin for plugin in known.plugins}
    for plugin in sorted(now.plugins, key=lambda plugin: plugin.name):
        was, place = before[plugin.name], (_PLUGIN, plugin.name, ("spec", "image"))
        if (was.phase, was.reason) != (plugin.phase, plugin.reason):
            message = f"{_PLUGIN} `{plugin.name}` is `{plugin.reason}`, the lock has `{was.reason}`"
            yield Cause(message, *place)
        elif (was.image, was.pull_failure) != (plugin.image, plugin.pull_failure):
            yield Cause(f"what is known of the image of {_PLUGIN} `{plugin.name}` changed", *place)
    status = "status.yaml"
    if known.plugins == now.plugins and known.files.get(status) != now.files.get(status):
        yield Cause(f"what `{status}` tells of the plugins of {_AGENT} `{now.agent.name}` changed")
    if known.schema != now.schema:
        yield Cause("the lock has another schema revision")
