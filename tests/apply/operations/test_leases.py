"""Who holds an operation: leases are renewed while it is carried, taken over when they lapse, given back."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from kagent_apply.instances.outcome import Status
from kagent_apply.instances.states import Operation, State
from kagent_apply.operations.error import OperationError
from kagent_apply.operations.events import OperationEvent, Phase, Result
from kagent_apply.operations.limits import Limits
from kagent_apply.operations.operations import Operations
from kagent_apply.store.port import StoreError
from tests.apply.operations.memory_compute import Trouble
from tests.apply.operations.memory_store import nothing
from tests.apply.operations.scene import CREATION, ENDS, Scene


@dataclass
class Sleep:
    """At one call of Substrate's, the process sleeps beyond its lease, and another carries on."""

    scene: Scene
    at: int
    calls: int = 0
    after: list[str] = field(default_factory=list)

    def meet(self, moment: str, call: str) -> None:
        if moment == "before":
            return
        if self.calls > self.at:
            self.after.append(call)
        self.calls += 1
        if self.calls == self.at + 1:
            self.scene.compute.meet = nothing
            self.scene.seconds.now += self.scene.limits.lease + 1
            assert self.scene.process().recover() == 1
            self.scene.compute.meet = self.meet


@pytest.mark.parametrize("operation", Operation)
def test_who_lost_the_lease_does_nothing_more_and_answers_right(operation: Operation) -> None:
    calls = len(_called(operation))
    for at in range(calls):
        scene = Scene(2)
        scene.until(operation)
        sleep = Sleep(scene, at)
        scene.compute.meet = sleep.meet
        given = scene.ask(scene.process(), operation)
        assert sleep.after == [], f"after call {at}"
        assert given == scene.instance()
        assert given.standing.state is ENDS[operation]
        scene.is_whole()


@pytest.mark.parametrize("operation", Operation)
def test_who_wakes_while_another_takes_over_keeps_the_operation_or_loses_it_whole(
    operation: Operation,
) -> None:
    """The other saw the lease lapsed; before it takes over, the one that slept renews."""
    for at in range(len(_called(operation))):
        scene = Scene(2)
        scene.until(operation)
        sleeper, calls = scene.process(), iter(range(100))

        def wake(moment: str, call: str, scene: Scene = scene, sleeper: Operations = sleeper) -> None:
            if (moment, call) == ("before", "replace"):
                scene.store.meet = nothing
                sleeper._rounds.renew()

        def sleep(
            moment: str, call: str, scene: Scene = scene, at: int = at, calls: Iterator[int] = calls
        ) -> None:
            if moment == "after" and next(calls) == at:
                scene.compute.meet = nothing
                scene.seconds.now += scene.limits.lease + 1
                scene.store.meet = wake
                assert scene.process().recover() == 0

        scene.compute.meet = sleep
        assert scene.ask(sleeper, operation).standing.state is ENDS[operation]
        assert len(scene.compute.calls) == len(_called(operation)), "both carried it out"
        scene.is_whole()


def _called(operation: Operation) -> list[tuple[str, str]]:
    scene = Scene(2)
    scene.until(operation)
    scene.ask(scene.process(), operation)
    return scene.compute.calls


@pytest.mark.parametrize("seconds", [1, 5, 9])
def test_a_call_never_outlives_the_lease(seconds: int) -> None:
    """Each call takes its time; whatever is left of the lease has to cover the next."""
    scene = Scene(4)
    given: list[float] = []

    def slow(moment: str, call: str) -> None:
        if moment == "before":
            (now,) = scene.store.all()
            assert now.lease is not None
            assert not now.lease.lapsed
            given.append(scene.store.left())
            scene.seconds.now += seconds

    scene.compute.meet = slow
    scene.ask(scene.process(), Operation.CREATE)
    assert min(given) >= scene.limits.call


def test_a_lease_that_lapsed_and_that_nobody_took_is_renewed() -> None:
    scene = Scene()
    slept: list[str] = []

    def sleep(moment: str, call: str) -> None:
        if not slept:
            scene.seconds.now += 100
            slept.append(call)

    scene.compute.meet = sleep
    assert scene.ask(scene.process(), Operation.CREATE).standing.state is State.READY


@pytest.mark.parametrize("operation", Operation)
def test_what_another_process_holds_is_waited_for(operation: Operation) -> None:
    """The other has trouble and is gone; who waits goes on when its lease lapses, not before."""
    scene = _left(operation)
    begun = scene.seconds.now
    given = scene.ask(scene.process(), operation)
    assert given.standing.state is ENDS[operation]
    assert scene.limits.lease <= scene.seconds.now - begun <= scene.limits.lease + 2
    scene.is_whole()


def _left(operation: Operation) -> Scene:
    """An operation that had no answer after it was issued, and whose process is gone."""
    scene = Scene(2)
    scene.until(operation)
    scene.compute.trouble[len(_called(operation)) - 1] = Trouble.NO_ANSWER
    with pytest.raises(OperationError):
        scene.ask(scene.process(), operation)
    return scene


@pytest.mark.parametrize("operation", Operation)
def test_who_waits_no_longer_is_told_so_and_the_operation_stays(operation: Operation) -> None:
    scene = _left(operation)
    process = scene.process()
    with pytest.raises(OperationError) as caught:
        scene.ask(process, operation, timeout=5)
    assert caught.value.status is Status.DEADLINE_EXCEEDED
    assert scene.instance().standing.operation is operation
    scene.settle()
    assert scene.instance().standing.state is ENDS[operation]


def _taken_over(scene: Scene, process_of: Callable[[list[OperationEvent]], Operations]) -> int:
    """How many operations a process says that it took over, of the one that was left."""
    events: list[OperationEvent] = []
    process = process_of(events)
    scene.seconds.now += scene.limits.backoff + scene.limits.lease
    assert process.recover() == 1
    return [event.phase for event in events].count(Phase.TAKE_OVER)


@pytest.mark.parametrize("released", [False, True])
@pytest.mark.parametrize("operation", Operation)
def test_what_others_left_is_told_as_taken_over(operation: Operation, released: bool) -> None:
    scene = _left(operation)
    if released:
        lease = scene.instance().lease
        assert lease is not None
        scene.store.release(lease.holder)
    assert _taken_over(scene, lambda events: scene.process(on_event=events.append)) == 1


def test_what_had_trouble_here_is_not_taken_over_from_anybody() -> None:
    scene, told = Scene(2), list[OperationEvent]()
    process = scene.process(on_event=told.append)
    scene.compute.trouble[0] = Trouble.NO_ANSWER
    with pytest.raises(OperationError):
        scene.ask(process, Operation.CREATE)
    assert _taken_over(scene, lambda events: process) == 0
    assert Phase.TAKE_OVER not in {event.phase for event in told}


def test_what_was_left_is_taken_up_when_it_is_due_and_no_sooner() -> None:
    scene = _left(Operation.SUSPEND)
    process = scene.process()
    waits = [_until_taken_up(scene, process) for _ in range(8)]
    assert waits[0] == scene.limits.lease
    assert waits == sorted(waits)
    assert scene.limits.backoff / 2 <= waits[-1] <= scene.limits.backoff
    scene.settle()
    scene.is_whole()


def test_after_others_ended_it_nothing_is_remembered_of_its_trouble() -> None:
    scene = _left(Operation.SUSPEND)
    process = scene.process()
    for _ in range(8):
        _until_taken_up(scene, process)
    scene.settle()
    scene.ask(scene.process(), Operation.RESUME)
    scene.seconds.now += 2 * scene.limits.backoff
    assert process.recover() == 0
    scene.compute.trouble[len(scene.compute.calls) + 2] = Trouble.NO_ANSWER
    with pytest.raises(OperationError):
        scene.ask(scene.process(), Operation.SUSPEND)
    assert [_until_taken_up(scene, process) for _ in range(3)] == [scene.limits.lease] * 3


def _until_taken_up(scene: Scene, process: Operations) -> float:
    """Seconds until an operation that will have trouble again is."""
    begun = scene.seconds.now
    scene.compute.trouble[len(scene.compute.calls)] = Trouble.NO_ANSWER
    while not process.recover():
        scene.seconds.now += 1
    return scene.seconds.now - begun


def test_no_more_is_recovered_at_once_than_may_be() -> None:
    scene = Scene(limits=Limits(recovering=2))
    for number in range(5):
        scene.compute.trouble[len(scene.compute.calls)] = Trouble.NO_ANSWER
        with pytest.raises(OperationError):
            scene.process().create(f"creator-{number}", CREATION, 10)
    scene.seconds.now += 100
    waiting: list[Callable[[], None]] = []
    process = scene.process(submit=waiting.append)
    assert process.recover() == 2
    assert process.recover() == 0
    while waiting:
        waiting.pop()()
    assert process.recover() == 2


def test_one_operation_too_many_leaves_nothing_behind() -> None:
    scene = Scene(limits=Limits(open=1))
    waiting: list[Callable[[], None]] = []
    process = scene.process(submit=waiting.append)
    statuses = []
    for creator in ("first", "second"):
        with pytest.raises(OperationError) as caught:
            process.create(creator, CREATION, 10)
        statuses.append(caught.value.status)
    assert statuses == [Status.DEADLINE_EXCEEDED, Status.UNAVAILABLE]
    assert [instance.creator for instance in scene.store.all()] == ["first"]


@pytest.mark.parametrize("moment", ["before", "after"])
@pytest.mark.parametrize("operation", Operation)
def test_trouble_of_the_store_is_internal_and_the_same_request_goes_on(
    operation: Operation, moment: str
) -> None:
    for at in range(3):
        scene = Scene(2)
        scene.until(operation)
        scene.store.meet = _failing(moment, at)
        process = scene.process()
        with pytest.raises(OperationError) as caught:
            scene.ask(process, operation)
        assert (caught.value.status, caught.value.message) == (Status.INTERNAL, "the store does not answer")
        scene.store.meet = nothing
        if scene.store.all() and scene.instance().standing.operation is None:
            scene.is_whole()
        elif scene.store.all():
            begun = scene.seconds.now
            assert scene.ask(process, operation).standing.state is ENDS[operation]
            assert scene.seconds.now == begun, "its own lease is nothing to wait for"
        scene.settle()


def _failing(moment: str, at: int) -> Callable[[str, str], None]:
    """The store's trouble before or after one of its changes."""
    changes = iter(range(100))

    def meet(now: str, call: str) -> None:
        if now == moment and call in {"reserve", "replace"} and next(changes) == at:
            raise StoreError("the store does not answer")

    return meet


def test_an_error_of_our_own_keeps_nobody_waiting() -> None:
    scene, events = Scene(), list[OperationEvent]()

    def broken(moment: str, call: str) -> None:
        raise KeyError("a secret")

    scene.compute.meet = broken
    with pytest.raises(OperationError) as caught:
        scene.ask(scene.process(on_event=events.append), Operation.CREATE)
    assert caught.value.status is Status.INTERNAL
    assert "secret" not in str(caught.value.args)
    assert (events[-1].phase, events[-1].outcome, events[-1].error) == (
        Phase.WHOLE,
        Result.INTERNAL,
        "KeyError",
    )
    scene.compute.meet = nothing
    scene.settle()
    scene.is_whole()


@pytest.mark.parametrize("limits", [{"call": 0.0}, {"call": 11.0}, {"lease": 5.0}, {"workers": 0}], ids=str)
def test_limits_that_cannot_hold_are_refused(limits: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="to be"):
        Limits(**limits)  # type: ignore[arg-type]
