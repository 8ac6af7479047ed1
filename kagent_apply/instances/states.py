"""What an instance can be, what can be done to it, and what a share permits, by the numbers of the API."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum, StrEnum


class State(IntEnum):
    """Where an instance is in its life, as of the last operation that ended (`AgentInstanceState`)."""

    CREATING = 1
    READY = 2
    SUSPENDED = 3
    FAILED = 4
    DELETING = 5
    DELETED = 6


class Operation(IntEnum):
    """What is done to an instance (`AgentInstanceOperation`)."""

    CREATE = 1
    SUSPEND = 2
    RESUME = 3
    DELETE = 4


class Permission(IntEnum):
    """What the bearer of a share's token may do (`AgentInstanceSharePermission`)."""

    READ_ONLY = 1
    READ_WRITE = 2


class FailureReason(StrEnum):
    """Why an instance became FAILED: what was found in the place of one of its Actors."""

    ACTOR_MISSING = "ActorMissing"
    ACTOR_MISMATCH = "ActorMismatch"
    ACTOR_CRASHED = "ActorCrashed"
    ACTOR_REFUSED = "ActorRefused"
    """Substrate will not make or run it, however often it is asked."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A reason, and one sentence for people that names the member."""

    reason: FailureReason
    message: str
