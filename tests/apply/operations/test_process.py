"""A process with its real threads: workers, renewal, recovery, and how it ends."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from kagent_apply.instances.outcome import Status
from kagent_apply.instances.requests import Creation
from kagent_apply.instances.states import Operation, State
from kagent_apply.operations.clock import Clock, system_clock
from kagent_apply.operations.error import OperationError
from kagent_apply.operations.limits import Limits
from tests.apply.operations.memory_compute import Trouble
from tests.apply.operations.scene import AGENT, CREATION, CREATOR, Scene
from tests.apply.operations.seconds import Seconds

PATIENCE = 20.0
"""Seconds within which anything happens on a busy machine."""

QUICK = Limits(lease=0.6, call=0.4, interval=0.05, backoff=0.1, workers=4)


class RealSeconds(Seconds):
    """The machine's, for a store beside real threads."""

    def __getattribute__(self, attribute: str) -> object:
        return time.monotonic() if attribute == "now" else super().__getattribute__(attribute)

    def clock(self) -> Clock:
        return system_clock()


def _scene(limits: Limits = QUICK) -> Scene:
    scene = Scene(2, limits=limits)
    scene.seconds = RealSeconds()
    scene.store._seconds = scene.compute._seconds = scene.seconds
    return scene


def _until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it never happens"
        Event().wait(0.005)


class Gate:
    """Holds one call of Substrate's until the test lets it go."""

    def __init__(self, scene: Scene, call: str) -> None:
        self.reached, self.open = Event(), Event()
        self._call = call
        scene.compute.meet = self.meet

    def meet(self, moment: str, call: str) -> None:
        if moment == "before" and call == self._call:
            self.reached.set()
            assert self.open.wait(PATIENCE)


def test_many_callers_share_the_workers() -> None:
    scene = _scene()
    process = scene.process(submit=None)
    with ThreadPoolExecutor(16) as callers:
        creations = [Creation(AGENT, f"request-{number % 10}") for number in range(40)]
        given = list(callers.map(lambda creation: process.create(CREATOR, creation, PATIENCE), creations))
    assert {instance.standing.state for instance in given} == {State.READY}
    assert len({instance.id for instance in given}) == len(scene.store.all()) == 10
    assert set(scene.compute.made.values()) == {1}
    assert process.drain(PATIENCE)


def test_a_lease_is_renewed_while_a_call_lasts() -> None:
    scene = _scene()
    process = scene.process(submit=None)
    process.start()
    gate = Gate(scene, "prepare")
    with ThreadPoolExecutor(1) as callers:
        given = callers.submit(process.create, CREATOR, CREATION, PATIENCE)
        assert gate.reached.wait(PATIENCE)
        first = scene.store.left() + time.monotonic()
        _until(lambda: scene.store.left() + time.monotonic() > first + QUICK.lease)
        gate.open.set()
        assert given.result().standing.state is State.READY
    assert process.drain(PATIENCE)


def test_a_caller_whose_time_is_over_stops_nothing() -> None:
    scene = _scene()
    process = scene.process(submit=None)
    gate = Gate(scene, "create")
    with pytest.raises(OperationError) as caught:
        process.create(CREATOR, CREATION, 0.05)
    assert caught.value.status is Status.DEADLINE_EXCEEDED
    gate.open.set()
    _until(lambda: scene.instance().standing.state is State.READY)
    assert process.drain(PATIENCE)


def test_a_process_that_starts_takes_up_what_was_left_and_tries_again_after_trouble() -> None:
    scene = _scene()
    scene.compute.trouble = dict.fromkeys(range(2), Trouble.NO_ANSWER)
    with pytest.raises(OperationError):
        scene.ask(scene.process(), Operation.CREATE)
    process = scene.process(submit=None)
    process.start()
    _until(lambda: scene.instance().standing.operation is None)
    assert process.drain(PATIENCE)
    scene.is_whole()


def test_a_drained_process_begins_nothing_and_ends_what_it_does() -> None:
    scene = _scene()
    process = scene.process(submit=None)
    gate = Gate(scene, "create")
    with ThreadPoolExecutor(2) as callers:
        given = callers.submit(process.create, CREATOR, CREATION, PATIENCE)
        assert gate.reached.wait(PATIENCE)
        drained = callers.submit(process.drain, PATIENCE)
        _until(lambda: process.draining)
        with pytest.raises(OperationError) as caught:
            process.create("bob", CREATION, PATIENCE)
        assert (caught.value.status, caught.value.message) == (Status.UNAVAILABLE, "the server is stopping")
        gate.open.set()
        assert given.result().standing.state is State.READY
        assert drained.result()
    scene.is_whole()


def test_what_does_not_end_in_time_is_left_between_two_calls_for_others_at_once() -> None:
    scene = _scene(Limits())
    process = scene.process(submit=None)
    gate = Gate(scene, "create")
    with ThreadPoolExecutor(2) as callers:
        given = callers.submit(process.create, CREATOR, CREATION, PATIENCE)
        assert gate.reached.wait(PATIENCE)
        drained = callers.submit(process.drain, 0.4)
        _until(process._carrier.stop.is_set)
        gate.open.set()
        error = given.exception()
        assert isinstance(error, OperationError)
        assert (error.status, error.message) == (Status.UNAVAILABLE, "the server is stopping")
        drained.result()
    assert scene.instance().standing.operation is Operation.CREATE
    _left_or_lapsing(scene, released=drained.result())


def _left_or_lapsing(scene: Scene, *, released: bool) -> None:
    """Whether the machine was quick enough or not, nobody does the same twice."""
    if released:
        assert scene.process().recover() == 1
        scene.is_whole()
    else:
        assert scene.process().recover() == 0


def test_who_waits_for_another_process_is_told_that_this_one_stops() -> None:
    scene = _scene(Limits())
    gate = Gate(scene, "create")
    with ThreadPoolExecutor(2) as callers:
        theirs, ours = scene.process(submit=None), scene.process(submit=None)
        first = callers.submit(theirs.create, CREATOR, CREATION, PATIENCE)
        assert gate.reached.wait(PATIENCE)
        second = callers.submit(ours.create, CREATOR, CREATION, PATIENCE)
        assert ours.drain(PATIENCE)
        error = second.exception()
        assert isinstance(error, OperationError)
        assert (error.status, error.message) == (Status.UNAVAILABLE, "the server is stopping")
        gate.open.set()
        assert first.result().standing.state is State.READY
        assert theirs.drain(PATIENCE)


def test_a_call_that_never_ends_keeps_its_lease() -> None:
    scene = _scene(Limits())
    process = scene.process(submit=None)
    gate = Gate(scene, "create")
    with ThreadPoolExecutor(1) as callers:
        given = callers.submit(process.create, CREATOR, CREATION, PATIENCE)
        assert gate.reached.wait(PATIENCE)
        assert not process.drain(0.05)
        assert scene.process().recover() == 0
        gate.open.set()
        assert isinstance(given.exception(), OperationError)
