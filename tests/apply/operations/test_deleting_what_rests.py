"""An operation that had trouble is in nobody's way: the instance can be deleted before it is tried again."""

from __future__ import annotations

import pytest

from kagent_apply.instances.outcome import Status
from kagent_apply.instances.states import Operation, State
from kagent_apply.operations.error import OperationError
from kagent_apply.operations.operations import Operations
from tests.apply.operations.memory_compute import Trouble
from tests.apply.operations.memory_store import nothing
from tests.apply.operations.scene import Scene

PLACES = {Operation.SUSPEND: range(2, 4), Operation.RESUME: range(2, 6)}
"""The calls of an operation on two members that come after it was issued."""


CASES = [
    (operation, place, trouble)
    for operation, places in PLACES.items()
    for place in places
    for trouble in (Trouble.REFUSED, Trouble.NO_ANSWER, Trouble.LOST_ANSWER)
]


def _left(operation: Operation, place: int, trouble: Trouble) -> tuple[Scene, Operations]:
    """A scene in which an operation stayed behind, and the process that had the trouble."""
    scene = Scene(2)
    scene.until(operation)
    process = scene.process()
    scene.compute.trouble[place] = trouble
    with pytest.raises(OperationError):
        scene.ask(process, operation)
    standing = scene.instance().standing
    assert (standing.operation, standing.issued) == (operation, True)
    scene.compute.calls.clear()
    return scene, process


def _refused(scene: Scene, process: Operations) -> OperationError:
    with pytest.raises(OperationError) as refused:
        scene.ask(process, Operation.DELETE)
    return refused.value


@pytest.mark.parametrize(("operation", "place", "trouble"), CASES)
def test_the_process_that_had_the_trouble_deletes_at_once(
    operation: Operation, place: int, trouble: Trouble
) -> None:
    scene, process = _left(operation, place, trouble)
    assert scene.ask(process, Operation.DELETE).standing.state is State.DELETED
    assert not scene.compute.actors
    scene.is_whole()


def test_another_process_deletes_once_the_lease_has_lapsed() -> None:
    scene, _ = _left(Operation.RESUME, 4, Trouble.REFUSED)
    another = scene.process()
    told = _refused(scene, another)
    assert (told.status, told.message) == (
        Status.ABORTED,
        "`RESUME` of the AgentInstance is under way",
    )
    scene.seconds.now += scene.limits.lease
    assert scene.ask(another, Operation.DELETE).standing.state is State.DELETED
    scene.is_whole()


def test_what_is_carried_out_just_now_is_not_disturbed() -> None:
    scene = Scene(2)
    scene.until(Operation.SUSPEND)
    process = scene.process()
    told: list[Status] = []

    def meet(moment: str, call: str) -> None:
        if (moment, call) == ("before", "suspend"):
            told.extend(_refused(scene, asking).status for asking in (process, scene.process()))

    scene.compute.meet = meet
    assert scene.ask(process, Operation.SUSPEND).standing.state is State.SUSPENDED
    assert set(told) == {Status.ABORTED}


def test_a_creation_that_rests_is_not_deleted_since_its_actors_may_yet_come() -> None:
    scene = Scene(2)
    process = scene.process()
    scene.compute.trouble[1] = Trouble.LOST_ANSWER
    with pytest.raises(OperationError):
        scene.ask(process, Operation.CREATE)
    scene.seconds.now += 100
    assert _refused(scene, process).status is Status.ABORTED


@pytest.mark.parametrize("trouble", [Trouble.REFUSED, Trouble.NO_ANSWER, Trouble.LOST_ANSWER])
@pytest.mark.parametrize("place", range(6))
def test_the_deletion_stays_whatever_happens_to_it(place: int, trouble: Trouble) -> None:
    """What took its place was issued: an instance of which a part is suspended is not READY again."""
    scene, process = _left(Operation.SUSPEND, 2, Trouble.REFUSED)
    scene.compute.trouble[place] = trouble
    with pytest.raises(OperationError):
        scene.ask(process, Operation.DELETE)
    standing = scene.instance().standing
    assert (standing.operation, standing.issued) == (Operation.DELETE, True)
    scene.settle()
    assert scene.instance().standing.state is State.DELETED
    scene.is_whole()


def test_whoever_waits_for_what_gave_way_is_told() -> None:
    scene, process = _left(Operation.SUSPEND, 2, Trouble.REFUSED)
    reads: list[str] = []

    def meet(_moment: str, call: str) -> None:
        reads.append(call)
        if reads.count("instance") == 2:  # after it joined the operation
            scene.store.meet = nothing
            scene.ask(process, Operation.DELETE)

    scene.store.meet = meet
    with pytest.raises(OperationError) as refused:
        scene.ask(scene.process(), Operation.SUSPEND)
    assert (refused.value.status, scene.instance().standing.state) == (Status.ABORTED, State.DELETED)
