"""What may become of an instance: which operation may begin where, and how it goes on and ends.

A function takes what is stored and gives what to store in its place, by compare and set; who loses that race
reads again and asks again. An operation is claimed, issued before its first effect outside, and finished.
Each claim has a number, so that whoever comes late to one cannot end another (facts 8.3, 8.4).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from kagent_apply.instances.outcome import Answered, Claimed, Joined, Refused, Status
from kagent_apply.instances.reason import Reason
from kagent_apply.instances.standing import Standing
from kagent_apply.instances.states import FailureReason, Operation, State

if TYPE_CHECKING:
    from kagent_apply.instances.outcome import Outcome
    from kagent_apply.instances.requests import AgentName
    from kagent_apply.instances.standing import Reservation
    from kagent_apply.instances.states import Failure

Change = Literal[Operation.SUSPEND, Operation.RESUME, Operation.DELETE]
"""An operation on an instance that is there."""

BEGINS: Final = {
    Operation.SUSPEND: frozenset({State.READY}),
    Operation.RESUME: frozenset({State.SUSPENDED}),
    Operation.DELETE: frozenset({State.READY, State.SUSPENDED, State.FAILED}),
}
"""From where an operation may begin while no other is under way; in CREATING and DELETING always one is."""

ENDS: Final = {
    Operation.CREATE: State.READY,
    Operation.SUSPEND: State.SUSPENDED,
    Operation.RESUME: State.READY,
    Operation.DELETE: State.DELETED,
}
"""Where an operation leads."""

FAILURES: Final = {
    Operation.CREATE: frozenset(FailureReason),
    Operation.SUSPEND: frozenset(FailureReason) - {FailureReason.ACTOR_REFUSED},
    Operation.RESUME: frozenset(FailureReason) - {FailureReason.ACTOR_REFUSED},
    Operation.DELETE: frozenset({FailureReason.ACTOR_MISMATCH}),
}
"""What an operation can fail for: creating misses only what it had made, and deleting does without.

What Substrate refuses ends a creation, so that it can be deleted, and never what has lived.
"""

NO_INSTANCE: Final = Refused(
    Status.NOT_FOUND,
    Reason.INSTANCE_NOT_FOUND,
    "there is no such AgentInstance",
    "list those of the namespace",
)
"""For one that never was, is deleted, or is somebody else's: nobody can tell which."""

NEW: Final = Standing(State.CREATING, Operation.CREATE, claim=1)
"""How an instance begins."""

_BUSY: Final = "wait until it has ended"
_BUSY_DELETING: Final = f"{_BUSY}; one that has trouble gives way when you ask again between two attempts"

_ANOTHER: Final = "create an instance with another `request_id`"


def begin_creation(agent: AgentName, found: Reservation | None, *, prepared: bool) -> Outcome:
    """Begin or go on with what the caller's `request_id` stands for.

    `prepared` says whether the agent has a revision now; an instance that is there keeps its own.
    """
    if found is not None and found.agent != agent:
        told = "`request_id` was used for another agent"
        return Refused(Status.ALREADY_EXISTS, Reason.REQUEST_ID_USED, told, _ANOTHER)
    if found is not None:
        return _created_before(found.standing)
    if not prepared:
        return Refused(
            Status.FAILED_PRECONDITION,
            Reason.NO_REVISION_SERVES,
            "the Harness and the AgentTemplate have no prepared revision",
            "commit their rendered lock, and wait until the server reads it",
        )
    return Claimed(NEW)


def begin(operation: Change, found: Standing | None, *, resting: bool = False) -> Outcome:
    """Begin an operation, or join it; what is deleted is not found, and another is not disturbed.

    `resting` says that nobody carries out the one that is under way just now: it had trouble, or who did it
    is gone. Then a deletion takes its place, since it might be in the way for ever; what it issued stays
    issued.
    """
    if found is None or found.state is State.DELETED:
        return NO_INSTANCE
    if found.operation is operation:
        return Joined(found)
    takes_over = resting and operation is Operation.DELETE
    if found.operation is not None and not takes_over:
        busy = f"`{found.operation.name}` of the AgentInstance is under way"
        hint = _BUSY_DELETING if operation is Operation.DELETE else _BUSY
        return Refused(Status.ABORTED, Reason.OPERATION_UNDER_WAY, busy, hint)
    if found.operation is None and found.state not in BEGINS[operation]:
        needed = " or ".join(f"`{state.name}`" for state in sorted(BEGINS[operation]))
        told = f"`{operation.name}` needs an AgentInstance that is {needed}, and it is `{found.state.name}`"
        return Refused(Status.ABORTED, Reason.WRONG_STATE, told, _way_out(found.state))
    return Claimed(replace(found, operation=operation, claim=found.claim + 1))


def issue(now: Standing, mine: Standing) -> Standing | Refused:
    """Before the first effect outside: from here on the operation is not given up, whatever happens.

    `mine` is what the worker claimed or joined. What is being deleted is DELETING, since part of it is gone,
    and has no failure any more.
    """
    if not is_under_way(now, mine):
        return _LATE
    if now.operation is Operation.DELETE:
        now = replace(now, state=State.DELETING, failure=None)
    return replace(now, issued=True)


def give_up(now: Standing, mine: Standing) -> Standing:
    """After trouble of who claimed the operation: as before it, if nothing was issued; else it stays.

    A creation stays, too: the same `request_id` goes on with it. So does a deletion in its place, since what
    is CREATING has to be under way. Who joined an operation never gives it up.
    """
    if not is_under_way(now, mine) or now.issued or now.state is State.CREATING:
        return now
    return replace(now, operation=None)


def finish(now: Standing, mine: Standing) -> Standing | Refused:
    """Where the operation leads; who comes late gets what others made of it, if it is what was asked for."""
    if mine.operation is None:
        raise ValueError("an operation that was not claimed cannot be finished")
    end = ENDS[mine.operation]
    if is_under_way(now, mine):
        return Standing(end, claim=now.claim)
    return now if now.state is end else _LATE


def fail(now: Standing, mine: Standing, failure: Failure) -> Standing | Refused:
    """FAILED, from where only deleting leads on; ValueError for a reason that the operation does not have."""
    if mine.operation is None or failure.reason not in FAILURES[mine.operation]:
        raise ValueError(f"{mine.operation} does not fail for {failure.reason}")
    if not is_under_way(now, mine):
        return _LATE
    return Standing(State.FAILED, claim=now.claim, failure=failure)


def is_under_way(now: Standing, mine: Standing) -> bool:
    """Whether the very operation that was claimed or joined has not ended."""
    return now.operation is not None and (now.operation, now.claim) == (mine.operation, mine.claim)


_LATE: Final = Refused(
    Status.ABORTED,
    Reason.OPERATION_SUPERSEDED,
    "the operation on the AgentInstance was ended by another request",
    "get the instance to see what became of it",
)


def _created_before(standing: Standing) -> Outcome:
    """What creating again gives: the instance where it may yet be READY, else a refusal that says why not."""
    if standing.state is State.CREATING and standing.operation is Operation.DELETE:
        told = "the AgentInstance of `request_id` is being deleted"
        return Refused(Status.FAILED_PRECONDITION, Reason.WRONG_STATE, told, _ANOTHER)
    if standing.state is State.CREATING:
        return Joined(standing)
    if standing.state is State.READY:
        return Answered(standing)
    told = f"the AgentInstance of `request_id` is `{standing.state.name}`"
    return Refused(Status.FAILED_PRECONDITION, Reason.WRONG_STATE, told, _again(standing.state))


def _again(state: State) -> str:
    return {
        State.SUSPENDED: "resume it",
        State.FAILED: f"see its `failure`, delete it, and {_ANOTHER}",
    }.get(state, _ANOTHER)


def _way_out(state: State) -> str:
    return {
        State.READY: "there is nothing to do",
        State.SUSPENDED: "there is nothing to do",
        State.FAILED: "see its `failure`, and delete it",
    }[state]
