"""An operation that had trouble is in nobody's way: the instance can be deleted before it is tried again."""

from __future__ import annotations

import pytest

from kagent_apply.instances.outcome import Status
from kagent_apply.instances.reason import Reason
from kagent_apply.instances.states import Operation, State
from kagent_apply.operations.error import OperationError
from kagent_apply.operations.operations import Operations
from kagent_apply.substrate.port import ActorName
from tests.apply.operations.memory_compute import Trouble
from tests.apply.operations.memory_store import nothing
from tests.apply.operations.scene import AGENT, Scene

PLACES = {Operation.CREATE: range(7), Operation.SUSPEND: range(2, 4), Operation.RESUME: range(2, 6)}
"""The calls of an operation on two members that come after it was issued; a creation is from its start."""

UNKNOWING = range(3)
"""Those of a creation before which no UID is stored."""

CASES = [
    (operation, place, trouble)
    for operation, places in PLACES.items()
    for place in places
    for trouble in (Trouble.REFUSED, Trouble.DENIED, Trouble.NO_ANSWER, Trouble.LOST_ANSWER)
    if (operation, trouble) != (Operation.CREATE, Trouble.REFUSED)  # which ends it
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
    begun = scene.seconds.now
    assert scene.ask(process, Operation.DELETE).standing.state is State.DELETED
    waits = operation is Operation.CREATE and place in UNKNOWING
    assert scene.seconds.now - begun == (scene.limits.call if waits else 0)
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


def test_an_actor_that_a_creation_asked_for_and_that_comes_late_is_deleted_with_it() -> None:
    scene, process = _left(Operation.CREATE, 2, Trouble.NO_ANSWER)
    late = ActorName(AGENT.namespace, scene.instance().members[0].actor)

    def arrive(moment: str, call: str) -> None:
        if (moment, call) == ("after", "replace"):  # as the deletion is claimed
            scene.store.meet = nothing
            scene.compute._create(late, "triage-0")

    scene.store.meet = arrive
    assert scene.ask(process, Operation.DELETE).standing.state is State.DELETED
    assert scene.compute.made[late] == 1
    assert not scene.compute.actors
    scene.is_whole()


def test_a_creation_is_not_gone_on_with_once_it_is_deleted() -> None:
    scene, process = _left(Operation.CREATE, 1, Trouble.NO_ANSWER)
    told: list[OperationError] = []

    def ask(moment: str, call: str) -> None:
        if (moment, call) == ("before", "actor") and not told:
            with pytest.raises(OperationError) as refused:
                scene.ask(process, Operation.CREATE)
            told.append(refused.value)

    scene.compute.meet = ask
    assert scene.instance().standing.state is State.CREATING
    scene.ask(process, Operation.DELETE)
    assert (told[0].status, told[0].reason) == (Status.FAILED_PRECONDITION, Reason.WRONG_STATE)
    assert told[0].message == "the AgentInstance of `request_id` is being deleted"


def test_a_deletion_that_waits_for_what_may_come_stops_with_its_server_and_goes_on_elsewhere() -> None:
    scene, process = _left(Operation.CREATE, 1, Trouble.NO_ANSWER)
    process._carrier.stop.set()
    with pytest.raises(OperationError) as told:
        scene.ask(process, Operation.DELETE)
    assert told.value.reason is Reason.SERVER_STOPPING
    assert scene.compute.calls == []
    assert (scene.instance().standing.state, scene.instance().standing.operation) == (
        State.CREATING,
        Operation.DELETE,
    )
    scene.settle()
    assert scene.instance().standing.state is State.DELETED
    scene.is_whole()


def test_who_asks_for_a_deletion_cuts_short_the_patience_of_what_it_waits_for() -> None:
    """An image that cannot be pulled takes all the time of each call."""
    scene = Scene()
    process = scene.process()
    scene.compute.trouble = dict.fromkeys(range(3, 30), Trouble.SLOW)
    told: list[OperationError] = []

    def ask(moment: str, call: str) -> None:
        if (moment, call) == ("before", "resume"):
            scene.compute.meet = nothing
            told.append(_refused(scene, process))

    scene.compute.meet = ask
    with pytest.raises(OperationError) as ended:
        scene.ask(process, Operation.CREATE)
    assert (ended.value.status, told[0].status) == (Status.UNAVAILABLE, Status.ABORTED)
    assert scene.seconds.now == scene.limits.call
    scene.compute.trouble.clear()
    assert scene.ask(process, Operation.DELETE).standing.state is State.DELETED
    scene.is_whole()


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


def test_an_actor_that_never_comes_to_run_and_cannot_be_suspended_is_deleted_as_it_is() -> None:
    scene = Scene(2)
    scene.until(Operation.DELETE)
    stuck = scene.compute.actors[ActorName(AGENT.namespace, scene.instance().members[1].actor)]
    scene.compute.trouble = dict.fromkeys(range(3, 15), Trouble.SLOW)  # all suspensions of the second one
    assert scene.ask(scene.process(), Operation.DELETE).standing.state is State.DELETED
    assert scene.compute.calls.count(("suspend", stuck.name.name)) == 12
    assert scene.seconds.now == scene.limits.patience
    assert not scene.compute.actors
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
