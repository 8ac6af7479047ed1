"""Which calls each method of the port makes, and in which order (facts 8.3, 8.4)."""

from __future__ import annotations

import pytest

from kagent_apply.substrate.port import ActorState, ComputeRefusedError
from tests.apply.substrate.fake_control import Fault, states_in_turn
from tests.apply.substrate.june_control import JuneControl
from tests.apply.substrate.newest_control import NewestControl
from tests.apply.substrate.parts import (
    DOCUMENT,
    NAME,
    TEMPLATE,
    Driven,
    drive,
    either,
    member,
    newest,
    revision,
    state_number,
)

__all__ = ["either", "newest"]

LOST = Fault("UNAVAILABLE", "connection reset", late=True)
"""The effect came about, and its reply did not arrive."""

DOWN = Fault("UNAVAILABLE", "connection refused")


def test_the_first_call_is_preceded_by_one_for_the_generation() -> None:
    control = NewestControl()
    driven = drive(control, asked=False)
    driven.compute.actor(NAME, 1)
    assert control.take_calls() == ["GetActorTemplate", "GetActor"]
    driven.compute.actor(NAME, 1)
    assert control.take_calls() == ["GetActor"]


def test_june_is_told_by_what_it_has_and_what_it_has_not() -> None:
    control = JuneControl()
    drive(control, asked=False).compute.actor(NAME, 1)
    assert control.take_calls() == ["GetActorTemplate", "GetAtespace", "GetActor"]


def test_prepare_makes_the_atespace_then_each_template(newest: Driven) -> None:
    second = member({**DOCUMENT, "metadata": {"atespace": "team", "name": "second"}}, actor_template="second")
    both = revision(member(), second)
    newest.control.golden = False
    assert not newest.compute.prepare(both, 1)
    one = ["GetActorTemplate", "CreateActorTemplate"]
    assert newest.control.take_calls() == ["CreateAtespace", *one, *one]
    newest.control.golden = True
    assert newest.compute.prepare(both, 1)
    assert newest.control.take_calls() == ["GetActorTemplate", "GetActorTemplate"]


def test_prepare_makes_the_atespace_again_where_a_template_is_gone(newest: Driven) -> None:
    newest.compute.prepare(revision(), 1)
    newest.control.templates.clear()
    newest.control.take_calls()
    newest.compute.prepare(revision(), 1)
    assert newest.control.take_calls() == ["GetActorTemplate", "CreateAtespace", "CreateActorTemplate"]


def test_prepare_makes_the_atespace_again_after_a_refusal(newest: Driven) -> None:
    newest.compute.prepare(revision(), 1)
    newest.control.fail("GetActorTemplate", Fault("FAILED_PRECONDITION", "no atespace"))
    with pytest.raises(ComputeRefusedError):
        newest.compute.prepare(revision(), 1)
    newest.control.take_calls()
    newest.compute.prepare(revision(), 1)
    assert newest.control.take_calls() == ["CreateAtespace", "GetActorTemplate"]


def test_june_prepares_the_atespace_alone() -> None:
    june = drive(JuneControl())
    for _ in range(2):
        assert june.compute.prepare(revision(target="ate.dev/v1alpha1"), 1)
        assert june.control.take_calls() == ["CreateAtespace"]


@pytest.mark.parametrize(
    ("faults", "calls"),
    [
        ([], ["CreateActor"]),
        ([Fault("ALREADY_EXISTS")], ["CreateActor", "GetActor", "CreateActor"]),
        ([LOST], ["CreateActor", "GetActor"]),
        ([DOWN], ["CreateActor", "GetActor", "CreateActor"]),
        ([DOWN, LOST], ["CreateActor", "GetActor", "CreateActor", "GetActor"]),
        ([Fault("INTERNAL", late=True)], ["CreateActor", "GetActor"]),
    ],
)
def test_create_looks_before_it_calls_again(either: Driven, faults: list[Fault], calls: list[str]) -> None:
    either.compute.prepare(revision(target=either.target), 1)
    either.control.calls.clear()
    either.control.fail("CreateActor", *faults)
    actor = either.compute.create(NAME, member(), 10)
    assert either.control.take_calls() == calls
    assert (actor.name, actor.actor_template, actor.state) == (NAME, TEMPLATE, ActorState.SUSPENDED)
    assert len(either.control.actors) == 1


def test_create_gives_the_actor_of_the_name_whatever_its_template(newest: Driven) -> None:
    made = newest.made()
    newest.control.actors[NAME.atespace, NAME.name].actor_template.name = "another"
    found = newest.compute.create(NAME, member(), 1)
    assert (found.uid, found.actor_template) == (made.uid, "another")
    assert newest.control.take_calls() == ["CreateActor", "GetActor"]


GET, RESUME, SUSPEND = "GetActor", "ResumeActor", "SuspendActor"
REFUSED = Fault("FAILED_PRECONDITION", "prerequisite not met")

MOVES: list[tuple[str, ActorState, list[str]]] = [
    ("resume", ActorState.RUNNING, [GET]),
    ("resume", ActorState.CRASHED, [GET]),
    ("resume", ActorState.SUSPENDED, [RESUME]),
    ("resume", ActorState.PAUSED, [RESUME]),
    ("resume", ActorState.RESUMING, [RESUME]),
    ("resume", ActorState.SUSPENDING, [RESUME, GET, SUSPEND, GET, RESUME]),
    ("suspend", ActorState.SUSPENDED, [GET]),
    ("suspend", ActorState.CRASHED, [GET]),
    ("suspend", ActorState.RUNNING, [SUSPEND]),
    ("suspend", ActorState.PAUSED, [SUSPEND]),
    ("suspend", ActorState.SUSPENDING, [SUSPEND]),
    ("suspend", ActorState.RESUMING, [SUSPEND, GET, RESUME, GET, SUSPEND]),
]


@pytest.mark.parametrize("state", list(ActorState))
@pytest.mark.parametrize("method", ["resume", "suspend"])
def test_an_actor_that_is_elsewhere_than_it_was_seen_gets_there_all_the_same(
    newest: Driven, method: str, state: ActorState
) -> None:
    seen = newest.made(state_number(state))
    there = ActorState.RUNNING if method == "resume" else ActorState.SUSPENDED
    for now in (ActorState.RUNNING, ActorState.SUSPENDED, ActorState.PAUSED, ActorState.CRASHED):
        newest.put(state_number(now))
        moved = getattr(newest.compute, method)(seen, 10)
        assert moved.state is (now if now is ActorState.CRASHED else there)


@pytest.mark.parametrize(("method", "state", "calls"), MOVES)
def test_what_is_called_is_decided_by_the_state(
    newest: Driven, method: str, state: ActorState, calls: list[str]
) -> None:
    actor = newest.made(state_number(state))
    moved = getattr(newest.compute, method)(actor, 10)
    assert newest.control.take_calls() == calls
    there = ActorState.RUNNING if method == "resume" else ActorState.SUSPENDED
    assert moved.state is (state if state is ActorState.CRASHED else there)
    assert moved.uid == actor.uid


@pytest.mark.parametrize(
    ("method", "state", "calls"),
    [
        ("suspend", ActorState.RUNNING, [SUSPEND, GET]),
        ("resume", ActorState.SUSPENDED, [RESUME, GET]),
        ("suspend", ActorState.RESUMING, [SUSPEND, GET, RESUME, GET]),
        ("resume", ActorState.SUSPENDING, [RESUME, GET, SUSPEND, GET]),
    ],
)
def test_a_refusal_that_no_state_explains_is_one(
    newest: Driven, method: str, state: ActorState, calls: list[str]
) -> None:
    actor = newest.made(state_number(state))
    for name in (RESUME, SUSPEND):
        newest.control.fail(name, REFUSED, forever=True)
    with pytest.raises(ComputeRefusedError, match="prerequisite not met"):
        getattr(newest.compute, method)(actor, 10)
    assert newest.control.take_calls() == calls


def test_a_refusal_in_a_state_that_passed_is_none(newest: Driven) -> None:
    actor = newest.made(state_number(ActorState.RUNNING))
    passed = map(state_number, [ActorState.SUSPENDING, ActorState.SUSPENDED])
    newest.control.next_state = states_in_turn(passed)
    newest.control.fail(SUSPEND, REFUSED, forever=True)
    assert newest.compute.suspend(actor, 10).state is ActorState.SUSPENDED


@pytest.mark.parametrize("state", [ActorState.CRASHED, ActorState.DELETING])
def test_what_crashed_or_is_half_deleted_is_deleted(newest: Driven, state: ActorState) -> None:
    actor = newest.made(state_number(state))
    newest.compute.delete(actor, 10)
    assert newest.control.take_calls() == [GET, "DeleteActor"]


@pytest.mark.parametrize(
    ("fault", "calls"),
    [
        (LOST, [RESUME, GET]),
        (DOWN, [RESUME, GET, RESUME]),
        (Fault("ABORTED", "another operation is in progress"), [RESUME, GET, RESUME]),
        (Fault("FAILED_PRECONDITION", "no free workers available"), [RESUME, GET, RESUME]),
        (Fault("RESOURCE_EXHAUSTED"), [RESUME, GET, RESUME]),
    ],
)
def test_a_resume_that_may_have_worked_is_looked_at(either: Driven, fault: Fault, calls: list[str]) -> None:
    actor = either.made()
    either.control.fail("ResumeActor", fault)
    assert either.compute.resume(actor, 10).state is ActorState.RUNNING
    assert either.control.take_calls() == calls


@pytest.mark.parametrize(
    ("faults", "calls"),
    [
        ([], [GET, "DeleteActor"]),
        ([LOST], [GET, "DeleteActor", GET]),
        ([DOWN], [GET, "DeleteActor", GET, "DeleteActor"]),
        ([Fault("NOT_FOUND", late=True)], [GET, "DeleteActor"]),
    ],
)
def test_delete_looks_before_each_call(either: Driven, faults: list[Fault], calls: list[str]) -> None:
    actor = either.made()
    either.control.fail("DeleteActor", *faults)
    either.compute.delete(actor, 10)
    assert either.control.take_calls() == calls
    assert not either.control.actors
    either.compute.delete(actor, 10)
    assert either.control.take_calls() == [GET]


CREATE_POLICY, GET_POLICY, UPDATE_POLICY = (
    f"{verb}ActorEgressPolicy" for verb in ("Create", "Get", "Update")
)


@pytest.mark.parametrize(
    ("faults", "calls"),
    [
        ([], [GET, CREATE_POLICY, GET]),
        ([LOST], [GET, CREATE_POLICY, GET_POLICY, GET]),
        ([DOWN], [GET, CREATE_POLICY, GET_POLICY, CREATE_POLICY, GET]),
    ],
)
def test_restrict_looks_at_the_actor_before_and_after(
    newest: Driven, faults: list[Fault], calls: list[str]
) -> None:
    actor = newest.made()
    newest.control.fail(CREATE_POLICY, *faults)
    newest.compute.restrict(actor, member(), 10)
    assert newest.control.take_calls() == calls
    newest.compute.restrict(actor, member(), 10)
    assert newest.control.take_calls() == [GET, CREATE_POLICY, GET_POLICY, GET]


def test_a_policy_that_differs_is_replaced(newest: Driven) -> None:
    actor = newest.made()
    newest.compute.restrict(actor, member(egress=()), 10)
    newest.control.calls.clear()
    newest.control.fail(UPDATE_POLICY, Fault("ABORTED", "version conflict"), LOST)
    newest.compute.restrict(actor, member(), 10)
    again = [UPDATE_POLICY, GET_POLICY]
    assert newest.control.take_calls() == [GET, CREATE_POLICY, GET_POLICY, *again, *again, GET]
    assert len(newest.control.policies[NAME.atespace, NAME.name].rules) == 2


def test_without_rules_there_is_nothing_to_restrict(newest: Driven) -> None:
    actor = newest.made()
    newest.compute.restrict(actor, member(egress=None), 1)
    assert not newest.control.take_calls()


def test_june_has_neither_policies_nor_templates() -> None:
    june = drive(JuneControl())
    actor = june.made()
    june.compute.restrict(actor, member(), 1)
    june.compute.delete_template("team", TEMPLATE, 1)
    assert not june.control.take_calls()


@pytest.mark.parametrize(
    ("faults", "calls"),
    [
        ([], ["GetActorTemplate", "DeleteActorTemplate"]),
        ([LOST], ["GetActorTemplate", "DeleteActorTemplate", "GetActorTemplate"]),
        ([DOWN], ["GetActorTemplate", "DeleteActorTemplate"] * 2),
    ],
)
def test_delete_template_looks_before_each_call(
    newest: Driven, faults: list[Fault], calls: list[str]
) -> None:
    newest.compute.prepare(revision(), 1)
    newest.control.calls.clear()
    newest.control.fail("DeleteActorTemplate", *faults)
    newest.compute.delete_template("team", TEMPLATE, 10)
    assert newest.control.take_calls() == calls
    assert not newest.control.templates


def test_ping_asks_each_time(either: Driven) -> None:
    either.compute.ping(1)
    asked = either.control.take_calls()
    either.compute.ping(1)
    assert either.control.take_calls() == asked != []


def test_close_closes_the_transport_and_calls_nothing(either: Driven) -> None:
    either.compute.close()
    assert either.transport.closed
    assert not either.control.take_calls()
