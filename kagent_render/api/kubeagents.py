"""The hub values of the kube-agents kinds: AgentPlugin, and PlatformAgent as far as plugins touch it.

Both are of the group `kubeagents.x-k8s.io`. Nothing here is defaulted beyond what is said: an operator reads
absent fields as the docstrings tell.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from kagent_render.api.sourced import Sourced
from kagent_render.source.document import guard

if TYPE_CHECKING:
    from collections.abc import Mapping

GROUP: Final = "kubeagents.x-k8s.io"
"""The API group of both kinds."""

IMAGE_VOLUMES_ANNOTATION: Final = f"{GROUP}/enable-image-volumes"
"""The annotation of a PlatformAgent that decides on image volumes in both directions."""


DEFAULT_HOME: Final = "/opt/data"
"""The agent's home directory where a manifest names none."""


@dataclass(frozen=True, slots=True)
class EnvVar:
    """One entry of a plugin's `env`: core/v1 EnvVar; `source` is its `valueFrom`, as an API server has it."""

    name: str
    value: str | None = None
    source: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class AgentPlugin(Sourced):
    """An extension of one PlatformAgent, delivered as an image.

    `agent` is `spec.agentRef`. `profile` is `spec.targetProfile`, empty for the default profile.
    `pull_policy` is None where it is left out. `config` is YAML text. `generation` and `target_agents` are
    what the manifest itself says under `metadata` and `status`, as one that was read from a cluster does.
    """

    agent: str
    image: str
    pull_policy: str | None = None
    profile: str = ""
    config: str = ""
    env: tuple[EnvVar, ...] = ()
    generation: int | None = None
    target_agents: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Keep literals of variables and of the config out of what diagnostics show."""
        env = [("spec", "env", at, "value") for at, entry in enumerate(self.env) if entry.value is not None]
        config = [("spec", "config")] if self.config else []
        object.__setattr__(self, "document", guard(self.document, [*env, *config]))


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one profile's agent, None where unset."""

    api_max_retries: int | None = None
    max_turns: int | None = None


@dataclass(frozen=True, slots=True)
class GoogleChat:
    """`spec.integration.googleChat`."""

    enabled: bool = False
    project: str = ""
    subscription: str = ""
    allowed_users: tuple[str, ...] = ()
    mode: str = ""


@dataclass(frozen=True, slots=True)
class Slack:
    """`spec.integration.slack`."""

    enabled: bool = False
    allowed_users: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlatformAgent(Sourced):
    """An agent of the kube-agents operator.

    `tuning` has limits under `default`, `platform` and `cluster`. `variables` are the names of the literals
    in `deployment.env`, of which the operator passes on a few. `volumes` and `mounts` are the names and
    paths that the agent's own `deployment` adds beside the operator's: storages, extra volumes, sidecar
    volumes. `pod_annotations` are `deployment.podAnnotations`, which win over the operator's.
    """

    annotations: Mapping[str, str] = field(default_factory=dict)
    home: str = DEFAULT_HOME
    tuning: Mapping[str, Limits] = field(default_factory=dict)
    max_in_progress: int | None = None
    memory_provider: str = ""
    front_door: bool = False
    google_chat: GoogleChat | None = None
    slack: Slack | None = None
    replicas: int = 1
    variables: tuple[str, ...] = ()
    volumes: tuple[str, ...] = ()
    mounts: tuple[str, ...] = ()
    pod_annotations: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Keep literals of variables out of what diagnostics show."""
        env = (self.spec.get("deployment") or {}).get("env") or ()
        place = ("spec", "deployment", "env")
        literals = [(*place, at, "value") for at, entry in enumerate(env) if "value" in entry]
        object.__setattr__(self, "document", guard(self.document, literals))
