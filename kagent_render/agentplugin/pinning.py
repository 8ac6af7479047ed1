"""The lock of a compiled agent: what stands for each of its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.agentplugin.compiled import UPSTREAM
from kagent_render.agentplugin.lock import AgentLock, LockedAgent, LockedImageVolumes, LockedPlugin
from kagent_render.agentplugin.lock_document import seal
from kagent_render.api.kubeagents import IMAGE_VOLUMES_ANNOTATION
from kagent_render.diagnostics.reasons import Reason
from kagent_render.revision.canonical_json import text_digest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.agentplugin.compiled import CompiledAgent, ImageVolumes, PluginStatus
    from kagent_render.api.kubeagents import PlatformAgent
    from kagent_render.revision.spec_digest import SpecDigests


def pin_agent(
    compiled: CompiledAgent, digests: SpecDigests, kube_version: str | None, files: Mapping[str, bytes]
) -> AgentLock:
    """The sealed lock of an agent with every plugin that names it, and with the digests of its `files`.

    `kube_version` is RenderConfig's.
    """
    return seal(
        AgentLock(
            namespace=compiled.agent.namespace,
            upstream=UPSTREAM,
            agent=_agent(compiled.agent, digests),
            image_volumes=_image_volumes(compiled.image_volumes, kube_version),
            plugins=tuple(_plugin(status, compiled, digests) for status in compiled.statuses),
            config={key: text_digest(text) for key, text in compiled.data.items()},
            config_hash=compiled.config_hash,
            files={name: text_digest(content.decode()) for name, content in files.items()},
        )
    )


def _agent(agent: PlatformAgent, digests: SpecDigests) -> LockedAgent:
    annotations = {
        name: value for name, value in agent.annotations.items() if name == IMAGE_VOLUMES_ANNOTATION
    }
    return LockedAgent(
        agent.ref.api_version, agent.name, digests.of[agent.ref], digests.of_fields(agent), annotations
    )


def _image_volumes(found: ImageVolumes, kube_version: str | None) -> LockedImageVolumes:
    """A version that the annotation overrides is no input."""
    used = None if found.decided_by == "annotation" else kube_version
    return LockedImageVolumes(found.supported, found.decided_by, used)


def _plugin(status: PluginStatus, compiled: CompiledAgent, digests: SpecDigests) -> LockedPlugin:
    plugin = status.plugin
    failing = plugin in compiled.rendered or status.reason == Reason.IMAGE_PULL_FAILED
    return LockedPlugin(
        name=plugin.name,
        api_version=plugin.ref.api_version,
        spec_digest=digests.of[plugin.ref],
        fields=digests.of_fields(plugin),
        config_digest=text_digest(plugin.config),
        phase=status.phase,
        reason=status.reason,
        profile=plugin.profile,
        image=compiled.image_of(plugin),
        pull_failure=compiled.pull_failures.get(plugin.image) if failing else None,
    )
