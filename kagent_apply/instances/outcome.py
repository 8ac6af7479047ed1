"""What asking for an operation gives."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kagent_apply.instances.reason import Reason
    from kagent_apply.instances.standing import Standing


class Status(StrEnum):
    """The gRPC status of a refusal or of trouble, by its name."""

    NOT_FOUND = "NOT_FOUND"
    ALREADY_EXISTS = "ALREADY_EXISTS"
    FAILED_PRECONDITION = "FAILED_PRECONDITION"
    ABORTED = "ABORTED"
    UNAVAILABLE = "UNAVAILABLE"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    INTERNAL = "INTERNAL"


@dataclass(frozen=True, slots=True)
class Claimed:
    """Store `standing` in the place of what was asked about, then carry the operation out."""

    standing: Standing


@dataclass(frozen=True, slots=True)
class Joined:
    """The operation is under way: carry it on, and leave its claim to whoever has it if that fails."""

    standing: Standing


@dataclass(frozen=True, slots=True)
class Answered:
    """What was asked for is so already: reply with it."""

    standing: Standing


@dataclass(frozen=True, slots=True)
class Refused:
    """A status, its reason, one sentence, and what to do."""

    status: Status
    reason: Reason
    message: str
    hint: str


Outcome = Claimed | Joined | Answered | Refused
