"""What an instance is made from: one pair's prepared revision, as far as running it goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_apply.instances.requests import AgentName


@dataclass(frozen=True, slots=True)
class PreparedMember:
    """One runtime boundary: an ActorTemplate, and what its actors may reach.

    `path` is the boundary's binding path, empty for the root. `actor_template` names the ActorTemplate, whose
    namespace, or atespace, is the agent's. `manifest` has the bytes that were committed, and `spec_digest` is
    the lock's over their spec. `egress` holds the rules of the actors' policy in protojson form; None where
    the target has no policy.
    """

    path: str
    actor_template: str
    spec_digest: str
    manifest: bytes
    egress: tuple[Mapping[str, Any], ...] | None = None


@dataclass(frozen=True, slots=True)
class PreparedRevision:
    """A pair's lock, and the manifests that it names.

    `revision` is the lock's `sha256:<64 hex>`, `target` a Substrate generation as RenderConfig names it.
    `labels` are the root template's and are not part of the revision. `members` are in the order of their
    paths, the root first.
    """

    agent: AgentName
    revision: str
    target: str
    labels: Mapping[str, str]
    members: tuple[PreparedMember, ...]
