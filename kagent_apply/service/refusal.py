"""Everything that a call is refused for, as one value: the whole error policy of the services."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_apply.auth.port import AuthenticationUnavailableError, UnauthenticatedError, Verb
from kagent_apply.instances.lifecycle import NO_INSTANCE
from kagent_apply.instances.reason import Reason
from kagent_apply.observability.own_places import own_places
from kagent_apply.operations.error import OperationError
from kagent_apply.store.port import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_apply.instances.fault import FieldFault
    from kagent_apply.instances.states import FailureReason

_REPORT: Final = "give this id to who runs the server: its log says more"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A gRPC status by its name, its reason, one sentence, and what to do.

    `faults` are the fields of a request that are not as they should be. `incident` is the id of an internal
    error, and `fault` what the log says of it. `retry_after` is in seconds, where there is a reason to wait.
    """

    status: str
    reason: Reason | FailureReason
    message: str
    hint: str
    faults: tuple[FieldFault, ...] = ()
    incident: str = ""
    fault: str = ""
    retry_after: float = 0

    @property
    def text(self) -> str:
        """The message and the hint, as the status of a call has them."""
        return f"{self.message}; {self.hint}" if self.hint else self.message


class RefusedError(Exception):
    """A call that is refused; raised by the calls themselves."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.text)
        self.refusal = refusal


def invalid(faults: Sequence[FieldFault]) -> RefusedError:
    """For a request with faults, all of which are told."""
    first, *more = faults
    message = "; and ".join([*(str(fault) for fault in faults[:-1]), faults[-1].message])
    hint = more[-1].hint if more else first.hint
    return RefusedError(Refusal("INVALID_ARGUMENT", Reason.INVALID_REQUEST, message, hint, tuple(faults)))


def malformed() -> RefusedError:
    """For bytes that are not the message of a call."""
    message, hint = "the request is not a message of this call", "compare the client's `.proto` files"
    return RefusedError(Refusal("INVALID_ARGUMENT", Reason.MALFORMED_REQUEST, message, hint))


def denied(verb: str, namespace: str) -> RefusedError:
    """For a caller whom the policy does not allow what they ask for."""
    message = f"the server's policy does not allow you `{verb}` in the namespace `{namespace}`"
    hint = "ask who keeps the policy, or name another namespace"
    if verb == Verb.ALL_CREATORS:  # which nobody has where there is no policy to ask for
        hint = f"list your own, or have a rule of the server's `--policy` name `{verb}`"
    return RefusedError(Refusal("PERMISSION_DENIED", Reason.NOT_ALLOWED, message, hint))


def no_instance() -> RefusedError:
    """For an instance that never was, is deleted, or is somebody else's: nobody can tell which."""
    told = NO_INSTANCE
    return RefusedError(Refusal(told.status, told.reason, told.message, told.hint))


def no_share() -> RefusedError:
    """For a share that never was, is revoked, or is somebody else's."""
    message, hint = "there is no such AgentInstanceShare", "list those of the instance"
    return RefusedError(Refusal("NOT_FOUND", Reason.SHARE_NOT_FOUND, message, hint))


def too_late() -> RefusedError:
    """For a call whose time was over before anything was done."""
    message, hint = "the deadline was over before the call began", "allow more time, and try again"
    return RefusedError(Refusal("DEADLINE_EXCEEDED", Reason.DEADLINE_EXCEEDED, message, hint))


def refusal_of(error: Exception, incident: str) -> Refusal:
    """What a caller is told of any exception; what is not known here is an internal error of that id."""
    match error:
        case RefusedError():
            return error.refusal
        case UnauthenticatedError():
            return Refusal("UNAUTHENTICATED", Reason.UNAUTHENTICATED, error.message, error.hint)
        case AuthenticationUnavailableError():
            return Refusal("UNAVAILABLE", Reason.AUTHENTICATION_UNAVAILABLE, error.message, error.hint)
        case OperationError() if error.reason is not Reason.INTERNAL:
            return Refusal(error.status, error.reason, error.message, error.hint)
        case StoreError():
            return Refusal("INTERNAL", Reason.STORE_FAILED, str(error), "try again when the store answers")
        case _:
            message = f"the server failed with the id `{incident}`"
            return Refusal(
                "INTERNAL", Reason.INTERNAL, message, _REPORT, incident=incident, fault=_place(error)
            )


def _place(error: Exception) -> str:
    """Which error it is and where it came from."""
    return " at ".join([type(error).__name__, *own_places(error.__traceback__)[:1]])
