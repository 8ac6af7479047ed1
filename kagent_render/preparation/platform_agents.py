"""The PlatformAgents of a root with their plugins, as they come out of preparation."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.agentplugin.compiled import CompiledAgent, PluginStatus
    from kagent_render.agentplugin.images import PluginImage, PullFailure
    from kagent_render.api.hub import Inventory
    from kagent_render.artifacts.failure import ArtifactFailure
    from kagent_render.diagnostics.diagnostic import Diagnostic, PlatformAgentRef

    ImageOutcome = PluginImage | PullFailure | ArtifactFailure


@dataclass(frozen=True, slots=True)
class Images:
    """What is known of images by their references.

    `taken` is what the output names, `locked` what the committed locks pin, and `current` what registries say
    now where they were asked although a lock pins the image. `unasked` are images whose digest is taken
    although their registry could not be asked, with the reason. `damaged` says of agents why their locks pin
    nothing.
    """

    taken: Mapping[str, ImageOutcome] = field(default_factory=dict)
    locked: Mapping[str, PluginImage] = field(default_factory=dict)
    current: Mapping[str, PluginImage | PullFailure] = field(default_factory=dict)
    unasked: Mapping[str, ArtifactFailure] = field(default_factory=dict)
    damaged: Mapping[PlatformAgentRef, Diagnostic] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AgentOutcome:
    """A PlatformAgent compiled, or None with its faults; `blocked` where it needs an invalid document."""

    ref: PlatformAgentRef
    compiled: CompiledAgent | None
    faults: tuple[Diagnostic, ...] = ()
    blocked: bool = False


@dataclass(frozen=True, slots=True)
class PlatformAgents:
    """Every PlatformAgent of one root, in order.

    `findings` are told, errors among them, and keep nothing from being written: what they are about is left
    out of the output, as the operator would. `orphans` are the statuses of plugins that no agent takes.
    """

    outcomes: tuple[AgentOutcome, ...] = ()
    findings: tuple[Diagnostic, ...] = ()
    orphans: tuple[PluginStatus, ...] = ()

    @property
    def faults(self) -> list[Diagnostic]:
        """What keeps agents from being written."""
        return [fault for outcome in self.outcomes for fault in outcome.faults]


def has_platform_agents(inventory: Inventory) -> bool:
    """Whether a root holds anything of the kinds, valid or not."""
    kinds = ("AgentPlugin", "PlatformAgent")
    return bool(
        inventory.platform_agents
        or inventory.agent_plugins
        or any(kind in kinds for kind, *_ in inventory.broken)
    )
