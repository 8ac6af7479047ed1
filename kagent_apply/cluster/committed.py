"""What a commit says that a cluster is told of, or that keeps an ActorTemplate there."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_apply.instances.requests import AgentName

ObjectName = tuple[str, str, str]
"""Kind, namespace and name."""


class CommitUnreadableError(Exception):
    """The ref cannot be read; the message is fit for logs."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """One condition as it is to be published; `status` is `True`, `False` or `Unknown`."""

    type: str
    status: str
    reason: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class CommittedPair:
    """A pair with the conditions of `kagent-render check --frozen`; `revision` is empty where it has none."""

    agent: AgentName
    revision: str
    verdicts: tuple[Verdict, ...]


@dataclass(frozen=True, slots=True)
class CommittedHarness:
    """What the manifests, the RenderConfig and the capability records of a commit make of a Harness.

    `fault` is a reason and a sentence, where something keeps every pair of it from being prepared.
    """

    namespace: str
    name: str
    capabilities: Mapping[str, Any]
    worker_pool: str
    fault: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Committed:
    """One commit, read as a whole.

    `spec_digests` has every Harness and AgentTemplate with the digest of its spec, empty where that is not
    valid. `actor_templates` are by namespace the names that locks, manifests and InUse documents hold, and
    `known` the pairs that have a lock or a manifest. `problem` says why there may be more; empty if there is
    not.
    """

    commit: str
    pairs: tuple[CommittedPair, ...] = ()
    harnesses: tuple[CommittedHarness, ...] = ()
    spec_digests: Mapping[ObjectName, str] = field(default_factory=dict)
    actor_templates: Mapping[str, frozenset[str]] = field(default_factory=dict)
    known: frozenset[AgentName] = frozenset()
    problem: str = ""


class ReadCommitted(Protocol):
    """Reads the newest commit of the ref, at once where it was read before; raises CommitUnreadableError."""

    def __call__(self) -> Committed:
        """What the newest commit says."""
        ...
