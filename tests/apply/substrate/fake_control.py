"""Control services for faults: they keep what they are told, follow some rules, and fail as scripted."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from google.protobuf.message import Message

from kagent_apply.substrate.transport import ReplyT, StatusError

FULL_POOL = "no free workers available"


@dataclass(frozen=True)
class Fault:
    """What a call ends with; `late` has the effect come about, and only the reply be lost."""

    code: str
    text: str = ""
    late: bool = False


HANG = Fault("HANG")
"""No reply at all, until the caller's time is over."""


class FakeClock:
    """A clock that goes on while somebody waits, and nowhere else."""

    def __init__(self) -> None:
        self.time = 0.0

    def now(self) -> float:
        return self.time

    def wait(self, seconds: float) -> None:
        self.time += seconds


class FakeControl:
    """What both generations do: a handler by method, faults and changed replies as scripted."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.faults: dict[str, Iterator[Fault | None]] = {}
        self.changed: dict[str, Callable[[Any], None]] = {}
        self.handlers: dict[str, tuple[type[Message], Callable[[Any], Message]]] = {}

    def fail(self, method: str, *faults: Fault | None, forever: bool = False) -> None:
        """Have the next calls of a method fail, each as told; None lets one pass."""
        self.faults[method] = itertools.cycle(faults) if forever else iter(faults)

    def answer(self, method: str, request: bytes) -> bytes:
        """One call, in bytes as over a network; raises StatusError."""
        self.calls.append(method)
        fault = next(self.faults.get(method, iter(())), None)
        if fault is not None and not fault.late:
            raise StatusError(fault.code, fault.text)
        if method not in self.handlers:
            raise StatusError("UNIMPLEMENTED", f"unknown method {method}")
        message, handler = self.handlers[method]
        reply = handler(message.FromString(request))
        if fault is not None:
            raise StatusError(fault.code, fault.text)
        if method in self.changed:
            copied = type(reply)()
            copied.CopyFrom(reply)
            self.changed[method](copied)
            reply = copied
        return reply.SerializeToString()

    def take_calls(self) -> list[str]:
        """The methods that were called since the last time."""
        taken, self.calls = self.calls, []
        return taken


class FakeTransport:
    """A Control service in this process; a call that hangs takes all the time that it is given."""

    def __init__(self, control: FakeControl, clock: FakeClock) -> None:
        self.control = control
        self.clock = clock
        self.closed = False

    def call(self, method: str, request: Message, reply_type: type[ReplyT], timeout: float) -> ReplyT:
        try:
            return reply_type.FromString(self.control.answer(method, request.SerializeToString()))
        except StatusError as error:
            if error.code == HANG.code:
                self.clock.wait(timeout)
                raise StatusError("DEADLINE_EXCEEDED", "Deadline Exceeded") from None
            raise

    def close(self) -> None:
        self.closed = True


def states_in_turn(states: Iterable[int]) -> Callable[[int], int]:
    """For the state of an actor, with each look the next; the last stays."""
    left = list(states)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]
