"""One operation as its steps see it: the instance, calls outside, and what is stored in between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeVar

from kagent_apply.instances import lifecycle
from kagent_apply.instances.requests import InstanceName
from kagent_apply.instances.standing import Standing
from kagent_apply.operations.events import OperationEvent, Phase, Result, tell
from kagent_apply.operations.tenure import LostError
from kagent_apply.substrate.port import (
    ActorGoneError,
    ComputeDeniedError,
    ComputeError,
    ComputeRefusedError,
    ComputeUnavailableError,
)

if TYPE_CHECKING:
    from kagent_apply.instances.instance import Instance, Member, Progress
    from kagent_apply.instances.outcome import Refused
    from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
    from kagent_apply.instances.states import Failure, Operation
    from kagent_apply.operations.clock import Clock
    from kagent_apply.operations.events import OnEvent
    from kagent_apply.operations.limits import Limits
    from kagent_apply.operations.tenure import Tenure
    from kagent_apply.substrate.port import Compute

T = TypeVar("T")

Computes = Callable[[str], "Compute"]
"""What makes the actors of a target, by its name in RenderConfig; ComputeRefusedError for an unknown one."""

_ALL: Final = 0.9
"""The part of its time after which a call was slow rather than without an answer."""


_MOMENT: Final = 0.5
"""Seconds after which who waits looks whether the server stops."""


class MemberFailedError(Exception):
    """What was found in the place of an Actor, for which the instance becomes FAILED."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


@dataclass(frozen=True, slots=True)
class Work:
    """An operation that is held here; `claimed` says that it was begun here, too, rather than taken over.

    `unwanted` says whether somebody waits for it to rest.
    """

    tenure: Tenure
    computes: Computes
    revision: PreparedRevision
    claimed: bool
    clock: Clock
    limits: Limits
    on_event: OnEvent
    unwanted: Callable[[], bool]

    @property
    def instance(self) -> Instance:
        """As it is stored."""
        return self.tenure.instance

    @property
    def compute(self) -> Compute:
        """What makes the actors of the revision's target."""
        return self.computes(self.revision.target)

    def prepared(self, member: Member) -> PreparedMember:
        """What a member is made from."""
        return next(prepared for prepared in self.revision.members if prepared.path == member.path)

    def ask(self, phase: Phase, call: Callable[[float], T]) -> T:
        """Make a call outside, and again while it takes all of its time, until patience is over.

        There is none where the operation is unwanted.
        """
        patience = self.clock.steady() + self.limits.patience
        while True:
            timeout = self.tenure.allowance(self.limits.call)
            begun = self.clock.steady()
            try:
                reply = call(timeout)
            except ComputeError as error:
                self._tell(phase, begun, RESULTS.get(type(error), Result.UNAVAILABLE))
                now = self.clock.steady()
                slow = isinstance(error, ComputeUnavailableError) and now - begun >= timeout * _ALL
                if not slow or now >= patience or self.unwanted():
                    raise
            else:
                self._tell(phase, begun, Result.DONE)
                return reply

    def outlast(self) -> None:
        """Wait until no call that was made before this operation was claimed can have an effect any more."""
        until = self.tenure.begun + self.limits.call
        while (left := until - self.clock.steady()) > 0:
            self.tenure.allowance(self.limits.call)  # which holds on, and stops where the server does
            self.clock.pause(min(left, _MOMENT))

    def record(self, members: tuple[Member, ...]) -> None:
        """Store how far the members are."""
        if members != self.instance.members:
            self.tenure.put(self.instance.standing, members)

    def issue(self, members: tuple[Member, ...]) -> None:
        """Store that from here on there may be effects, with how far the members are; once.

        A deletion that took the place of another operation is issued from its start, and is not DELETING yet.
        """
        issued = _ours(lifecycle.issue(self.instance.standing, self.tenure.mine))
        if issued != self.instance.standing:
            self.tenure.put(issued, members)

    def finish(self, progress: Progress) -> Instance:
        """Store that the operation is done, with all members as far."""
        members = tuple(replace(member, progress=progress) for member in self.instance.members)
        ended = lifecycle.finish(self.instance.standing, self.tenure.mine)
        return self.tenure.close(_ours(ended), members)

    def fail(self, failure: Failure) -> Instance:
        """Store that the instance is FAILED."""
        failed = lifecycle.fail(self.instance.standing, self.tenure.mine, failure)
        return self.tenure.close(_ours(failed), self.instance.members)

    def give_up(self) -> None:
        """Store that nothing was done, where that is so and the operation was begun here."""
        now = self.instance.standing
        left = lifecycle.give_up(now, self.tenure.mine)
        if self.claimed and left != now:
            self.tenure.close(left, self.instance.members)

    def _tell(self, phase: Phase, begun: float, outcome: Result) -> None:
        seconds = self.clock.steady() - begun
        tell(
            self.on_event,
            OperationEvent(operation(self.tenure), name_of(self.instance), phase, seconds, outcome),
        )


def name_of(instance: Instance) -> InstanceName:
    """What an instance is asked for by."""
    return InstanceName(instance.agent.namespace, instance.id)


def operation(tenure: Tenure) -> Operation:
    """What is held."""
    held = tenure.mine.operation
    if held is None:
        raise ValueError("nothing is under way")
    return held


RESULTS: Final[dict[type[ComputeError], Result]] = {
    ComputeUnavailableError: Result.UNAVAILABLE,
    ComputeDeniedError: Result.DENIED,
    ComputeRefusedError: Result.REFUSED,
    ActorGoneError: Result.GONE,
}
"""How a call ended that raised one of these."""


def _ours(given: Standing | Refused) -> Standing:
    """Of what is stored by compare and set, the rules refuse nothing that was ours a moment ago."""
    if not isinstance(given, Standing):
        raise LostError
    return given
