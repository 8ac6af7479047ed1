"""Every refusal of an operation as whoever asked for it is told: code, reason, sentence, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from kagent_apply.instances.outcome import Status
from kagent_apply.instances.reason import Reason
from kagent_apply.instances.requests import AgentName, Creation, InstanceName
from kagent_apply.instances.standing import Standing
from kagent_apply.instances.states import FailureReason, Operation, State
from kagent_apply.operations.error import OperationError
from kagent_apply.operations.limits import Limits
from kagent_apply.operations.waiting import answer
from kagent_apply.revisions.port import NotServed
from kagent_apply.store.port import StoreError
from tests.apply.operations.memory_compute import Trouble
from tests.apply.operations.scene import CREATION, CREATOR, TIMEOUT, Scene

Arrange = Callable[[], object]
"""Brings an operation to where it is refused."""


def asked(operation: Operation, *before: Operation) -> Arrange:
    """One operation after others."""

    def arrange() -> object:
        scene = Scene()
        for each in before:
            scene.ask(scene.process(), each)
        return scene.ask(scene.process(), operation)

    return arrange


def troubled(operation: Operation, trouble: Trouble, place: int = 0) -> Arrange:
    """An operation that meets trouble at one of its calls."""

    def arrange() -> object:
        scene = Scene()
        scene.until(operation)
        scene.compute.trouble[place] = trouble
        return scene.ask(scene.process(), operation)

    return arrange


def nothing_serves() -> object:
    scene = Scene()
    scene.revisions.served = NotServed("no revision of the agent serves", "commit its lock")
    return scene.ask(scene.process(), Operation.CREATE)


def used_for_another_agent() -> object:
    scene = Scene()
    scene.ask(scene.process(), Operation.CREATE)
    other = Creation(AgentName("payments", "python", "other"), CREATION.request_id)
    return scene.process().create(CREATOR, other, TIMEOUT)


def never_was() -> object:
    return Scene().process().suspend(CREATOR, InstanceName("payments", "0" * 32), TIMEOUT)


def of_somebody_else() -> object:
    scene = Scene()
    scene.ask(scene.process(), Operation.CREATE)
    return scene.process().delete("bob", scene.named(), TIMEOUT)


def another_under_way() -> object:
    scene = Scene()
    scene.compute.trouble[0] = Trouble.NO_ANSWER
    with pytest.raises(OperationError):
        scene.ask(scene.process(), Operation.CREATE)
    return scene.ask(scene.process(), Operation.DELETE)


def answered(mine: Standing, now: Standing) -> Arrange:
    """Who waited finds that something else became of the instance."""

    def arrange() -> object:
        scene = Scene()
        scene.ask(scene.process(), Operation.CREATE)
        return answer(replace(scene.instance(), standing=now), mine)

    return arrange


def beyond_what_may_be() -> object:
    process = Scene(limits=Limits(open=1)).process(submit=lambda _: None)
    with pytest.raises(OperationError):
        process.create("first", CREATION, 10)
    return process.create("second", CREATION, 10)


def waited_for_too_long() -> object:
    scene = Scene()
    return scene.ask(scene.process(submit=lambda _: None), Operation.CREATE, timeout=5)


def while_stopping() -> object:
    scene = Scene()
    process = scene.process()
    process.drain(0)
    return scene.ask(process, Operation.CREATE)


def without_a_store() -> object:
    scene = Scene()

    def meet(_moment: str, _call: str) -> None:
        raise StoreError("the store does not answer")

    scene.store.meet = meet
    return scene.ask(scene.process(), Operation.CREATE)


def with_a_bug() -> object:
    scene = Scene()

    def meet(_moment: str, _call: str) -> None:
        raise KeyError("a secret")

    scene.compute.meet = meet
    return scene.ask(scene.process(), Operation.CREATE)


MINE = Standing(State.READY, Operation.SUSPEND, 2)
CREATE, SUSPEND, RESUME, DELETE = Operation
CASES: list[tuple[Arrange, Status, Reason | FailureReason]] = [
    (nothing_serves, Status.FAILED_PRECONDITION, Reason.NO_REVISION_SERVES),
    (used_for_another_agent, Status.ALREADY_EXISTS, Reason.REQUEST_ID_USED),
    (asked(CREATE, CREATE, SUSPEND), Status.FAILED_PRECONDITION, Reason.WRONG_STATE),
    (asked(CREATE, CREATE, DELETE), Status.FAILED_PRECONDITION, Reason.WRONG_STATE),
    (asked(RESUME, CREATE), Status.ABORTED, Reason.WRONG_STATE),
    (asked(SUSPEND, CREATE, SUSPEND), Status.ABORTED, Reason.WRONG_STATE),
    (asked(DELETE, CREATE, DELETE), Status.NOT_FOUND, Reason.INSTANCE_NOT_FOUND),
    (never_was, Status.NOT_FOUND, Reason.INSTANCE_NOT_FOUND),
    (of_somebody_else, Status.NOT_FOUND, Reason.INSTANCE_NOT_FOUND),
    (another_under_way, Status.ABORTED, Reason.OPERATION_UNDER_WAY),
    (answered(MINE, Standing(State.READY, None, 3)), Status.ABORTED, Reason.OPERATION_SUPERSEDED),
    (answered(MINE, Standing(State.READY, None, 2)), Status.UNAVAILABLE, Reason.OPERATION_GIVEN_UP),
    (troubled(CREATE, Trouble.NOT_READY), Status.UNAVAILABLE, Reason.TEMPLATES_NOT_READY),
    (troubled(CREATE, Trouble.NO_ANSWER), Status.UNAVAILABLE, Reason.SUBSTRATE_UNAVAILABLE),
    (troubled(SUSPEND, Trouble.REFUSED), Status.FAILED_PRECONDITION, Reason.SUBSTRATE_REFUSED),
    (troubled(CREATE, Trouble.REFUSED), Status.FAILED_PRECONDITION, FailureReason.ACTOR_REFUSED),
    (troubled(SUSPEND, Trouble.GONE), Status.FAILED_PRECONDITION, FailureReason.ACTOR_MISSING),
    (troubled(SUSPEND, Trouble.CRASHED), Status.FAILED_PRECONDITION, FailureReason.ACTOR_CRASHED),
    (troubled(DELETE, Trouble.OTHERS), Status.FAILED_PRECONDITION, FailureReason.ACTOR_MISMATCH),
    (beyond_what_may_be, Status.UNAVAILABLE, Reason.TOO_MANY_OPERATIONS),
    (while_stopping, Status.UNAVAILABLE, Reason.SERVER_STOPPING),
    (waited_for_too_long, Status.DEADLINE_EXCEEDED, Reason.DEADLINE_EXCEEDED),
    (without_a_store, Status.INTERNAL, Reason.STORE_FAILED),
    (with_a_bug, Status.INTERNAL, Reason.INTERNAL),
]

OF_CALLS = {
    *(Reason.INVALID_REQUEST, Reason.MALFORMED_REQUEST, Reason.NOT_ALLOWED, Reason.LIMIT_EXCEEDED),
    *(Reason.UNAUTHENTICATED, Reason.AUTHENTICATION_UNAVAILABLE, Reason.SHARE_NOT_FOUND),
    *(Reason.CHECKPOINTS_NOT_SERVED, Reason.CALL_NOT_SERVED),
}
"""What a call is refused for before any operation begins (`tests/apply/service`)."""


@pytest.mark.parametrize(
    ("arrange", "status", "reason"), CASES, ids=[f"{status} {reason}" for _, status, reason in CASES]
)
def test_a_refusal_has_a_code_a_reason_a_sentence_and_a_way_on(
    arrange: Arrange, status: Status, reason: Reason | FailureReason
) -> None:
    with pytest.raises(OperationError) as caught:
        arrange()
    error = caught.value
    assert (error.status, error.reason) == (status, reason)
    for text in (error.message, error.hint):
        assert text
        assert not text.endswith(".")
        assert "secret" not in text


def test_every_reason_is_arranged_for() -> None:
    assert {reason for *_, reason in CASES} == {*Reason, *FailureReason} - OF_CALLS


def test_an_instance_whose_actor_is_anothers_says_that_this_one_has_to_go_first() -> None:
    with pytest.raises(OperationError) as caught:
        troubled(DELETE, Trouble.OTHERS)()
    assert re.fullmatch(
        r"see who made that Actor, and once it is gone delete the instance `[0-9a-f-]{36}`,"
        r" and create one with another `request_id`",
        caught.value.hint,
    )


def test_an_instance_whose_actor_crashed_says_where_it_is_told_why() -> None:
    with pytest.raises(OperationError) as caught:
        troubled(SUSPEND, Trouble.CRASHED)()
    assert caught.value.hint.startswith(
        "see why in the log of the server or of Substrate, delete the instance"
    )
