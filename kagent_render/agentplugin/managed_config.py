"""`managed-config.yaml`: what the operator pins for every profile, with the plugins' `platforms`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kagent_render.agentplugin.merge import merge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.agentplugin.config_reading import PluginConfig
    from kagent_render.api.kubeagents import GoogleChat, PlatformAgent

KEY: Final = "managed-config.yaml"

_MODEL: Final = "model-default"
_TYPING: Final = "Kage is thinking…"


def managed_config(agent: PlatformAgent, configs: Iterable[PluginConfig]) -> dict[str, Any]:
    """The operator's own values, then each config's `platforms`, targeted or not, in the order given."""
    added = ({"platforms": config.values["platforms"]} for config in configs if "platforms" in config.values)
    return merge(operator_config(agent), *added)


def operator_config(agent: PlatformAgent) -> dict[str, Any]:
    """What the operator pins before any plugin."""
    chat = agent.google_chat
    return {
        "approvals": {"cron_mode": "approve"},
        "display": {"platforms": {"google_chat": _verbosity(chat)}} if chat is not None else {},
        "model": {
            "api_key": "none",
            "api_mode": "chat_completions",
            "base_url": f"http://litellm.{agent.namespace}.svc.cluster.local/v1",
            "default": _MODEL,
            "model": _MODEL,
            "provider": "custom",
        },
        "platforms": _platforms(agent),
    }


def _platforms(agent: PlatformAgent) -> dict[str, Any]:
    google_chat: dict[str, Any] = {"enabled": False}
    if agent.google_chat is not None and agent.google_chat.enabled:
        google_chat = {"enabled": True, "typing_status_text": _TYPING}
    slack = agent.slack is not None and agent.slack.enabled
    return {"google_chat": google_chat, "slack": {"enabled": slack, "extra": {"rich_blocks": True}}}


def _verbosity(chat: GoogleChat) -> Mapping[str, Any]:
    debug = chat.mode.lower() == "debug"
    return {
        "tool_progress": "all" if debug else "off",
        "memory_notifications": "verbose" if debug else "off",
        "interim_assistant_messages": debug,
        "long_running_notifications": True,
        "busy_ack_detail": debug,
    }
