"""The names of the variables that the operator itself gives the gateway's container."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kagent_render.api.kubeagents import PlatformAgent

HOME: Final = "PLATFORM_AGENT_HOME"
"""The variable that says where the agent's home is; mounts do not follow it."""

OPERATOR_OWNED: Final = (
    "HERMES_MANAGED_DIR",
    "CREDENTIAL_PROXY_URL",
    "PATH",
    "PYTHONPATH",
    "HINDSIGHT_API_URL",
    "MEMORY_PROVIDER",
    "AGENT_SHARED_STATE_SETUP",
    "API_SERVER_MODEL_NAME",
    "HERMES_GATEWAY_PROFILE",
)
"""Appended after those of plugins, so that the operator's own value holds."""

_DEFAULTS: Final = (
    HOME,
    "HOME",
    "PLATFORM_AGENT_PLUGINS_DEBUG",
    "API_SERVER_ENABLED",
    "API_SERVER_HOST",
    "API_SERVER_KEY",
    "SESSION_KV_DB_PATH",
    "SESSION_KV_API_KEY",
    "SESSION_KV_SALT",
    "OTEL_SERVICE_NAME",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_PROTOCOL",
    "OTEL_RESOURCE_ATTRIBUTES",
)
_PASSED_ON: Final = frozenset(
    {
        "ALERT_DAILY_LIMIT_CRITICAL",
        "ALERT_DAILY_LIMIT_INFO",
        "ALERT_DAILY_LIMIT_WARNING",
        "EOD_EXCLUDE_NAMESPACES",
        "OTEL_SDK_DISABLED",
    }
)
"""What the operator takes from the agent's own `deployment.env` beside those names that it sets itself."""

_OF_THE_CLUSTER: Final = (
    "AGENT_BROWSER_ARGS",
    "GKE_PROJECT_ID",
    "GKE_CLUSTER_NAME",
    "GKE_LOCATION",
    "GCP_PROJECT_ID",
    "KUBE_CONTEXT_NAME",
    "KUBE_DEFAULT_NAMESPACE",
)
_OF_GOOGLE_CHAT: Final = (
    "GOOGLE_CHAT_RELAY_URL",
    "GOOGLE_CHAT_PROJECT_ID",
    "GOOGLE_CHAT_SUBSCRIPTION_NAME",
    "GOOGLE_CHAT_ALLOWED_USERS",
    "GOOGLE_CHAT_HOME_CHANNEL",
    "GOOGLE_CHAT_ALLOW_ALL_USERS",
)
_OF_SLACK: Final = (
    "SLACK_RELAY_URL",
    "SLACK_ALLOWED_USERS",
    "SLACK_ALLOW_ALL_USERS",
    "SLACK_HOME_CHANNEL",
    "SLACK_HOME_CHANNEL_NAME",
)
_OF_REPLICAS: Final = (
    "ENABLE_LEADER_ELECTION",
    "LEADER_ELECTION_LEASE_NAME",
    "LEADER_ELECTION_NAMESPACE",
)


def operator_defaults(agent: PlatformAgent) -> tuple[str, ...]:
    """The names that the operator sets, or may set, and that a plugin can override, in its order."""
    google_chat = agent.google_chat is not None and agent.google_chat.enabled
    slack = agent.slack is not None and agent.slack.enabled
    return (
        *_DEFAULTS,
        *(name for name in agent.variables if name in _PASSED_ON),
        *_OF_THE_CLUSTER,
        *(_OF_GOOGLE_CHAT if google_chat else ()),
        *(_OF_SLACK if slack else ()),
        *(_OF_REPLICAS if agent.replicas > 1 else ()),
    )
