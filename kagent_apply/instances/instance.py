"""What is stored of an instance, whole: it is replaced by compare and set, never changed in part."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.instances.requests import AgentName
    from kagent_apply.instances.standing import Standing
    from kagent_apply.instances.states import Permission

_AUTHORITY: Final = "actors.resources.substrate.ate.dev"


class Progress(StrEnum):
    """How far a member is, as was last stored: the actor may be further, never less far."""

    PLANNED = "planned"
    CREATED = "created"
    RUNNING = "running"
    FENCED = "fenced"
    """It admits nothing any more, and is about to be suspended or deleted."""
    SUSPENDED = "suspended"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Member:
    """One actor of the tree; `uid` is Substrate's once it is known, and never changes after that."""

    path: str
    actor: str
    actor_template: str
    uid: str = ""
    progress: Progress = Progress.PLANNED


@dataclass(frozen=True, slots=True)
class Lease:
    """Who carries the operation on. `lapsed`, as of the reading and by the store's clock: nobody does."""

    holder: str
    lapsed: bool = False


@dataclass(frozen=True, slots=True)
class Instance:
    """One instance; `version` counts its replacements, and times are in UTC.

    `revision` is the id of the PreparedRevision that it was created from, pinned for life.
    """

    id: str
    agent: AgentName
    creator: str
    request_id: str
    revision: str
    labels: Mapping[str, str]
    standing: Standing
    members: tuple[Member, ...]
    created_at: datetime
    updated_at: datetime
    lease: Lease | None = None
    version: int = 0

    @property
    def authority(self) -> str:
        """What a request to the root's actor is addressed to."""
        return f"{self.members[0].actor}.{self.agent.namespace}.{_AUTHORITY}"


@dataclass(frozen=True, slots=True)
class Share:
    """One share of an instance; `digest` is of the token, which is kept nowhere."""

    id: str
    namespace: str
    instance: str
    creator: str
    permission: Permission
    created_at: datetime
    digest: bytes


def planned_members(instance_id: str, revision: PreparedRevision) -> tuple[Member, ...]:
    """An actor for every boundary of a revision: the root's is named as upstream does (facts 8.3).

    The others are told apart by their place among the boundaries, which the revision fixes.
    """
    return tuple(
        Member(member.path, f"ai-{instance_id}" + (f"-{place}" if place else ""), member.actor_template)
        for place, member in enumerate(revision.members)
    )
