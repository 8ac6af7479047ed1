"""Why a plugin is degraded, told at the field that is at fault."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kagent_render.agentplugin.image_volumes import ANNOTATION, DEFAULT, KUBE_VERSION
from kagent_render.agentplugin.images import PullFailure
from kagent_render.agentplugin.mention import mention
from kagent_render.agentplugin.names import LONGEST, built_in_like, normalize
from kagent_render.api.kubeagents import IMAGE_VOLUMES_ANNOTATION
from kagent_render.diagnostics.reasons import Reason
from kagent_render.graph.nearest import nearest_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from kagent_render.agentplugin.compiled import CompiledAgent
    from kagent_render.agentplugin.images import PluginImage
    from kagent_render.api.kubeagents import AgentPlugin
    from kagent_render.diagnostics.diagnostic import Diagnostic

_NAME: Final = ("metadata", "name")
_IMAGE: Final = ("spec", "image")
_AGENT: Final = ("spec", "agentRef")
_UNSUPPORTED: Final = {
    ANNOTATION: (
        f"the annotation `{IMAGE_VOLUMES_ANNOTATION}` turns image volumes off",
        'remove the annotation of PlatformAgent `{agent}`, or set it to `"true"`',
    ),
    KUBE_VERSION: (
        "`spec.kubeVersion` of the RenderConfig is below 1.35, from which on clusters have image volumes",
        "set `spec.kubeVersion` to the version that the cluster has now, or, where its feature gate"
        f' `ImageVolume` is on, annotate PlatformAgent `{{agent}}` with `{IMAGE_VOLUMES_ANNOTATION}: "true"`',
    ),
    DEFAULT: (
        "neither an annotation nor a `kubeVersion` that can be read says that the cluster has image volumes",
        'set `spec.kubeVersion` of the RenderConfig to the version that the cluster has, `"1.35"` or newer,'
        f' or annotate PlatformAgent `{{agent}}` with `{IMAGE_VOLUMES_ANNOTATION}: "true"`',
    ),
}
_NOT_A_NAME: Final = re.compile(r"^[0-9]+|[^a-z0-9]")


def status_findings(
    compiled: CompiledAgent, images: Mapping[str, PluginImage | PullFailure]
) -> Iterator[Diagnostic]:
    """One error for each plugin of the agent that is not ready, in name order."""
    owners: dict[str, str] = {}
    rendered = {id(plugin) for plugin in compiled.rendered}
    for status in compiled.statuses:
        plugin = status.plugin
        owner = owners.setdefault(normalize(plugin.name), plugin.name)
        image = images.get(plugin.image)
        if status.reason == Reason.INVALID_PLUGIN_NAME:
            yield _invalid_name(plugin)
        elif status.reason == Reason.DUPLICATE_PLUGIN_NAME:
            yield _duplicate_name(plugin, owner, rendered=id(plugin) in rendered)
        elif status.reason == Reason.IMAGE_VOLUME_UNSUPPORTED:
            yield _unsupported(plugin, compiled)
        elif isinstance(image, PullFailure):
            yield _pull_failed(plugin, compiled, image)


def orphan_findings(
    orphans: Iterable[AgentPlugin], agents: Collection[tuple[str, str]]
) -> Iterator[Diagnostic]:
    """One error for each plugin that none of the `agents` (namespace, name) takes."""
    for plugin in orphans:
        hint = _nearest_agent(plugin, agents)
        missing = f"PlatformAgent `{plugin.agent}` does not exist in namespace `{plugin.namespace}`"
        message = missing if plugin.agent else "an empty `agentRef` names no PlatformAgent"
        yield plugin.document.fault(
            Reason.AGENT_NOT_FOUND, _AGENT, f"{message}, so the plugin is applied nowhere", hint=hint
        )


def _nearest_agent(plugin: AgentPlugin, agents: Collection[tuple[str, str]]) -> str:
    names = sorted(name for namespace, name in agents if namespace == plugin.namespace)
    elsewhere = sorted(namespace for namespace, name in agents if name == plugin.agent)
    near = nearest_name(plugin.agent, names)
    if near is None and not plugin.agent and len(names) == 1:
        near = names[0]
    if near is not None:
        return f"write `{near}`"
    if elsewhere:
        return f"move the plugin to namespace `{elsewhere[0]}`, where that PlatformAgent is"
    return "write the name of a PlatformAgent of this namespace, or add its manifest"


def _invalid_name(plugin: AgentPlugin) -> Diagnostic:
    better = _NOT_A_NAME.sub("", plugin.name.lower())[:LONGEST]
    example = f" such as `{better}`" if better and not better[0].isdigit() else ""
    return plugin.document.fault(
        Reason.INVALID_PLUGIN_NAME,
        _NAME,
        f"{mention([plugin.name])} cannot be the name of a plugin, which is a directory and a Python module",
        hint=f"choose a name{example} of at most {LONGEST} lower-case letters and digits, a letter first",
    )


def _duplicate_name(plugin: AgentPlugin, other: str, *, rendered: bool) -> Diagnostic:
    built_in = built_in_like(plugin.name)
    owner = f"the built-in plugin `{built_in}`" if built_in else f"plugin `{other}`"
    beside = ", and is rendered all the same" if rendered else ""
    return plugin.document.fault(
        Reason.DUPLICATE_PLUGIN_NAME,
        _NAME,
        f"`{plugin.name}` is the name of {owner} when case and separators are left out{beside}",
        hint=f"rename the plugin{'' if built_in else ' or the other one'}",
    )


def _unsupported(plugin: AgentPlugin, compiled: CompiledAgent) -> Diagnostic:
    cause, hint = _UNSUPPORTED[compiled.image_volumes.decided_by]
    return plugin.document.fault(
        Reason.IMAGE_VOLUME_UNSUPPORTED,
        _IMAGE,
        f"the image is not mounted, though the plugin stays enabled: {cause}",
        hint=hint.format(agent=compiled.agent.name),
    )


def _pull_failed(plugin: AgentPlugin, compiled: CompiledAgent, failure: PullFailure) -> Diagnostic:
    image = f"`{plugin.image}`" if plugin.image else "an empty reference"
    return plugin.document.fault(
        Reason.IMAGE_PULL_FAILED,
        _IMAGE,
        f"{image} cannot be pulled, and the plugin is left out to let PlatformAgent"
        f" `{compiled.agent.name}` start: {failure.cause}",
        hint=failure.hint or "push the image, or write a reference that its registry has",
    )
