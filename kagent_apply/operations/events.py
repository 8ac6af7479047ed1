"""What observers are told of operations while they are carried out."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kagent_apply.instances.requests import InstanceName
    from kagent_apply.instances.states import Operation


class Phase(StrEnum):
    """A call of Substrate's, the whole operation as far as this process carried it, or how it came here."""

    PREPARE = "prepare"
    READ = "read"
    CREATE = "create"
    RESTRICT = "restrict"
    RESUME = "resume"
    SUSPEND = "suspend"
    DELETE = "delete"
    WHOLE = "whole"
    TAKE_OVER = "take-over"
    """It goes on here after its holder was gone."""


class Result(StrEnum):
    """How a phase ended."""

    DONE = "done"
    UNAVAILABLE = "unavailable"
    REFUSED = "refused"
    DENIED = "denied"
    """Substrate does it not for this service, which is for an operator to change."""
    GONE = "gone"
    FAILED = "failed"
    """The instance is FAILED."""
    LOST = "lost"
    """Others carry the operation on, or ended it."""
    STOPPED = "stopped"
    """The server stops; the operation stays."""
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class OperationEvent:
    """One phase that ended; `error` is the name of the class of an error of our own, else empty.

    `problem` is what a caller is told of the whole that had trouble or failed.
    """

    operation: Operation
    instance: InstanceName
    phase: Phase
    seconds: float
    outcome: Result
    error: str = ""
    problem: str = ""


OnEvent = Callable[[OperationEvent], None]
"""Takes note of an event at once: it is called between the steps of an operation."""


def ignore(event: OperationEvent) -> None:
    """For who observes nothing."""
    del event


def tell(on_event: OnEvent, event: OperationEvent) -> None:
    """Tell an observer, whose errors are no reason to stop."""
    with contextlib.suppress(Exception):
        on_event(event)
