"""What is to be told of one compiled agent, but for its plugins' `config` and the content of images."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Final

from kagent_render.agentplugin.config_map import CONFIG_HASH_ANNOTATION
from kagent_render.agentplugin.config_places import CONFIG
from kagent_render.agentplugin.config_reading import MAX_BYTES
from kagent_render.agentplugin.environment_findings import environment_findings
from kagent_render.agentplugin.profiles import PLATFORM, SCAFFOLDED, is_of_a_cluster
from kagent_render.agentplugin.status_findings import status_findings
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.agentplugin.compiled import CompiledAgent, PluginVolume
    from kagent_render.agentplugin.images import PluginImage, PullFailure
    from kagent_render.api.kubeagents import AgentPlugin
    from kagent_render.diagnostics.diagnostic import Diagnostic

_PROFILE: Final = ("spec", "targetProfile")


def agent_findings(
    compiled: CompiledAgent, images: Mapping[str, PluginImage | PullFailure]
) -> Iterator[Diagnostic]:
    """Statuses, profiles, variables, mounts, restarts and size; `images` as they were compiled with."""
    yield from status_findings(compiled, images)
    for plugin in compiled.rendered:
        yield from _profile_findings(plugin, front_door=compiled.agent.front_door)
    yield from environment_findings(compiled.agent, compiled.rendered)
    yield from _mount_conflicts(compiled)
    yield from _restart_findings(compiled)
    yield from _size_findings(compiled)


def _profile_findings(plugin: AgentPlugin, *, front_door: bool) -> Iterator[Diagnostic]:
    if plugin.profile:
        if plugin.profile not in SCAFFOLDED:
            yield _profile_missing(plugin)
    elif front_door:
        yield plugin.document.fault(
            Reason.PLUGIN_NOT_SERVED,
            _PROFILE,
            f"the plugin is in the default profile, and `platformFrontDoor` sends every chat to `{PLATFORM}`",
            hint=f"set `targetProfile: {PLATFORM}`",
            severity=Severity.WARNING,
        )


def _profile_missing(plugin: AgentPlugin) -> Diagnostic:
    if is_of_a_cluster(plugin.profile):
        return plugin.document.fault(
            Reason.PROFILE_NOT_FOUND,
            _PROFILE,
            f"profile `{plugin.profile}`, and with it the plugin, comes when its cluster is onboarded",
            hint="see that the cluster is onboarded under this name",
            severity=Severity.INFO,
        )
    return plugin.document.fault(
        Reason.PROFILE_NOT_FOUND,
        _PROFILE,
        f"nothing scaffolds profile `{plugin.profile}`, so the plugin would never load",
        hint=f"write `{PLATFORM}` or a cluster's profile, `cluster-...`, or leave it out for the default one",
        severity=Severity.WARNING,
    )


def _mount_conflicts(compiled: CompiledAgent) -> Iterator[Diagnostic]:
    agent = compiled.agent
    mounts = {_plain(path) for path in agent.mounts}
    for volume in compiled.volumes:
        taken = [f"volume `{volume.name}`"] if volume.name in agent.volumes else []
        if _plain(volume.mount_path) in mounts:
            taken.append(f"mount path `{volume.mount_path}`")
        if taken:
            yield _mount_conflict(volume, " and ".join(taken), agent.name)


def _mount_conflict(volume: PluginVolume, taken: str, agent: str) -> Diagnostic:
    return volume.plugin.document.fault(
        Reason.PLUGIN_MOUNT_CONFLICT,
        ("metadata", "name"),
        f"`spec.deployment` of PlatformAgent `{agent}` has {taken} too, which a pod can have only once",
        hint="rename the plugin, or what the PlatformAgent adds",
        severity=Severity.WARNING,
    )


def _plain(path: str) -> str:
    """A mount path without what makes no difference to where it is."""
    return posixpath.normpath(f"/{path.lstrip('/')}")


def _restart_findings(compiled: CompiledAgent) -> Iterator[Diagnostic]:
    if CONFIG_HASH_ANNOTATION in compiled.agent.pod_annotations:
        yield compiled.agent.document.fault(
            Reason.CONFIG_HASH_OVERRIDDEN,
            ("spec", "deployment", "podAnnotations", CONFIG_HASH_ANNOTATION),
            f"`{CONFIG_HASH_ANNOTATION}` is set by hand, so that a changed configuration restarts nothing",
            hint="remove the annotation",
            severity=Severity.WARNING,
        )


def _size_findings(compiled: CompiledAgent) -> Iterator[Diagnostic]:
    """A ConfigMap that no API server takes, told at the longest config."""
    size = sum(len(key) + len(text.encode()) for key, text in compiled.data.items())
    if size > MAX_BYTES and compiled.rendered:
        longest = max(compiled.rendered, key=lambda plugin: len(plugin.config))
        yield longest.document.fault(
            Reason.PLUGIN_CONFIG_INVALID,
            CONFIG,
            f"the ConfigMap of PlatformAgent `{compiled.agent.name}` is larger than the 1 MiB that Kubernetes"
            " takes, so that no plugin's config is applied; this one is the longest",
            hint="shorten it",
        )
