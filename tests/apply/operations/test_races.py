"""Two requests at once, in one process and in two, interrupted at every step: each is answered rightly."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest

from kagent_apply.instances.instance import Instance
from kagent_apply.instances.outcome import Status
from kagent_apply.instances.states import Operation, State
from kagent_apply.operations.error import OperationError
from tests.apply.operations.killing import Kill, Killed, arm, bury
from tests.apply.operations.memory_store import nothing
from tests.apply.operations.scene import ENDS, Scene
from tests.apply.operations.turns import Turns

CREATE, SUSPEND, RESUME, DELETE = Operation
PAIRS = [
    (CREATE, CREATE),
    (SUSPEND, SUSPEND),
    (SUSPEND, RESUME),
    (SUSPEND, DELETE),
    (RESUME, RESUME),
    (RESUME, DELETE),
    (DELETE, DELETE),
    (DELETE, CREATE),
]
REFUSALS = {Status.ABORTED, Status.NOT_FOUND, Status.FAILED_PRECONDITION}


def _asking(scene: Scene, turns: Turns, pair: tuple[Operation, Operation], apart: bool) -> list[object]:
    clock = turns.clock()
    first = scene.process(clock=clock)
    second = scene.process(clock=clock) if apart else first
    return [lambda: scene.ask(first, pair[0]), lambda: scene.ask(second, pair[1])]


def _race(pair: tuple[Operation, Operation], apart: bool, changes: list[tuple[int, int]]) -> State:
    scene = Scene(2)
    scene.until(pair[0])
    begun = scene.seconds.now
    turns = Turns(scene.seconds)
    acts = _asking(scene, turns, pair, apart)
    scene.store.meet = scene.compute.meet = turns.point
    given = turns.run(acts, changes)  # type: ignore[arg-type]
    scene.store.meet = scene.compute.meet = nothing
    _are_right(scene, pair, given)
    assert scene.seconds.now - begun < scene.limits.lease, "one waited for a lease, rather than for the other"
    scene.is_whole()
    return scene.instance().standing.state


def _are_right(scene: Scene, pair: tuple[Operation, Operation], given: list[object]) -> None:
    done = set()
    for operation, answer in zip(pair, given, strict=True):
        if isinstance(answer, Instance):
            assert answer.standing.state is ENDS[operation]
            assert answer.id == scene.instance().id
            done.add(operation)
        else:
            assert isinstance(answer, OperationError), answer
            assert answer.status in REFUSALS
    assert done, "neither was done"
    end = scene.instance().standing.state
    assert end in {ENDS[operation] for operation in done}
    assert (DELETE in done) <= (end is State.DELETED)


@pytest.mark.parametrize("apart", [False, True], ids=["one process", "two processes"])
@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair[0].name} and {pair[1].name}")
def test_two_requests_at_once(pair: tuple[Operation, Operation], apart: bool) -> None:
    """The first is interrupted after some steps, the second after some, then each goes on until it waits."""
    for first, second in product(range(0, 26, 3), (1, 4, 9, 1000)):
        _race(pair, apart, [(0, first), (1, second), (0, 3)])


def test_two_creations_give_both_callers_the_same_instance() -> None:
    for first in range(12):
        assert _race((CREATE, CREATE), apart=True, changes=[(0, first), (1, 1000)]) is State.READY


@pytest.mark.parametrize("apart", [False, True], ids=["one process", "two processes"])
@pytest.mark.parametrize("operation", Operation)
def test_a_recovery_comes_between_whenever_it_likes(operation: Operation, apart: bool) -> None:
    """It takes up what lapsed: never what is carried on here, and once only by two at the same time."""
    for first, second in product(range(0, 20, 3), range(1, 16, 3)):
        scene = _lapsed(operation)
        turns = Turns(scene.seconds)
        one = scene.process(clock=turns.clock())
        two = scene.process(clock=turns.clock()) if apart else one
        acts: list[Callable[[], object]] = [lambda p=one: p.recover(), lambda p=two: p.recover()]  # type: ignore[misc]
        scene.store.meet = scene.compute.meet = turns.point
        taken = turns.run(acts, [(0, first), (1, second)])
        scene.store.meet = scene.compute.meet = nothing
        assert sorted(taken) == [0, 1]  # type: ignore[type-var]
        assert scene.instance().standing.state is ENDS[operation]
        scene.is_whole()


def _lapsed(operation: Operation) -> Scene:
    """An operation whose process is gone since a long time."""
    scene = Scene(2)
    scene.until(operation)
    arm(scene, Kill(6))
    with pytest.raises(Killed):
        scene.ask(scene.process(), operation)
    bury(scene)
    scene.seconds.now += 100
    return scene
