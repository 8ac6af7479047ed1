"""PlatformAgent as far as plugins touch it, `kubeagents.x-k8s.io/v1alpha1`; any other field may stand."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from kagent_render.api import kubeagents
from kagent_render.api.agent_deployment import Deployment, literals, mount_paths, replicas, volume_names
from kagent_render.api.schema import Check, ListSet, OpenBlock, Positive, Rule
from kagent_render.source.document import Document

Mode = Annotated[
    str,
    Check(
        "`mode` must be `default` or `debug`",
        holds=lambda mode: mode.lower() in ("default", "debug"),
        hint="write `default` or `debug`",
    ),
]


class AgentLimits(OpenBlock):
    """The limits of one persona's runs."""

    api_max_retries: Positive | None = None
    """How often a call of the model is tried again."""
    max_turns: Positive | None = None
    """The most turns of a run."""


class Tuning(OpenBlock):
    """Limits by persona, and of the whole board."""

    default: AgentLimits | None = None
    """Limits of the default profile."""
    platform: AgentLimits | None = None
    """Limits of the profile `platform`."""
    cluster: AgentLimits | None = None
    """Limits of the cluster profiles."""
    max_in_progress: Positive | None = None
    """How many tasks of the board run at once."""


class Hermes(OpenBlock):
    """The agent framework."""

    agent_home: str | None = None
    """The agent's home folder."""


class Memory(OpenBlock):
    """The agent's memory."""

    provider: str | None = None
    """What keeps the memory."""


class Experimental(OpenBlock):
    """Switches without a promise."""

    platform_front_door: bool | None = None
    """Whether the platform profile answers first."""


class Harness(OpenBlock):
    """Where the agent runs, and its framework."""

    cluster_name: str
    """The cluster's name."""
    location: str
    """The cluster's location."""
    project_id: str
    """The Google Cloud project."""
    hermes: Hermes | None = None
    """Settings of Hermes."""
    tuning: Tuning | None = None
    """Limits of runs."""
    memory: Memory | None = None
    """Settings of the memory."""
    experimental: Experimental | None = None
    """Switches without a promise."""


_TOPIC: Final = ("projectId", "topicName", "subscriptionName")


class GoogleChat(OpenBlock):
    """The Google Chat integration."""

    enabled: bool | None = None
    """Whether the agent is in Google Chat."""
    project_id: str | None = None
    """The project of the topic."""
    topic_name: str | None = None
    """The Pub/Sub topic."""
    subscription_name: str | None = None
    """The Pub/Sub subscription."""
    allowed_users: Annotated[list[str], ListSet()] | None = None
    """Who may talk to the agent."""
    home_channel: str | None = None
    """Where it reports."""
    mode: Mode | None = None
    """`default` or `debug`."""

    rules = (
        Rule(
            "Google Chat needs `projectId`, `topicName` and `subscriptionName` where it is enabled",
            holds=lambda block: not block.get("enabled") or all(name in block for name in _TOPIC),
            reads=("enabled", *_TOPIC),
            hint="set the three fields, or remove `enabled`",
            cel="!has(self.enabled) || !self.enabled"
            " || (has(self.projectId) && has(self.topicName) && has(self.subscriptionName))",
        ),
    )


class SecretKey(OpenBlock):
    """A key of a Secret."""

    name: str | None = None
    """The Secret's name."""
    key: str
    """The key."""
    optional: bool | None = None
    """Whether the key may be missing."""


class Slack(OpenBlock):
    """The Slack integration."""

    enabled: bool | None = None
    """Whether the agent is in Slack."""
    bot_token_secret_ref: SecretKey | None = None
    """The bot's token."""
    app_token_secret_ref: SecretKey | None = None
    """The app's token."""
    allowed_users: list[str] | None = None
    """Who may talk to the agent."""
    home_channel: str | None = None
    """Where it reports."""
    home_channel_name: str | None = None
    """That channel's name."""


class Integration(OpenBlock):
    """The connections to chat platforms."""

    google_chat: GoogleChat | None = None
    """Settings of Google Chat."""
    slack: Slack | None = None
    """Settings of Slack."""


class PlatformAgentSpec(OpenBlock):
    """An agent of the kube-agents operator."""

    harness: Harness
    """Where the agent runs."""
    integration: Integration | None = None
    """Where it can be reached."""
    deployment: Deployment | None = None
    """Its pod."""


def hub_agent(
    document: Document, spec: Mapping[str, Any], model: PlatformAgentSpec
) -> kubeagents.PlatformAgent:
    """The PlatformAgent of a valid manifest."""
    harness, deployment = model.harness, model.deployment or Deployment()
    hermes, memory = harness.hermes or Hermes(), harness.memory or Memory()
    tuning, experimental = harness.tuning or Tuning(), harness.experimental or Experimental()
    return kubeagents.PlatformAgent(
        ref=document.ref,
        spec=spec,
        document=document,
        annotations=document.value["metadata"].get("annotations") or {},
        home=hermes.agent_home or kubeagents.DEFAULT_HOME,
        tuning=_limits(tuning),
        max_in_progress=tuning.max_in_progress,
        memory_provider=memory.provider or "",
        front_door=bool(experimental.platform_front_door),
        google_chat=_google_chat(model.integration),
        slack=_slack(model.integration),
        replicas=replicas(deployment),
        variables=literals(deployment),
        volumes=volume_names(deployment),
        mounts=mount_paths(deployment),
        pod_annotations=deployment.pod_annotations or {},
    )


def _limits(tuning: Tuning) -> dict[str, kubeagents.Limits]:
    """The limits of those personas that the manifest speaks of."""
    personas = {"default": tuning.default, "platform": tuning.platform, "cluster": tuning.cluster}
    return {
        persona: kubeagents.Limits(limits.api_max_retries, limits.max_turns)
        for persona, limits in personas.items()
        if limits is not None
    }


def _google_chat(integration: Integration | None) -> kubeagents.GoogleChat | None:
    if integration is None or integration.google_chat is None:
        return None
    chat = integration.google_chat
    return kubeagents.GoogleChat(
        enabled=bool(chat.enabled),
        project=chat.project_id or "",
        subscription=chat.subscription_name or "",
        allowed_users=tuple(chat.allowed_users or ()),
        mode=chat.mode or "",
    )


def _slack(integration: Integration | None) -> kubeagents.Slack | None:
    if integration is None or integration.slack is None:
        return None
    slack = integration.slack
    return kubeagents.Slack(bool(slack.enabled), tuple(slack.allowed_users or ()))
