"""Every operation, with every trouble at every call: what the caller is told, what stays, and how it ends."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from unittest.mock import patch

import pytest

from kagent_apply.instances.outcome import Status
from kagent_apply.instances.reason import Reason
from kagent_apply.instances.states import FailureReason, Operation, State
from kagent_apply.operations.error import OperationError
from kagent_apply.operations.events import OperationEvent, Phase, Result
from kagent_apply.operations.operations import Operations
from kagent_apply.substrate.port import ActorState, Compute, ComputeRefusedError
from tests.apply.operations.memory_compute import Trouble
from tests.apply.operations.scene import ENDS, Scene, at_once

HARM = {
    Trouble.CRASHED: FailureReason.ACTOR_CRASHED,
    Trouble.GONE: FailureReason.ACTOR_MISSING,
    Trouble.REPLACED: FailureReason.ACTOR_MISMATCH,
    Trouble.OTHERS: FailureReason.ACTOR_MISMATCH,
}
"""What an Actor's trouble is where it is read; later, another Actor means that ours is gone."""


STATUSES = {
    Trouble.NO_ANSWER: Status.UNAVAILABLE,
    Trouble.LOST_ANSWER: Status.UNAVAILABLE,
    Trouble.REFUSED: Status.FAILED_PRECONDITION,
    Trouble.DENIED: Status.UNAVAILABLE,
    Trouble.NOT_READY: Status.UNAVAILABLE,
}
"""What the caller is told of trouble that is not an Actor's."""


@dataclass(frozen=True)
class Case:
    """A trouble at one call of an operation on two members."""

    operation: Operation
    place: int
    call: str
    trouble: Trouble
    recovered: bool = False

    def __str__(self) -> str:
        where = f"{self.operation.name}, call {self.place} ({self.call})"
        return f"{where}: {self.trouble}" + (", then recovered" if self.recovered else "")


@cache
def _calls(operation: Operation) -> list[str]:
    scene = Scene(2)
    scene.until(operation)
    scene.ask(scene.process(), operation)
    return [call for call, _ in scene.compute.calls]


def _cases() -> Iterator[Case]:
    for operation in Operation:
        for place, call in enumerate(_calls(operation)):
            for trouble in Trouble:
                if (trouble is Trouble.NOT_READY) <= (call == "prepare"):
                    yield Case(operation, place, call, trouble)
                    yield Case(operation, place, call, trouble, recovered=True)


CASES = [case for case in _cases() if not case.recovered or case.trouble in STATUSES]


def _is_given_up(case: Case) -> bool:
    return case.operation is not Operation.CREATE and case.call == "actor"


def _reason(case: Case) -> FailureReason | None:
    """Why the instance is FAILED afterwards, where it is."""
    if case.operation is Operation.CREATE and case.trouble is Trouble.REFUSED:
        return FailureReason.ACTOR_REFUSED
    if case.trouble not in HARM or case.call == "prepare":
        return None
    if case.call == "create":  # where there is no Actor yet: only another's can be in its place
        return FailureReason.ACTOR_MISMATCH if case.trouble is Trouble.OTHERS else None
    if case.operation is Operation.DELETE:
        others = case.trouble in {Trouble.REPLACED, Trouble.OTHERS} and case.call == "actor"
        return FailureReason.ACTOR_MISMATCH if others else None
    if case.trouble is Trouble.CRASHED and case.call == "restrict":
        return FailureReason.ACTOR_CRASHED  # which is seen where it should run
    read = case.call == "actor" or case.trouble is Trouble.CRASHED
    return HARM[case.trouble] if read else FailureReason.ACTOR_MISSING


PASSING_REASONS = {
    *(Reason.SUBSTRATE_REFUSED, Reason.SUBSTRATE_DENIED, Reason.SUBSTRATE_UNAVAILABLE),
    Reason.TEMPLATES_NOT_READY,
}
"""What is told of trouble that leaves the instance as it was, or the operation under way."""


def _told(scene: Scene, operation: Operation) -> OperationError | None:
    try:
        given = scene.ask(scene.process(), operation)
    except OperationError as error:
        return error
    assert given.standing.state is ENDS[operation]
    return None


@pytest.mark.parametrize("case", CASES, ids=str)
def test_trouble_at_a_call(case: Case) -> None:
    scene = Scene(2)
    scene.until(case.operation)
    state = None if case.operation is Operation.CREATE else scene.instance().standing.state
    scene.compute.trouble[case.place] = case.trouble
    error = _told(scene, case.operation)
    assert not scene.compute.trouble, "the call was not made"
    reason = _reason(case)
    if reason is not None:
        assert error is not None
        assert (error.status, error.reason) == (Status.FAILED_PRECONDITION, reason)
        _ends_by_deletion(scene, case, reason)
    elif case.trouble in STATUSES:
        assert error is not None
        assert error.status is STATUSES[case.trouble]
        assert error.reason in PASSING_REASONS
        _goes_on(scene, case, state)
    else:
        assert error is None
    if scene.instance().standing.state is not State.FAILED:
        scene.is_whole()


def _ends_by_deletion(scene: Scene, case: Case, reason: FailureReason) -> None:
    standing = scene.instance().standing
    assert (standing.state, standing.operation) == (State.FAILED, None)
    assert standing.failure is not None
    assert standing.failure.reason is reason
    others = {
        name: actor for name, actor in scene.compute.actors.items() if actor.uid in scene.compute.foreign
    }
    deletion = _told(scene, Operation.DELETE)
    assert {name: scene.compute.actors.get(name) for name in others} == others, "another's Actor was touched"
    if others:
        assert deletion is not None
        assert deletion.reason is FailureReason.ACTOR_MISMATCH
        for name in others:
            del scene.compute.actors[name]
        assert _told(scene, Operation.DELETE) is None
    else:
        assert deletion is None
    assert not scene.compute.actors


def _goes_on(scene: Scene, case: Case, state: State | None) -> None:
    standing = scene.instance().standing
    recovered = case.recovered and not _is_given_up(case)
    if _is_given_up(case):
        assert (standing.state, standing.operation, standing.issued) == (state, None, False)
        assert scene.instance().lease is None
        scene.is_whole()
    else:
        assert (standing.operation, standing.issued) == (case.operation, True)
    if recovered:
        scene.settle()
    else:
        assert _told(scene, case.operation) is None
    assert scene.instance().standing.state is ENDS[case.operation]


@pytest.mark.parametrize(
    ("trouble", "outcome"),
    [
        (Trouble.DENIED, Result.DENIED),
        (Trouble.NO_ANSWER, Result.UNAVAILABLE),
        (Trouble.NOT_READY, Result.UNAVAILABLE),
        (Trouble.REFUSED, Result.FAILED),
        (None, Result.DONE),
    ],
)
def test_observers_are_told_why_an_operation_did_not_end(trouble: Trouble | None, outcome: Result) -> None:
    scene, events = Scene(), list[OperationEvent]()
    scene.compute.trouble = {0: trouble} if trouble else {}
    try:
        scene.ask(scene.process(on_event=events.append), Operation.CREATE)
        told = ""
    except OperationError as error:
        told = error.message
    assert (events[-1].phase, events[-1].outcome, events[-1].problem) == (Phase.WHOLE, outcome, told)


@pytest.mark.parametrize("operation", Operation)
def test_a_server_that_was_started_for_another_target_ends_nothing(operation: Operation) -> None:
    """As for whoever mistypes `--target`: what is under way goes on when that is right."""
    scene = Scene(2)
    scene.until(operation)
    scene.compute.trouble[len(_calls(operation)) - 1] = Trouble.NO_ANSWER
    _told(scene, operation)
    scene.seconds.now += 2 * scene.limits.lease

    def none_of(_target: str) -> Compute:
        raise ComputeRefusedError("the revision is for another target", "give another `--target`")

    mistaken = Operations(scene.store, scene.revisions, none_of, clock=scene.seconds.clock(), submit=at_once)
    with pytest.raises(OperationError) as refused:
        scene.ask(mistaken, operation)
    assert (refused.value.status, refused.value.reason) == (
        Status.FAILED_PRECONDITION,
        Reason.SUBSTRATE_REFUSED,
    )
    assert scene.instance().standing.operation is operation
    scene.settle()
    assert scene.instance().standing.state is ENDS[operation]
    scene.is_whole()


def test_an_interrupted_creation_misses_what_it_had_made() -> None:
    scene = Scene(3)
    scene.compute.trouble[4] = Trouble.NO_ANSWER  # the first `restrict`, when the UIDs are stored
    _told(scene, Operation.CREATE)
    gone = next(iter(scene.compute.actors))
    del scene.compute.actors[gone]
    error = _told(scene, Operation.CREATE)
    assert error is not None
    assert (error.reason, error.message) == ("ActorMissing", "the Actor of `billing/ledger` is gone")
    assert scene.compute.made[gone] == 1


@pytest.mark.parametrize("operation", Operation)
def test_trouble_that_stays_is_told_to_everyone_who_asks(operation: Operation) -> None:
    scene = Scene()
    scene.until(operation)
    for _ in range(3):
        scene.compute.trouble[len(scene.compute.calls)] = Trouble.NO_ANSWER
        error = _told(scene, operation)
        assert error is not None
        assert (error.status, error.message) == (Status.UNAVAILABLE, "Substrate does not answer")


FOUND = {
    Operation.SUSPEND: {
        ActorState.CRASHED: FailureReason.ACTOR_CRASHED,
        ActorState.DELETING: FailureReason.ACTOR_MISSING,
    },
    Operation.RESUME: {
        ActorState.CRASHED: FailureReason.ACTOR_CRASHED,
        ActorState.DELETING: FailureReason.ACTOR_MISSING,
    },
    Operation.DELETE: {},
}
"""In which states an Actor makes an operation fail; in all others it is carried to where it should be."""


@pytest.mark.parametrize("state", ActorState)
@pytest.mark.parametrize("operation", FOUND)
def test_an_operation_goes_on_from_whatever_its_actors_do(operation: Operation, state: ActorState) -> None:
    scene = Scene(2)
    scene.until(operation)
    for name, actor in scene.compute.actors.items():
        scene.compute.actors[name] = replace(actor, state=state)
    error = _told(scene, operation)
    assert (error.reason if error else None) == FOUND[operation].get(state)
    if error is None:
        scene.is_whole()


@pytest.mark.parametrize(
    ("operation", "call", "state"),
    [
        (Operation.CREATE, "resume", ActorState.RESUMING),
        (Operation.RESUME, "resume", ActorState.SUSPENDED),
        (Operation.SUSPEND, "suspend", ActorState.SUSPENDING),
    ],
)
def test_what_is_not_there_yet_is_not_said_to_be(operation: Operation, call: str, state: ActorState) -> None:
    scene = Scene()
    scene.until(operation)
    with patch.object(scene.compute, call, lambda actor, timeout: replace(actor, state=state)):
        error = _told(scene, operation)
    assert error is not None
    assert (error.status, scene.instance().standing.operation) == (Status.UNAVAILABLE, operation)
    scene.settle()
    scene.is_whole()


def test_a_call_that_takes_all_its_time_is_made_again_until_patience_is_over() -> None:
    scene = Scene()
    scene.compute.trouble = dict.fromkeys(range(30), Trouble.SLOW)
    error = _told(scene, Operation.CREATE)
    assert error is not None
    assert error.status is Status.UNAVAILABLE
    assert 120 <= scene.seconds.now <= 135
    assert scene.instance().standing.operation is Operation.CREATE
