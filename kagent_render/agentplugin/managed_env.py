"""`managed.env`: the variables that the operator pins for the chat platforms; no plugin touches it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kagent_render.api.kubeagents import GoogleChat, PlatformAgent, Slack

KEY: Final = "managed.env"

_RELAY: Final = "http://127.0.0.1:8765"
"""The credential proxy of the same pod."""


def managed_env(agent: PlatformAgent) -> str:
    """One `KEY=value` a line, in the operator's order; empty where no platform is enabled."""
    return "".join(f"{name}={value}\n" for name, value in managed_variables(agent))


def managed_variables(agent: PlatformAgent) -> list[tuple[str, str]]:
    """The variables with their values, in the operator's order."""
    pins: list[tuple[str, str]] = []
    if agent.google_chat is not None and agent.google_chat.enabled:
        pins += _google_chat(agent.google_chat)
    if agent.slack is not None and agent.slack.enabled:
        pins += _slack(agent.slack)
    if pins:
        pins += [("GATEWAY_ALLOWED_USERS", ""), ("GATEWAY_ALLOW_ALL_USERS", "false")]
    return pins


def _google_chat(chat: GoogleChat) -> Iterator[tuple[str, str]]:
    yield "GOOGLE_CHAT_RELAY_URL", _RELAY
    yield "GOOGLE_CHAT_PROJECT_ID", chat.project
    yield "GOOGLE_CHAT_SUBSCRIPTION_NAME", f"projects/{chat.project}/subscriptions/{chat.subscription}"
    yield "GOOGLE_CHAT_ALLOWED_USERS", ",".join(chat.allowed_users)
    yield "GOOGLE_CHAT_ALLOW_ALL_USERS", _all_users(chat.allowed_users)


def _slack(slack: Slack) -> Iterator[tuple[str, str]]:
    yield "SLACK_RELAY_URL", _RELAY
    yield "SLACK_ALLOWED_USERS", ",".join(slack.allowed_users)
    yield "SLACK_ALLOW_ALL_USERS", _all_users(slack.allowed_users)


def _all_users(allowed: Sequence[str]) -> str:
    """Whether nobody is kept out: by no list, or by one that holds an empty name alone."""
    return "true" if tuple(allowed) in ((), ("",)) else "false"
