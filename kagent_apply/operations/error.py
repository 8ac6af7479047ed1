"""What a caller is told where an operation does not give the instance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_apply.instances.outcome import Status
from kagent_apply.substrate.port import ComputeRefusedError

if TYPE_CHECKING:
    from kagent_apply.instances.outcome import Refused
    from kagent_apply.instances.states import Failure
    from kagent_apply.store.port import StoreError
    from kagent_apply.substrate.port import ComputeError

_AGAIN: Final = "ask for the same again"


class OperationError(Exception):
    """A gRPC status by its name, one sentence, and what to do; `reason` is that of a FAILED instance."""

    def __init__(self, status: Status, message: str, hint: str, reason: str = "") -> None:
        super().__init__(status, message, hint, reason)
        self.status = status
        self.message = message
        self.hint = hint
        self.reason = reason

    def __str__(self) -> str:
        return self.message


def of_refusal(refused: Refused) -> OperationError:
    """What the rules of an instance's life refuse."""
    return OperationError(refused.status, refused.message, refused.hint)


def of_compute(error: ComputeError) -> OperationError:
    """UNAVAILABLE where asking again may help, else FAILED_PRECONDITION."""
    refused = isinstance(error, ComputeRefusedError)
    status = Status.FAILED_PRECONDITION if refused else Status.UNAVAILABLE
    return OperationError(status, error.message, error.hint)


def of_store(error: StoreError) -> OperationError:
    """INTERNAL: it is not known what is stored (facts 8.3)."""
    return OperationError(Status.INTERNAL, str(error), "ask for the same again, or get the instance")


def of_failure(failure: Failure) -> OperationError:
    """FAILED_PRECONDITION, with the reason why the instance is FAILED."""
    hint = "delete the instance, and create one with another `request_id`"
    return OperationError(Status.FAILED_PRECONDITION, failure.message, hint, failure.reason)


def given_up() -> OperationError:
    """UNAVAILABLE: another request had trouble with the operation that this one joined."""
    return OperationError(Status.UNAVAILABLE, "the operation was given up before it had an effect", _AGAIN)


def not_ready() -> OperationError:
    """UNAVAILABLE: Substrate still makes the ActorTemplates."""
    return OperationError(
        Status.UNAVAILABLE, "the ActorTemplates of the instance are not ready", "ask for the same again later"
    )


def too_late() -> OperationError:
    """DEADLINE_EXCEEDED: the caller's time is over, and not the operation."""
    return OperationError(
        Status.DEADLINE_EXCEEDED,
        "the operation takes longer than the request may",
        "get the instance to see what becomes of it, or ask for the same again",
    )


def too_many() -> OperationError:
    """UNAVAILABLE: as many operations are under way as may be."""
    return OperationError(
        Status.UNAVAILABLE, "the server carries out as many operations as it may", "ask again later"
    )


def stopping() -> OperationError:
    """UNAVAILABLE: another process carries the operation on."""
    return OperationError(Status.UNAVAILABLE, "the server is stopping", _AGAIN)


def mistake() -> OperationError:
    """INTERNAL: what should not be, of which the event has the name."""
    return OperationError(Status.INTERNAL, "the operation met an error of the server's own", _AGAIN)
