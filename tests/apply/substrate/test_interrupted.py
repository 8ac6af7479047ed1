"""Whatever goes wrong and however often it is asked again: one actor, with its policy, where it shall be."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from kagent_apply.substrate.egress_rules import rule_set
from kagent_apply.substrate.port import Actor, ActorState, ComputeUnavailableError
from tests.apply.substrate.fake_control import HANG, FakeControl, Fault
from tests.apply.substrate.june_control import JuneControl
from tests.apply.substrate.newest_control import NewestControl
from tests.apply.substrate.parts import KEY, NAME, RULES, Driven, drive, member, revision

Gave = TypeVar("Gave")

CODES = (
    "UNAVAILABLE",
    "DEADLINE_EXCEEDED",
    "ABORTED",
    "RESOURCE_EXHAUSTED",
    "INTERNAL",
    "UNKNOWN",
    "CANCELLED",
)
FAULTS = some.one_of(
    some.none(),
    some.just(HANG),
    some.builds(Fault, some.sampled_from(CODES), some.just("trouble"), some.booleans()),
)
SCRIPTS = some.fixed_dictionaries(
    {},
    optional={
        method: some.lists(FAULTS, max_size=5)
        for method in (
            *("CreateAtespace", "GetActorTemplate", "CreateActorTemplate", "CreateActor", "GetActor"),
            *(
                "CreateActorEgressPolicy",
                "GetActorEgressPolicy",
                "ResumeActor",
                "SuspendActor",
                "DeleteActor",
            ),
            "DeleteActorTemplate",
        )
    },
)
SERVERS = pytest.mark.parametrize("server", [NewestControl, JuneControl], ids=["newest", "june"])


def _until_it_works(ask: Callable[[], Gave]) -> Gave:
    """What a caller does that tries again, as long as it is told to."""
    for _ in range(60):
        try:
            return ask()
        except ComputeUnavailableError:
            pass
    raise AssertionError("it never worked")


@SERVERS
@pytest.mark.parametrize("move", ["suspend", "delete"])
def test_who_sleeps_after_a_look_changes_nothing_any_more(server: type[FakeControl], move: str) -> None:
    """Whoever held the actor may have lost it meanwhile."""
    driven = drive(server())
    actor = _create(driven)
    if move == "suspend":
        driven.compute.resume(actor, 2)
    driven.control.take_calls()
    driven.control.changed["GetActor"] = lambda _: driven.clock.wait(60)
    with pytest.raises(ComputeUnavailableError):
        getattr(driven.compute, move)(actor, 2)
    assert set(driven.control.take_calls()) == {"GetActor"}


@SERVERS
def test_who_was_asleep_all_the_time_changes_nothing(server: type[FakeControl]) -> None:
    driven = drive(server())
    actor = _create(driven)
    driven.control.take_calls()
    with pytest.raises(ComputeUnavailableError):
        driven.compute.resume(actor, 0)
    assert "ResumeActor" not in driven.control.take_calls()


@SERVERS
@settings(max_examples=40)
@given(script=SCRIPTS)
def test_a_life_is_the_same_whatever_goes_wrong(
    server: type[FakeControl], script: dict[str, list[Fault | None]]
) -> None:
    driven = drive(server())
    for method, faults in script.items():
        driven.control.fail(method, *faults)
    actor = _until_it_works(lambda: _create(driven))
    assert list(driven.control.actors) == [KEY]
    for ask, state in ((driven.compute.resume, 2), (driven.compute.suspend, 4), (driven.compute.resume, 2)):
        moved = _until_it_works(lambda ask=ask: ask(actor, 2))  # type: ignore[misc] # mypy: a default's type
        assert moved.uid == actor.uid
        assert moved.state is list(ActorState)[state - 1]
    if isinstance(driven.control, NewestControl):
        rules = driven.control.policies[KEY].rules
        assert len(rule_set(rules)) == len(rules) == len(RULES)
    _until_it_works(lambda: driven.compute.delete(driven.compute.suspend(actor, 2), 2))
    assert not driven.control.actors
    _until_it_works(lambda: driven.compute.delete_template("team", member().actor_template, 2))
    assert not getattr(driven.control, "templates", {})


def _create(driven: Driven) -> Actor:
    driven.compute.prepare(revision(target=driven.target), 2)
    actor = driven.compute.create(NAME, member(), 2)
    driven.compute.restrict(actor, member(), 2)
    return actor


@SERVERS
def test_many_who_create_at_once_get_one_actor(server: type[FakeControl]) -> None:
    driven = drive(server())
    driven.compute.prepare(revision(target=driven.target), 10)

    def create(_: int) -> Any:
        return driven.compute.create(NAME, member(), 10)

    with ThreadPoolExecutor(8) as threads:
        made = set(threads.map(create, range(32)))
    assert len(made) == len(driven.control.actors) == 1
