"""One call of the Control service, and asking again where that can do no harm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Generic

from kagent_apply.substrate.statuses import fault_of
from kagent_apply.substrate.transport import ReplyT, StatusError

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from kagent_apply.substrate.deadline import Deadline
    from kagent_apply.substrate.transport import Transport

_AGAIN: Final = "UNAVAILABLE"
_TOO_LATE: Final = "DEADLINE_EXCEEDED"


@dataclass(frozen=True, slots=True)
class Call(Generic[ReplyT]):
    """A method with its request and the message of its reply; `subject` says what it is about."""

    method: str
    subject: str
    request: Message
    reply: type[ReplyT]


def change(transport: Transport, call: Call[ReplyT], deadline: Deadline) -> ReplyT | StatusError:
    """The reply of a method, called once; after some statuses it takes a look to know what became of it.

    It is not called when its time is over: whoever slept until then may no longer be the one who changes it.
    """
    if deadline.is_over():
        return StatusError(_TOO_LATE, "the time was over before the call was made")
    return _outcome(transport, call, deadline.for_a_change())


def repeat(transport: Transport, call: Call[ReplyT], deadline: Deadline) -> ReplyT | StatusError:
    """The reply of a method with one effect however often it is called: again while no server answers."""
    while True:
        reply = _outcome(transport, call, deadline.left())
        if not isinstance(reply, StatusError) or reply.code != _AGAIN or not deadline.pause():
            return reply


def read(transport: Transport, call: Call[ReplyT], deadline: Deadline) -> ReplyT | None:
    """The reply of a method that changes nothing, which `repeat` calls; None where there is no such thing.

    Raises ComputeUnavailableError, ComputeDeniedError and ComputeRefusedError.
    """
    reply = repeat(transport, call, deadline)
    if not isinstance(reply, StatusError):
        return reply
    if reply.code == "NOT_FOUND":
        return None
    raise fault_of(call.method, call.subject, reply)


def _outcome(transport: Transport, call: Call[ReplyT], timeout: float) -> ReplyT | StatusError:
    """A status as a value: what is raised for it later then carries no server's text along as its context."""
    try:
        return transport.call(call.method, call.request, call.reply, timeout)
    except StatusError as error:
        return error.with_traceback(None)
