"""A server is of the generation that it is spoken to in, or it is refused before anything is changed."""

from __future__ import annotations

import pytest

from kagent_apply.substrate.driver import open_compute
from kagent_apply.substrate.june import JuneCompute
from kagent_apply.substrate.newest import NewestCompute
from kagent_apply.substrate.port import (
    Compute,
    ComputeDeniedError,
    ComputeRefusedError,
    ComputeUnavailableError,
)
from kagent_render.source.config import TARGETS
from tests.apply.substrate.fake_control import FakeClock, FakeControl, FakeTransport, Fault
from tests.apply.substrate.june_control import JuneControl
from tests.apply.substrate.newest_control import NewestControl
from tests.apply.substrate.parts import NAME, drive, member, revision

DRIVERS = {"newest": NewestCompute, "june": JuneCompute}
WRONG: list[tuple[str, type[FakeControl]]] = [
    ("newest", JuneControl),
    ("newest", FakeControl),
    ("june", NewestControl),
    ("june", FakeControl),
]


def _over(driver: str, control: FakeControl) -> Compute:
    clock = FakeClock()
    compute: Compute = DRIVERS[driver](FakeTransport(control, clock), clock)
    return compute


@pytest.mark.parametrize(("driver", "server"), WRONG)
def test_another_server_is_refused_before_anything_is_changed(driver: str, server: type[FakeControl]) -> None:
    control = server()
    compute = _over(driver, control)
    target = "ateapi/v0.4" if driver == "newest" else "ate.dev/v1alpha1"
    for ask in (
        lambda: compute.ping(1),
        lambda: compute.prepare(revision(target=target), 1),
        lambda: compute.create(NAME, member(), 1),
        lambda: compute.actor(NAME, 1),
    ):
        with pytest.raises(ComputeDeniedError, match="is not of the generation of Substrate") as caught:
            ask()
        assert "render" in caught.value.hint
    assert set(control.calls) <= {"GetActorTemplate", "GetAtespace"}


@pytest.mark.parametrize("server", [NewestControl, JuneControl])
@pytest.mark.parametrize("code", ["PERMISSION_DENIED", "INVALID_ARGUMENT", "NOT_FOUND"])
def test_a_refusal_of_the_question_is_an_answer(server: type[FakeControl], code: str) -> None:
    control = server()
    control.fail("GetAtespace" if server is JuneControl else "GetActorTemplate", Fault(code))
    drive(control, asked=False).compute.ping(1)


def test_without_an_answer_it_is_asked_again_until_there_is_one() -> None:
    control = NewestControl()
    driven = drive(control, asked=False)
    control.fail("GetActorTemplate", Fault("UNAVAILABLE"), forever=True)
    with pytest.raises(ComputeUnavailableError):
        driven.compute.actor(NAME, 1)
    assert set(control.take_calls()) == {"GetActorTemplate"}
    control.fail("GetActorTemplate", Fault("UNAVAILABLE"))
    assert driven.compute.actor(NAME, 1) is None
    assert control.take_calls() == ["GetActorTemplate", "GetActorTemplate", "GetActor"]


def test_a_server_that_was_replaced_by_another_is_found_by_ping() -> None:
    driven = drive(NewestControl())
    driven.transport.control = JuneControl()
    with pytest.raises(ComputeDeniedError):
        driven.compute.ping(1)
    with pytest.raises(ComputeDeniedError, match="is not of the generation"):
        driven.compute.actor(NAME, 1)


def test_an_actor_of_the_other_generation_is_never_taken_for_one() -> None:
    """Where a server is replaced between two calls: what June replies is read in the newest's messages."""
    driven, june = drive(NewestControl()), drive(JuneControl())
    june.made()
    driven.transport.control = june.control
    with pytest.raises(ComputeDeniedError, match="is no message of Substrate"):
        driven.compute.actor(NAME, 1)
    newest = drive(NewestControl())
    newest.made()
    june.transport.control = newest.control
    with pytest.raises(ComputeDeniedError, match="is no message of Substrate of June 2026"):
        june.compute.actor(NAME, 1)


@pytest.mark.parametrize("target", TARGETS)
def test_every_target_has_a_driver(target: str) -> None:
    control = JuneControl() if target == "ate.dev/v1alpha1" else NewestControl()
    open_compute(target, FakeTransport(control, FakeClock())).ping(1)


@pytest.mark.parametrize(("driver", "target"), [("newest", "ate.dev/v1alpha1"), ("june", "ateapi/v0.4")])
def test_a_revision_for_the_other_generation_is_refused_without_a_call(driver: str, target: str) -> None:
    control = NewestControl() if driver == "newest" else JuneControl()
    with pytest.raises(ComputeRefusedError, match=f"a revision for `{target}` cannot run on Substrate"):
        _over(driver, control).prepare(revision(target=target), 1)
    assert not control.calls


def test_june_actors_are_told_apart_by_their_names_alone() -> None:
    june = drive(JuneControl())
    actor = june.made()
    assert (actor.uid, actor.template_namespace) == ("", "team")
    june.control.actors["team", "ai-1"].actor_template_name = "y"
    assert june.compute.suspend(actor, 1).actor_template == "y"
