"""A process that is killed before or after any of its steps leaves nothing that the next cannot carry on."""

from __future__ import annotations

from functools import cache

import pytest

from kagent_apply.instances.states import Operation, State
from kagent_apply.operations.error import OperationError
from tests.apply.operations.killing import Kill, Killed, arm, bury
from tests.apply.operations.memory_compute import Trouble
from tests.apply.operations.scene import ENDS, Scene

NEVER = 10_000


def _attempt(scene: Scene, operation: Operation, at: int) -> bool:
    """Ask a new process, which is killed at a step; whether it came to its end before that."""
    kill = Kill(at)
    arm(scene, kill)
    try:
        scene.ask(scene.process(), operation)
    except Killed:
        return False
    finally:
        bury(scene)
    return True


@cache
def _steps(operation: Operation, members: int) -> int:
    scene = Scene(members)
    scene.until(operation)
    kill = Kill(NEVER)
    arm(scene, kill)
    scene.ask(scene.process(), operation)
    return kill.steps


CASES = [(operation, members) for operation in Operation for members in (1, 2, 4)]


@pytest.mark.parametrize(("operation", "members"), CASES)
def test_what_a_killed_process_left_is_recovered(operation: Operation, members: int) -> None:
    for at in range(_steps(operation, members)):
        scene = Scene(members)
        scene.until(operation)
        before = scene.instance().standing.state if scene.store.all() else None
        assert not _attempt(scene, operation, at)
        begun = bool(scene.store.all()) and scene.instance().standing.operation is operation
        scene.settle()
        if not scene.store.all():
            assert operation is Operation.CREATE
            assert not scene.compute.actors, "an Actor without an instance"
            continue
        state = scene.instance().standing.state
        assert state in ({ENDS[operation]} if begun else {before, ENDS[operation]}), f"killed at {at}"
        scene.is_whole()


@pytest.mark.parametrize(("operation", "members"), CASES)
def test_the_same_request_carries_on_what_a_killed_process_left(operation: Operation, members: int) -> None:
    for at in range(_steps(operation, members)):
        scene = Scene(members)
        scene.until(operation)
        assert not _attempt(scene, operation, at)
        ended = bool(scene.store.all()) and scene.instance().standing.state is ENDS[operation]
        if ended and operation is not Operation.CREATE:  # then there is nothing left to ask for
            with pytest.raises(OperationError, match=r"(needs an|no such) AgentInstance"):
                scene.ask(scene.process(), operation)
        else:
            given = scene.ask(scene.process(), operation)
            assert given.standing.state is ENDS[operation], f"killed at {at}"
        scene.is_whole()


@pytest.mark.parametrize("operation", Operation)
def test_whoever_carries_it_on_may_be_killed_as_well(operation: Operation) -> None:
    steps = _steps(operation, 2)
    for first in range(1, steps, 2):
        for second in range(0, steps, 2):
            scene = Scene(2)
            scene.until(operation)
            _attempt(scene, operation, first)
            kill = Kill(second)
            scene.seconds.now += 120
            arm(scene, kill)
            try:
                scene.process().recover()
            except Killed:
                pass
            finally:
                bury(scene)
            scene.settle()
            scene.is_whole()
            assert scene.instance().standing.state is ENDS[operation] or first == 1


@pytest.mark.parametrize("operation", [Operation.SUSPEND, Operation.RESUME, Operation.DELETE])
def test_who_took_an_operation_over_never_gives_it_up(operation: Operation) -> None:
    scene = Scene(2)
    scene.until(operation)
    assert not _attempt(scene, operation, at=2)  # it is claimed, and not issued
    scene.seconds.now += 120
    scene.compute.trouble[len(scene.compute.calls)] = Trouble.NO_ANSWER
    assert scene.process().recover() == 1
    assert scene.instance().standing.operation is operation
    assert not scene.instance().standing.issued
    scene.settle()
    assert scene.instance().standing.state is ENDS[operation]


@pytest.mark.parametrize("operation", [Operation.SUSPEND, Operation.RESUME, Operation.DELETE])
def test_an_actor_that_vanished_meanwhile_is_never_made_again(operation: Operation) -> None:
    for at in range(_steps(operation, 2)):
        scene = Scene(2)
        scene.until(operation)
        _attempt(scene, operation, at)
        if scene.compute.actors:
            scene.compute.actors.popitem()
        scene.settle()
        assert scene.instance().standing.operation is None
        assert all(made == 1 for made in scene.compute.made.values())
        left = scene.states()
        assert (scene.instance().standing.state is State.DELETED) <= (left == [None, None])


def test_a_creation_whose_actor_vanished_is_made_whole_or_has_failed() -> None:
    ends = set()
    for at in range(_steps(Operation.CREATE, 2)):
        scene = Scene(2)
        _attempt(scene, Operation.CREATE, at)
        known = bool(scene.store.all()) and all(member.uid for member in scene.instance().members)
        ended = known and scene.instance().standing.state is State.READY
        gone = scene.compute.actors.popitem()[0] if scene.compute.actors else None
        scene.settle()
        if not scene.store.all() or ended:
            continue
        state = scene.instance().standing.state
        ends.add((known, state))
        assert state is (State.FAILED if known else State.READY)
        assert gone is None or scene.compute.made[gone] == (1 if known else 2)
    assert ends == {(True, State.FAILED), (False, State.READY)}
