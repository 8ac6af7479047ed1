"""What every Substrate generation is: how its manifests look, what they can hold, what runtimes are given."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.hub import AgentTemplate, Harness
    from kagent_render.compile.environment import EnvVar
    from kagent_render.compile.policy import Policy
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.target.actor_template import ActorTemplate, BuiltManifest


class Setting(StrEnum):
    """A value of a manifest that a Harness or RenderConfig chooses."""

    PAUSE_IMAGE = "pause image"
    IMAGE = "image"
    WORKER_POOL = "worker pool"
    SNAPSHOT_LOCATION = "snapshot location"


class Generation(Protocol):
    """One Substrate generation; a module of this room is one.

    `FIXED` are the values of a manifest that are the same for every boundary, by field, `SETTINGS` the fields
    of those that somebody chooses, and `CONTAINER` is the field of the container.
    """

    TARGET: str
    """Its name in RenderConfig."""

    IS_RESOURCE: bool
    """Whether its manifests are objects of Kubernetes, which GitOps tools apply."""

    INJECTS_CREDENTIALS: bool
    """Whether the egress gateway puts credentials in, so that a container has placeholders only."""

    CONTAINER: str
    SETTINGS: Mapping[Setting, str]
    FIXED: Mapping[str, Any]

    RESERVED: Mapping[str, str]
    """Variables that no Harness may set besides those of every generation, each with the reason."""

    def variables(self, policy: Policy) -> tuple[EnvVar, ...]:
        """What every runtime of the generation is given besides the variables of all."""
        ...

    def build_manifest(self, actor: ActorTemplate, *, protect: bool) -> BuiltManifest:
        """The manifest of one boundary."""
        ...

    def identity_fields(self, value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """The fields of a manifest that name it and say what it is, with their values."""
        ...

    def is_intact(
        self, content: bytes, value: Any, name: str, namespace: str, harness: str, template: str
    ) -> bool:
        """Whether a file holds a manifest that was built for a pair; `value` is what it reads as."""
        ...

    def otherwise_protected(self, value: dict[str, Any]) -> dict[str, Any] | None:
        """A manifest as the other `retention.protect` has it; None where that says nothing to it."""
        ...

    def check_names(self, template: AgentTemplate, harness: Harness) -> Iterator[Diagnostic]:
        """Names that a manifest cannot hold."""
        ...

    def check_environment(
        self, env: tuple[EnvVar, ...], documents: tuple[EnvVar, ...]
    ) -> Iterator[Diagnostic]:
        """What does not fit, at the field that brought it; `documents` are the last of `env`."""
        ...

    def setting_problem(self, setting: Setting, text: str) -> str | None:
        """Why a manifest cannot hold what somebody chose; None where it can."""
        ...
