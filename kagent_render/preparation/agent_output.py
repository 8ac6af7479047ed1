"""From compiled PlatformAgents to the files of their Components."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.emit.plan import AgentOutput

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.agentplugin.lock import AgentLock
    from kagent_render.diagnostics.diagnostic import PlatformAgentRef
    from kagent_render.preparation.platform_agents import AgentOutcome
    from kagent_render.revision.spec_digest import SpecDigests
    from kagent_render.source.config import RenderConfig


@dataclass(frozen=True, slots=True)
class LockedPlatformAgent:
    """A PlatformAgent with its lock and the files that it consists of."""

    outcome: AgentOutcome
    lock: AgentLock
    output: AgentOutput


def lock_agents(
    outcomes: Iterable[AgentOutcome], config: RenderConfig, digests: SpecDigests
) -> dict[PlatformAgentRef, LockedPlatformAgent]:
    """Lock every PlatformAgent that compiled."""
    return {
        outcome.ref: _lock(outcome, config, digests) for outcome in outcomes if outcome.compiled is not None
    }


def _lock(outcome: AgentOutcome, config: RenderConfig, digests: SpecDigests) -> LockedPlatformAgent:
    from kagent_render.agentplugin.component import agent_files, component_files
    from kagent_render.agentplugin.pinning import pin_agent

    compiled = outcome.compiled
    assert compiled is not None
    files = component_files(compiled)
    lock = pin_agent(compiled, digests, config.kube_version, files)
    return LockedPlatformAgent(outcome, lock, AgentOutput(outcome.ref, agent_files(compiled, files, lock)))
