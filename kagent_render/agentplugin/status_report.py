"""The statuses that the operator would give an agent's plugins, as a report that is applied nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kagent_render.revision.lock_document import API_VERSION

if TYPE_CHECKING:
    from kagent_render.agentplugin.compiled import CompiledAgent, PluginStatus

KIND: Final = "AgentPluginStatusReport"


def status_report(compiled: CompiledAgent, upstream: str) -> dict[str, Any]:
    """One entry per plugin that names the agent, sorted by name; times are left out."""
    statuses = sorted(compiled.statuses, key=lambda status: status.plugin.name)
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"namespace": compiled.agent.namespace, "name": compiled.agent.name},
        "upstream": upstream,
        "plugins": [_entry(status) for status in statuses],
    }


def _entry(status: PluginStatus) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": status.plugin.name, "phase": status.phase}
    if status.observed_generation is not None:
        entry["observedGeneration"] = status.observed_generation
    if status.target_agents is not None:
        entry["targetAgents"] = list(status.target_agents)
    entry["conditions"] = [_ready(status)]
    return entry


def _ready(status: PluginStatus) -> dict[str, str]:
    return {
        "type": "Ready",
        "status": "True" if status.is_ready else "False",
        "reason": status.reason,
        "message": status.message,
    }
