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
    max_turns: Positive | None = None


class Tuning(OpenBlock):
    """Limits by persona, and of the whole board."""

    default: AgentLimits | None = None
    platform: AgentLimits | None = None
    cluster: AgentLimits | None = None
    max_in_progress: Positive | None = None


class Hermes(OpenBlock):
    """The agent framework."""

    agent_home: str | None = None


class Memory(OpenBlock):
    """The agent's memory."""

    provider: str | None = None


class Experimental(OpenBlock):
    """Switches without a promise."""

    platform_front_door: bool | None = None


class Harness(OpenBlock):
    """Where the agent runs, and its framework."""

    cluster_name: str
    location: str
    project_id: str
    hermes: Hermes | None = None
    tuning: Tuning | None = None
    memory: Memory | None = None
    experimental: Experimental | None = None


_TOPIC: Final = ("projectId", "topicName", "subscriptionName")


class GoogleChat(OpenBlock):
    """The Google Chat integration."""

    enabled: bool | None = None
    project_id: str | None = None
    topic_name: str | None = None
    subscription_name: str | None = None
    allowed_users: Annotated[list[str], ListSet()] | None = None
    home_channel: str | None = None
    mode: Mode | None = None

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
    key: str
    optional: bool | None = None


class Slack(OpenBlock):
    """The Slack integration."""

    enabled: bool | None = None
    bot_token_secret_ref: SecretKey | None = None
    app_token_secret_ref: SecretKey | None = None
    allowed_users: list[str] | None = None
    home_channel: str | None = None
    home_channel_name: str | None = None


class Integration(OpenBlock):
    """The connections to chat platforms."""

    google_chat: GoogleChat | None = None
    slack: Slack | None = None


class PlatformAgentSpec(OpenBlock):
    """An agent of the kube-agents operator."""

    harness: Harness
    integration: Integration | None = None
    deployment: Deployment | None = None


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
