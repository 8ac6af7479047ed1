"""What the port raises for what a server does wrong, and how long that takes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from kagent_apply.substrate.port import (
    ActorGoneError,
    ActorState,
    ComputeDeniedError,
    ComputeError,
    ComputeRefusedError,
    ComputeUnavailableError,
)
from tests.apply.substrate.fake_control import HANG, Fault
from tests.apply.substrate.newest_control import NewestControl
from tests.apply.substrate.parts import (
    KEY,
    NAME,
    Driven,
    drive,
    either,
    newest,
    revision,
    state_number,
)
from tests.apply.substrate.port_calls import GET, METHODS, TIMEOUT

__all__ = ["either", "newest"]

TRY_AGAIN = (
    "UNAVAILABLE",
    "DEADLINE_EXCEEDED",
    "ABORTED",
    "RESOURCE_EXHAUSTED",
    "INTERNAL",
    "UNKNOWN",
    "CANCELLED",
)
CHANGE_SOMETHING = {
    **dict.fromkeys(("OUT_OF_RANGE", "DATA_LOSS", "INVALID_ARGUMENT"), ComputeRefusedError),
    **dict.fromkeys(("UNAUTHENTICATED", "PERMISSION_DENIED", "UNIMPLEMENTED"), ComputeDeniedError),
}
"""What does not pass by itself: it is refused for what was asked, or denied to who asks."""


LOOKS = {"create": "GetActor", "restrict": "GetActorEgressPolicy"}


@pytest.mark.parametrize("code", TRY_AGAIN)
@pytest.mark.parametrize("port", METHODS)
def test_a_status_that_may_pass_is_unavailable_within_the_time(newest: Driven, port: str, code: str) -> None:
    method, ask = METHODS[port]
    actor = newest.made()
    newest.control.fail(method, Fault(code, "no answer"), forever=True)
    begin = newest.clock.now()
    with pytest.raises(ComputeUnavailableError) as caught:
        ask(newest.compute, actor)
    assert newest.clock.now() - begin <= TIMEOUT
    assert f"`{method}`" in caught.value.message
    assert f"`{code}`: no answer" in caught.value.message
    assert len(newest.control.take_calls()) < 100


@pytest.mark.parametrize("port", ["create", "restrict"])
def test_what_is_there_already_when_no_time_is_left_is_asked_for_again(newest: Driven, port: str) -> None:
    """As after a lost reply: a look would tell that it is ours, and a refusal would end the instance."""
    method, ask = METHODS[port]
    actor = newest.made()
    newest.control.fail(method, Fault("ALREADY_EXISTS", "there is one"), forever=True)
    newest.control.fail(LOOKS[port], Fault("NOT_FOUND", "there is none"), forever=True)
    with pytest.raises(ComputeUnavailableError):
        ask(newest.compute, actor)


@pytest.mark.parametrize(
    ("port", "code"),
    [
        (port, code)
        for port in METHODS
        for code in CHANGE_SOMETHING
        # To `ping` some of these are an answer, and who may not make an atespace may use one.
        if port != "ping" and (port, code) != ("prepare", "PERMISSION_DENIED")
    ],
)
def test_a_status_that_stays_is_told_at_once(newest: Driven, port: str, code: str) -> None:
    method, ask = METHODS[port]
    actor = newest.made()
    newest.control.fail(method, Fault(code, "no"), forever=True)
    with pytest.raises(CHANGE_SOMETHING[code], match=f"`{method}`.*`{code}`: no"):
        ask(newest.compute, actor)
    assert newest.clock.now() == 0
    assert newest.control.take_calls().count(method) == 1


@pytest.mark.parametrize("port", METHODS)
def test_a_server_that_says_nothing_takes_no_longer_than_it_may(newest: Driven, port: str) -> None:
    method, ask = METHODS[port]
    actor = newest.made()
    newest.control.fail(method, HANG, forever=True)
    with pytest.raises(ComputeUnavailableError):
        ask(newest.compute, actor)
    assert newest.clock.now() <= TIMEOUT * 1.01


@pytest.mark.parametrize("port", ["create", "restrict", "resume", "delete", "delete_template"])
def test_a_missing_precondition_is_told(newest: Driven, port: str) -> None:
    method, ask = METHODS[port]
    actor = newest.made()
    newest.control.fail(method, Fault("FAILED_PRECONDITION", "SandboxConfig is missing."), forever=True)
    with pytest.raises(ComputeError) as caught:
        ask(newest.compute, actor)
    refused = port != "delete"  # of which it says that the actor is not suspended
    assert isinstance(caught.value, ComputeRefusedError if refused else ComputeUnavailableError)
    assert caught.value.message.endswith("SandboxConfig is missing") is refused
    assert caught.value.hint


def test_a_running_actor_is_not_deleted(either: Driven) -> None:
    actor = either.made(state_number(ActorState.RUNNING))
    with pytest.raises(ComputeUnavailableError, match="is `running`, and only what is suspended") as caught:
        either.compute.delete(actor, TIMEOUT)
    assert caught.value.hint == "suspend it first, then try again"
    assert either.control.actors


@pytest.mark.parametrize("state", [ActorState.RUNNING, ActorState.RESUMING])
def test_an_actor_in_any_state_is_deleted_where_that_is_asked_for_and_the_generation_can(
    either: Driven, state: ActorState
) -> None:
    actor = either.made(state_number(state))
    if isinstance(either.control, NewestControl):
        either.compute.delete(actor, TIMEOUT, any_state=True)
        assert not either.control.actors
    else:
        with pytest.raises(ComputeUnavailableError, match="only what is suspended"):
            either.compute.delete(actor, TIMEOUT, any_state=True)


@pytest.mark.parametrize("port", ["restrict", "resume", "suspend, reading"])
@pytest.mark.parametrize("become", ["none", "another", "deleting"])
def test_an_actor_that_is_gone_is_told_apart(newest: Driven, port: str, become: str) -> None:
    actor = newest.made()
    if become == "none":
        newest.control.actors.clear()
    elif become == "another":
        newest.control.actors[KEY].metadata.uid = "uid-of-another"
    else:
        newest.put(state_number(ActorState.DELETING))
    with pytest.raises(ActorGoneError, match="the Actor `team/ai-1` is"):
        METHODS[port][1](newest.compute, actor)
    assert newest.control.take_calls() == (["ResumeActor", GET] if port == "resume" else [GET])
    assert not newest.control.policies


def test_an_actor_with_another_uid_is_not_deleted(newest: Driven) -> None:
    actor = newest.made()
    newest.control.actors[KEY].metadata.uid = "uid-of-another"
    newest.compute.delete(actor, TIMEOUT)
    assert newest.control.actors


def test_an_actor_that_another_follows_during_its_deletion_is_gone(newest: Driven) -> None:
    actor = newest.made()

    def another(_: Any) -> Any:
        newest.control.actors[KEY].metadata.uid = "uid-of-another"
        return remove(_)

    message, remove = newest.control.handlers["DeleteActor"]
    newest.control.handlers["DeleteActor"] = (message, another)
    newest.compute.delete(actor, TIMEOUT)
    assert newest.control.take_calls() == [GET, "DeleteActor", GET]
    assert newest.control.actors


def test_an_actor_whose_uid_nobody_told_is_deleted_alone(newest: Driven) -> None:
    actor = newest.made()
    message, remove = newest.control.handlers["DeleteActor"]

    def another(request: Any) -> Any:
        newest.control.actors[KEY].metadata.uid = "uid-of-another"
        return remove(request)

    newest.control.handlers["DeleteActor"] = (message, another)
    newest.compute.delete(replace(actor, uid=""), TIMEOUT)
    assert newest.control.actors


@pytest.mark.parametrize(
    ("port", "method"), [("resume", "ResumeActor"), ("restrict", "CreateActorEgressPolicy")]
)
def test_an_actor_that_another_follows_during_a_call_is_gone(newest: Driven, port: str, method: str) -> None:
    actor = newest.made()
    message, handler = newest.control.handlers[method]

    def another(request: Any) -> Any:
        newest.control.actors[KEY].metadata.uid = "uid-of-another"
        return handler(request)

    newest.control.handlers[method] = (message, another)
    with pytest.raises(ActorGoneError):
        METHODS[port][1](newest.compute, actor)


@pytest.mark.parametrize("port", ["resume", "suspend"])
def test_an_actor_that_vanishes_during_a_call_is_gone(newest: Driven, port: str) -> None:
    actor = newest.made(state_number(ActorState.RUNNING if port == "suspend" else ActorState.SUSPENDED))
    method = "ResumeActor" if port == "resume" else "SuspendActor"
    message, _ = newest.control.handlers[method]

    def vanish(_: Any) -> Any:
        newest.control.actors.clear()
        return newest.control.handlers[GET][1](message())

    newest.control.handlers[method] = (message, vanish)
    with pytest.raises(ActorGoneError):
        getattr(newest.compute, port)(actor, TIMEOUT)


WRONG_REPLIES: dict[str, Callable[[Any], None]] = {
    "of another name": lambda actor: setattr(actor.metadata, "name", "ai-2"),
    "of another atespace": lambda actor: setattr(actor.metadata, "atespace", "other"),
    "without a UID": lambda actor: setattr(actor.metadata, "uid", ""),
    "with a UID of several lines": lambda actor: setattr(actor.metadata, "uid", "a\nb"),
    "with a UID that is too long": lambda actor: setattr(actor.metadata, "uid", "a" * 300),
    "without a template": lambda actor: actor.ClearField("actor_template"),
    "with markup for a template": lambda actor: setattr(actor.actor_template, "name", "<b>"),
    "without a state": lambda actor: actor.ClearField("status"),
    "empty": lambda actor: actor.Clear(),
}


@pytest.mark.parametrize("wrong", WRONG_REPLIES)
def test_a_reply_that_cannot_be_one_is_refused(newest: Driven, wrong: str) -> None:
    newest.made()
    newest.control.changed[GET] = WRONG_REPLIES[wrong]
    with pytest.raises(ComputeDeniedError, match=r"is no message of Substrate v0\.4\.0"):
        newest.compute.actor(NAME, TIMEOUT)


def test_a_state_of_a_newer_release_may_pass(newest: Driven) -> None:
    newest.made()
    newest.put(10)
    with pytest.raises(ComputeUnavailableError, match="the state 10, which is not known here"):
        newest.compute.actor(NAME, TIMEOUT)


def test_june_tells_a_crash_by_its_number(either: Driven) -> None:
    actor = either.made(7)
    assert either.compute.suspend(actor, TIMEOUT).state is ActorState.CRASHED


def test_who_may_not_make_an_atespace_uses_the_one_that_is_there(either: Driven) -> None:
    denied = Fault("PERMISSION_DENIED", "no role")
    either.control.fail("CreateAtespace", denied, forever=True)
    with pytest.raises(ComputeDeniedError, match="`CreateAtespace` of the atespace `team`"):
        either.compute.prepare(revision(target=either.target), TIMEOUT)
    either.control.fail("CreateAtespace")
    either.made()
    either.control.fail("CreateAtespace", denied)
    another = drive(either.control)
    assert another.compute.prepare(revision(target=either.target), TIMEOUT)
