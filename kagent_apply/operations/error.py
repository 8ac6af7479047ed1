"""What a caller is told where an operation does not give the instance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_apply.instances.outcome import Status
from kagent_apply.instances.reason import Reason
from kagent_apply.instances.states import FailureReason
from kagent_apply.substrate.port import ComputeRefusedError

if TYPE_CHECKING:
    from kagent_apply.instances.outcome import Refused
    from kagent_apply.instances.states import Failure
    from kagent_apply.revisions.port import NotServed
    from kagent_apply.store.port import StoreError
    from kagent_apply.substrate.port import ComputeError

_AGAIN: Final = "ask for the same again"


class OperationError(Exception):
    """A gRPC status, its reason, one sentence, and what to do; of a FAILED instance the reason is its own."""

    def __init__(self, status: Status, reason: Reason | FailureReason, message: str, hint: str) -> None:
        super().__init__(status, reason, message, hint)
        self.status = status
        self.reason = reason
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return self.message


def of_refusal(refused: Refused) -> OperationError:
    """What the rules of an instance's life refuse."""
    return OperationError(refused.status, refused.reason, refused.message, refused.hint)


def not_served(found: NotServed) -> OperationError:
    """FAILED_PRECONDITION: there is nothing to create an instance from (facts 8.3)."""
    return OperationError(Status.FAILED_PRECONDITION, Reason.NO_REVISION_SERVES, found.message, found.hint)


def of_compute(error: ComputeError) -> OperationError:
    """UNAVAILABLE where asking again may help, else FAILED_PRECONDITION."""
    if isinstance(error, ComputeRefusedError):
        return OperationError(Status.FAILED_PRECONDITION, Reason.SUBSTRATE_REFUSED, error.message, error.hint)
    return OperationError(Status.UNAVAILABLE, Reason.SUBSTRATE_UNAVAILABLE, error.message, error.hint)


def of_store(error: StoreError) -> OperationError:
    """INTERNAL: it is not known what is stored (facts 8.3)."""
    hint = "ask for the same again, or get the instance"
    return OperationError(Status.INTERNAL, Reason.STORE_FAILED, str(error), hint)


def of_failure(failure: Failure, instance: str) -> OperationError:
    """FAILED_PRECONDITION, with the reason why an instance is FAILED, and its id for what is left to do."""
    hint = _way_out(failure, instance)
    return OperationError(Status.FAILED_PRECONDITION, failure.reason, failure.message, hint)


def given_up() -> OperationError:
    """UNAVAILABLE: another request had trouble with the operation that this one joined."""
    message = "the operation was given up before it had an effect"
    return OperationError(Status.UNAVAILABLE, Reason.OPERATION_GIVEN_UP, message, _AGAIN)


def not_ready() -> OperationError:
    """UNAVAILABLE: Substrate still makes the ActorTemplates."""
    message = "the ActorTemplates of the instance are not ready"
    return OperationError(Status.UNAVAILABLE, Reason.TEMPLATES_NOT_READY, message, f"{_AGAIN} later")


def too_late() -> OperationError:
    """DEADLINE_EXCEEDED: the caller's time is over, and not the operation."""
    return OperationError(
        Status.DEADLINE_EXCEEDED,
        Reason.DEADLINE_EXCEEDED,
        "the operation takes longer than the request may",
        "get the instance to see what becomes of it, or ask for the same again",
    )


def too_many() -> OperationError:
    """UNAVAILABLE: as many operations are under way as may be."""
    message = "the server carries out as many operations as it may"
    return OperationError(Status.UNAVAILABLE, Reason.TOO_MANY_OPERATIONS, message, f"{_AGAIN} later")


def stopping() -> OperationError:
    """UNAVAILABLE: another process carries the operation on."""
    return OperationError(Status.UNAVAILABLE, Reason.SERVER_STOPPING, "the server is stopping", _AGAIN)


def mistake() -> OperationError:
    """INTERNAL: what should not be, of which the event has the name."""
    message = "the operation met an error of the server's own"
    return OperationError(Status.INTERNAL, Reason.INTERNAL, message, _AGAIN)


def _way_out(failure: Failure, instance: str) -> str:
    """What is left to do with a FAILED instance; an Actor that is not its own is never deleted for it."""
    deleting = f"delete the instance `{instance}`, and create one with another `request_id`"
    if failure.reason is FailureReason.ACTOR_MISMATCH:
        return f"see who made that Actor, and once it is gone {deleting}"
    if failure.reason is FailureReason.ACTOR_CRASHED:
        return f"see why in the log of the server or of Substrate, {deleting}"
    return deleting
