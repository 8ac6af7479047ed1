"""What comes of an actor that is stuck, on its way, or crashed, and of a full pool."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_apply.substrate.port import (
    ActorGoneError,
    ActorState,
    ComputeUnavailableError,
)
from tests.apply.substrate.fake_control import HANG, Fault, states_in_turn
from tests.apply.substrate.parts import (
    Driven,
    either,
    member,
    newest,
    state_number,
)
from tests.apply.substrate.port_calls import GET, TIMEOUT

__all__ = ["either", "newest"]


@pytest.mark.parametrize(
    ("port", "stuck"),
    [
        ("resume", ActorState.RESUMING),
        ("resume", ActorState.PAUSING),
        ("resume", ActorState.REVERTING),
        ("suspend", ActorState.SUSPENDING),
        ("suspend", ActorState.PAUSING),
        ("suspend", ActorState.REVERTING),
    ],
)
def test_a_state_that_stays_is_unavailable_after_few_calls(
    newest: Driven, port: str, stuck: ActorState
) -> None:
    actor = newest.made(state_number(stuck))
    newest.control.next_state = lambda _: state_number(stuck)
    newest.control.ends = dict.fromkeys(newest.control.ends, state_number(stuck))
    with pytest.raises(ComputeUnavailableError, match=f"is still `{stuck}`"):
        getattr(newest.compute, port)(actor, TIMEOUT)
    assert TIMEOUT * 0.8 < newest.clock.now() <= TIMEOUT
    calls = newest.control.take_calls()
    assert len(calls) - calls.count(GET) <= 1
    assert calls.count(GET) < 40


@pytest.mark.parametrize("passing", [ActorState.PAUSING, ActorState.REVERTING])
@pytest.mark.parametrize("port", ["resume", "suspend"])
def test_a_state_that_passes_is_waited_for(newest: Driven, port: str, passing: ActorState) -> None:
    actor = newest.made(state_number(passing))
    turn = map(state_number, [passing, passing, ActorState.PAUSED])
    newest.control.next_state = states_in_turn(turn)
    newest.control.ends = {"ResumeActor": 2, "SuspendActor": 4}
    moved = getattr(newest.compute, port)(actor, TIMEOUT)
    assert moved.state is (ActorState.RUNNING if port == "resume" else ActorState.SUSPENDED)


@pytest.mark.parametrize("port", ["resume", "suspend"])
def test_a_reply_from_halfway_is_followed_by_looks_alone(newest: Driven, port: str) -> None:
    begin, halfway, there = (
        (ActorState.SUSPENDED, ActorState.RESUMING, ActorState.RUNNING)
        if port == "resume"
        else (ActorState.RUNNING, ActorState.SUSPENDING, ActorState.SUSPENDED)
    )
    actor = newest.made(state_number(begin))
    newest.control.next_state = states_in_turn(map(state_number, [halfway, halfway, there]))
    newest.control.ends = dict.fromkeys(newest.control.ends, state_number(halfway))
    assert getattr(newest.compute, port)(actor, TIMEOUT).state is there
    method = "ResumeActor" if port == "resume" else "SuspendActor"
    assert newest.control.take_calls() == [method, GET, GET, GET]


def test_a_crash_on_the_way_is_given_to_the_caller(newest: Driven) -> None:
    actor = newest.made()
    newest.control.ends["ResumeActor"] = state_number(ActorState.CRASHED)
    newest.control.fail("ResumeActor", Fault("ABORTED", "actor crashed", late=True))
    assert newest.compute.resume(actor, TIMEOUT).state is ActorState.CRASHED


def test_a_full_pool_is_waited_for_and_told_at_the_end(newest: Driven) -> None:
    actor = newest.made()
    full = Fault("FAILED_PRECONDITION", "no free workers available")
    newest.control.fail("ResumeActor", full, forever=True)
    with pytest.raises(ComputeUnavailableError, match="no free workers available") as caught:
        newest.compute.resume(actor, TIMEOUT)
    assert "replicas" in caught.value.hint
    assert newest.clock.now() > TIMEOUT * 0.8
    newest.control.fail("ResumeActor", full, full)
    assert newest.compute.resume(actor, TIMEOUT).state is ActorState.RUNNING


@pytest.mark.parametrize("port", ["resume", "suspend"])
def test_a_hanging_call_leaves_time_to_see_that_it_worked(either: Driven, port: str) -> None:
    actor = either.made(state_number(ActorState.SUSPENDED if port == "resume" else ActorState.RUNNING))
    method, there = ("ResumeActor", 2) if port == "resume" else ("SuspendActor", 4)
    either.control.fail(method, Fault(HANG.code, late=True))
    assert state_number(getattr(either.compute, port)(actor, TIMEOUT).state) == there
    assert either.control.take_calls() == [method, GET]


def test_what_is_not_found_besides_the_actor_may_come_again(newest: Driven) -> None:
    actor = newest.made(state_number(ActorState.SUSPENDING))
    newest.control.fail("ResumeActor", Fault("NOT_FOUND", "no snapshot"), forever=True)
    with pytest.raises(ComputeUnavailableError, match="no snapshot"):
        newest.compute.resume(actor, TIMEOUT)
    assert newest.control.take_calls() == ["ResumeActor", GET]


def test_a_policy_of_an_actor_that_vanished_tells_that_it_is_gone(newest: Driven) -> None:
    actor = newest.made()
    message, create = newest.control.handlers["CreateActorEgressPolicy"]

    def vanish(request: Any) -> Any:
        newest.control.actors.clear()
        return create(request)

    newest.control.handlers["CreateActorEgressPolicy"] = (message, vanish)
    with pytest.raises(ActorGoneError):
        newest.compute.restrict(actor, member(), TIMEOUT)
