"""Each operation without trouble: what is stored, what is called, and what is refused before anything is."""

from __future__ import annotations

import pytest

from kagent_apply.instances.instance import Progress
from kagent_apply.instances.outcome import Status
from kagent_apply.instances.requests import AgentName, Creation, InstanceName
from kagent_apply.instances.states import Operation, State
from kagent_apply.operations.error import OperationError
from kagent_apply.operations.events import OperationEvent, Phase, Result
from kagent_apply.revisions.port import NotServed
from kagent_apply.substrate.port import ComputeRefusedError
from tests.apply.operations.memory_compute import MemoryCompute
from tests.apply.operations.scene import CREATION, CREATOR, ENDS, TIMEOUT, Scene, revision

CALLS = {
    Operation.CREATE: "prepare; create -2 -1 .; restrict -2 -1 .; resume -2 -1 .",
    Operation.SUSPEND: "actor . -1 -2; suspend . -1 -2",
    Operation.RESUME: "actor . -1 -2; restrict -2 -1 .; resume -2 -1 .",
    Operation.DELETE: "actor . -1 -2; suspend . -1 -2; delete -2 -1 .",
}
"""Of a tree of three: the root is a point, and the others what their Actors' names end with."""

WRITES = {
    Operation.CREATE: "CREATING CREATE planned, CREATING CREATE created, READY running",
    Operation.SUSPEND: "READY SUSPEND running, READY SUSPEND fenced, SUSPENDED suspended",
    Operation.RESUME: "SUSPENDED RESUME suspended, SUSPENDED RESUME suspended, READY running",
    Operation.DELETE: "READY DELETE running, DELETING DELETE fenced, DELETED deleted",
}


def _calls(scene: Scene) -> str:
    told: list[str] = []
    for call, actor in scene.compute.calls:
        whose = actor.removeprefix(f"ai-{scene.instance().id}") or "."
        if told and told[-1].split()[0] == call:
            told[-1] += f" {whose}"
        else:
            told.append(f"{call} {whose}" if actor else call)
    return "; ".join(told)


def _writes(scene: Scene) -> str:
    return ", ".join(
        " ".join(
            [
                written.standing.state.name,
                *([written.standing.operation.name] if written.standing.operation else []),
                *{member.progress for member in written.members},
            ]
        )
        for written in scene.store.written
    )


@pytest.mark.parametrize("operation", Operation)
def test_an_operation_has_three_commits_and_calls_in_the_safe_order(operation: Operation) -> None:
    scene = Scene(members=3)
    scene.until(operation)
    given = scene.ask(scene.process(), operation)
    assert given.standing.state is ENDS[operation]
    assert given == scene.instance()
    assert _calls(scene) == CALLS[operation]
    assert _writes(scene) == WRITES[operation]
    scene.is_whole()


def test_deleting_what_is_suspended_wakes_nobody() -> None:
    scene = Scene(members=2)
    scene.until(Operation.RESUME)
    scene.ask(scene.process(), Operation.DELETE)
    assert _calls(scene) == "actor . -1; delete -1 ."


def test_a_creation_is_issued_where_it_is_reserved_and_pins_what_serves() -> None:
    scene = Scene(members=2)
    given = scene.process().create(CREATOR, CREATION, TIMEOUT)
    assert scene.store.written[0].standing.issued
    assert (given.labels, given.revision, given.creator) == (
        {"team": "payments"},
        revision(2).revision,
        CREATOR,
    )
    assert [member.actor for member in given.members] == [f"ai-{given.id}", f"ai-{given.id}-1"]
    assert all(member.uid for member in given.members)


def test_creating_again_gives_the_same_instance_whatever_serves_now() -> None:
    scene = Scene()
    first = scene.process().create(CREATOR, CREATION, TIMEOUT)
    scene.revisions.served = NotServed("nothing serves", "commit something")
    assert scene.process().create(CREATOR, CREATION, TIMEOUT) == first
    scene.process().suspend(CREATOR, scene.named(), TIMEOUT)
    assert scene.process().resume(CREATOR, scene.named(), TIMEOUT).revision == first.revision


def _refused(call: object) -> OperationError:
    with pytest.raises(OperationError) as caught:
        call()  # type: ignore[operator]
    return caught.value


def test_what_cannot_be_leaves_nothing_behind() -> None:
    scene = Scene()
    scene.revisions.served = NotServed("nothing serves", "commit something")
    error = _refused(lambda: scene.process().create(CREATOR, CREATION, TIMEOUT))
    assert (error.status, error.message, error.hint) == (
        Status.FAILED_PRECONDITION,
        "nothing serves",
        "commit something",
    )
    assert not scene.store.all()


class _Checking(MemoryCompute):
    def check(self, revision: object) -> None:
        raise ComputeRefusedError("the image has no command", "write one")


def test_a_revision_that_will_never_run_leaves_nothing_behind() -> None:
    scene = Scene()
    scene.compute = _Checking(scene.store, scene.seconds)
    error = _refused(lambda: scene.process().create(CREATOR, CREATION, TIMEOUT))
    assert (error.status, error.message) == (Status.FAILED_PRECONDITION, "the image has no command")
    assert not scene.store.all()


def test_a_request_id_is_per_creator_and_for_one_agent() -> None:
    scene = Scene()
    process = scene.process()
    process.create(CREATOR, CREATION, TIMEOUT)
    process.create("bob", CREATION, TIMEOUT)
    assert len(scene.store.all()) == 2
    other = Creation(AgentName("payments", "claude", "triage"), CREATION.request_id)
    assert _refused(lambda: process.create(CREATOR, other, TIMEOUT)).status is Status.ALREADY_EXISTS


@pytest.mark.parametrize("operation", [Operation.SUSPEND, Operation.RESUME, Operation.DELETE])
def test_another_creators_instance_is_not_found_and_not_touched(operation: Operation) -> None:
    scene = Scene()
    scene.until(operation)
    before = scene.instance()
    method = getattr(scene.process(), operation.name.lower())
    others = _refused(lambda: method("mallory", scene.named(), TIMEOUT))
    nobodys = _refused(lambda: method(CREATOR, InstanceName("payments", "none"), TIMEOUT))
    assert others.args == nobodys.args
    assert others.status is Status.NOT_FOUND
    assert (scene.instance(), scene.compute.calls) == (before, [])


def test_a_deleted_instance_stays_as_a_tombstone() -> None:
    scene = Scene()
    scene.until(Operation.DELETE)
    scene.ask(scene.process(), Operation.DELETE)
    assert scene.instance().standing.state is State.DELETED
    assert {member.progress for member in scene.instance().members} == {Progress.DELETED}
    assert _refused(lambda: scene.ask(scene.process(), Operation.DELETE)).status is Status.NOT_FOUND
    assert _refused(lambda: scene.ask(scene.process(), Operation.CREATE)).status is Status.FAILED_PRECONDITION


def test_observers_are_told_of_every_call_and_of_the_whole() -> None:
    scene, events = Scene(), list[OperationEvent]()
    scene.ask(scene.process(on_event=events.append), Operation.CREATE)
    assert [event.phase for event in events] == [
        Phase.PREPARE,
        Phase.CREATE,
        Phase.RESTRICT,
        Phase.RESUME,
        Phase.WHOLE,
    ]
    assert {(event.operation, event.instance, event.outcome) for event in events} == {
        (Operation.CREATE, scene.named(), Result.DONE)
    }


def test_an_observers_error_stops_nothing() -> None:
    scene = Scene()

    def broken(event: OperationEvent) -> None:
        raise KeyError(event)

    assert scene.ask(scene.process(on_event=broken), Operation.CREATE).standing.state is State.READY
