"""What compiling one PlatformAgent with its plugins gives: plain values, before any file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.agentplugin.images import PluginImage, PullFailure
    from kagent_render.agentplugin.overlays import Configured
    from kagent_render.api.kubeagents import AgentPlugin, EnvVar, PlatformAgent

UPSTREAM: Final = "gke-labs/kube-agents@f4e8b934"
"""The repository and revision of the operator whose behaviour is modelled."""


@dataclass(frozen=True, slots=True)
class ImageVolumes:
    """Whether the cluster mounts image volumes; `annotation`, `kubeVersion` or `default` decided."""

    supported: bool
    decided_by: str


@dataclass(frozen=True, slots=True)
class PluginVolume:
    """One image volume of the gateway's pod, and where its container `platform-agent` mounts it.

    `reference` is the image with its digest; empty where the plugin names no image.
    """

    plugin: AgentPlugin
    name: str
    reference: str
    pull_policy: str
    mount_path: str


@dataclass(frozen=True, slots=True)
class PluginVariable:
    """One environment variable of the container `platform-agent`, and the plugin that defines it."""

    plugin: AgentPlugin
    index: int
    variable: EnvVar

    @property
    def name(self) -> str:
        """The variable's name."""
        return self.variable.name


@dataclass(frozen=True, slots=True)
class PluginStatus:
    """The status that a plugin has; no time plays a part.

    `target_agents` None is the null of an AgentNotFound, `observed_generation` None that the manifest has no
    generation.
    """

    plugin: AgentPlugin
    phase: str
    reason: str
    message: str
    target_agents: tuple[str, ...] | None
    observed_generation: int | None = None

    @property
    def is_ready(self) -> bool:
        """Whether the condition `Ready` is True."""
        return self.phase == "Ready"


@dataclass(frozen=True, slots=True)
class CompiledAgent:
    """One PlatformAgent with its plugins.

    `selected` are all plugins that name the agent, in name order; `rendered` those of them that the output
    holds. `data` is the ConfigMap's, `config_hash` its digest as the pod's annotation has it. `images` has
    what is known of each rendered plugin's image, by its reference, `pull_failures` the images that cannot be
    had. `configured` are the rendered plugins with their configs as they were read.
    """

    agent: PlatformAgent
    selected: tuple[AgentPlugin, ...]
    rendered: tuple[AgentPlugin, ...]
    image_volumes: ImageVolumes
    data: Mapping[str, str]
    config_hash: str
    volumes: tuple[PluginVolume, ...]
    env: tuple[PluginVariable, ...]
    statuses: tuple[PluginStatus, ...]
    images: Mapping[str, PluginImage]
    pull_failures: Mapping[str, PullFailure] = field(default_factory=dict)
    configured: tuple[Configured, ...] = ()

    def image_of(self, plugin: AgentPlugin) -> PluginImage | None:
        """The image that the output names for a plugin; None for one that is left out."""
        return self.images.get(plugin.image) if plugin in self.rendered else None
