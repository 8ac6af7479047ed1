"""What the operator itself writes into the overlays, before any plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.api.kubeagents import Limits, PlatformAgent

_SPECIALIST_MEMORY: Final = frozenset({"kube_agents_memory", "hindsight"})
"""The providers that can serve a profile which has no user of its own."""

_FRONT_DOOR_TOOLSETS: Final = (
    "hermes-cli",
    "mcp-platform_control",
    "mcp-developer_knowledge",
    "mcp-gke",
    "memory",
)
_FRONT_DOOR_PLUGINS: Final = ("session_store", "session_otel_bridge", "legacy_slash_commands")
_WAKE_ON: Final = ("gave_up", "crashed", "timed_out", "blocked")
_DISPATCH_INTERVAL: Final = 5  # seconds
_MAX_IN_PROGRESS: Final = 2


def limits(of_profile: Limits | None) -> dict[str, Any]:
    """The `agent` block of those limits that are set; empty where none is."""
    if of_profile is None:
        return {}
    values = {"api_max_retries": of_profile.api_max_retries, "max_turns": of_profile.max_turns}
    chosen = {name: value for name, value in values.items() if value is not None}
    return {"agent": chosen} if chosen else {}


def memory(agent: PlatformAgent) -> dict[str, Any]:
    """The `memory` block of the platform profile: no provider where the agent's serves single users only."""
    provider = agent.memory_provider.strip()
    return {"memory": {"provider": provider if provider.lower() in _SPECIALIST_MEMORY else ""}}


def front_door(agent: PlatformAgent) -> dict[str, Any]:
    """What makes the platform profile the one that chats reach; empty where it is not."""
    if not agent.front_door:
        return {}
    return {
        "platform_toolsets": {
            "google_chat": list(_FRONT_DOOR_TOOLSETS),
            "slack": list(_FRONT_DOOR_TOOLSETS),
        },
        "plugins": {"enabled": list(_FRONT_DOOR_PLUGINS)},
        "kanban": _kanban(agent.max_in_progress),
    }


def board(agent: PlatformAgent) -> Mapping[str, Any]:
    """The `kanban` block of the default profile: the agent's own cap, empty where it sets none."""
    if agent.max_in_progress is None:
        return {}
    return {"kanban": {"max_in_progress": agent.max_in_progress}}


def _kanban(max_in_progress: int | None) -> dict[str, Any]:
    return {
        "dispatch_in_gateway": True,
        "auto_subscribe_on_create": True,
        "dispatch_interval_seconds": _DISPATCH_INTERVAL,
        "wake_on_events": list(_WAKE_ON),
        "max_in_progress": _MAX_IN_PROGRESS if max_in_progress is None else max_in_progress,
    }
