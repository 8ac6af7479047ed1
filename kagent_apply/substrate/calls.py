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


@dataclass(frozen=True, slots=True)
class Call(Generic[ReplyT]):
    """A method with its request and the message of its reply; `subject` says what it is about."""

    method: str
    subject: str
    request: Message
    reply: type[ReplyT]


def change(transport: Transport, call: Call[ReplyT], deadline: Deadline) -> ReplyT:
    """Call a method once; raises StatusError, after which some may need a look at what became of it."""
    return transport.call(call.method, call.request, call.reply, deadline.for_a_change())


def read(transport: Transport, call: Call[ReplyT], deadline: Deadline) -> ReplyT | None:
    """Call a method that changes nothing, again while no server answers; None where there is no such thing.

    Raises ComputeUnavailableError and ComputeRefusedError.
    """
    try:
        return repeat(transport, call, deadline)
    except StatusError as error:
        if error.code == "NOT_FOUND":
            return None
        raise fault_of(call.method, call.subject, error) from None


def repeat(transport: Transport, call: Call[ReplyT], deadline: Deadline) -> ReplyT:
    """Call a method that has one effect however often it is called, again while no server answers.

    Raises StatusError.
    """
    while True:
        try:
            return transport.call(call.method, call.request, call.reply, deadline.left())
        except StatusError as error:
            if error.code != _AGAIN or not deadline.pause():
                raise
