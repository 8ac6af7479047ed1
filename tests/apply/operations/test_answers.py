"""What who waited is told, by what became of the operation meanwhile."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import pytest

from kagent_apply.instances.standing import Standing
from kagent_apply.instances.states import Failure, FailureReason, Operation, State
from kagent_apply.operations.error import OperationError, given_up
from kagent_apply.operations.runs import Run
from kagent_apply.operations.tenure import Tenure
from kagent_apply.operations.waiting import answer, follow, patience
from tests.apply.operations.scene import Scene

CRASHED = Failure(FailureReason.ACTOR_CRASHED, "the Actor of the root has crashed")
SUSPENDING = Standing(State.READY, Operation.SUSPEND, 2)
LEFT = [
    (SUSPENDING, Standing(State.SUSPENDED, claim=2), ""),
    (SUSPENDING, Standing(State.SUSPENDED, Operation.RESUME, 3), ""),
    (SUSPENDING, Standing(State.READY, claim=2), "UNAVAILABLE OPERATION_GIVEN_UP"),
    (SUSPENDING, Standing(State.FAILED, claim=2, failure=CRASHED), "FAILED_PRECONDITION ActorCrashed"),
    (SUSPENDING, Standing(State.READY, claim=3), "ABORTED OPERATION_SUPERSEDED"),
    (SUSPENDING, Standing(State.FAILED, claim=3, failure=CRASHED), "ABORTED OPERATION_SUPERSEDED"),
    (SUSPENDING, Standing(State.DELETING, Operation.DELETE, 3, issued=True), "ABORTED OPERATION_SUPERSEDED"),
    (Standing(State.CREATING, Operation.CREATE, 1), Standing(State.READY, Operation.SUSPEND, 2), ""),
    (Standing(State.DELETING, Operation.DELETE, 3), Standing(State.DELETED, claim=3), ""),
]


@pytest.mark.parametrize(("mine", "now", "told"), LEFT)
def test_who_waited_is_told_what_became_of_it(mine: Standing, now: Standing, told: str) -> None:
    scene = Scene()
    scene.until(Operation.SUSPEND)
    found = replace(scene.instance(), standing=now)
    if not told:
        assert answer(found, mine) is found
        return
    with pytest.raises(OperationError) as caught:
        answer(found, mine)
    assert f"{caught.value.status} {caught.value.reason}" == told


def test_the_trouble_of_a_later_operation_is_no_answer() -> None:
    """It began between the reading of the store and of what this process does."""
    scene = Scene()
    scene.until(Operation.SUSPEND)
    carrier = scene.process()._carrier
    later = cast("Run", carrier.runs.begin(scene.named()))
    later.tenure = cast("Tenure", SimpleNamespace(mine=Standing(State.READY, Operation.DELETE, 3)))
    later.trouble = given_up()
    later.done.set()
    read = replace(scene.instance(), standing=SUSPENDING)
    with pytest.raises(OperationError) as caught:
        follow(carrier, read, SUSPENDING, patience(carrier.clock, 10))
    assert caught.value.status == "ABORTED"
