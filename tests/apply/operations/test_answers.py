"""What who waited is told, by what became of the operation meanwhile."""

from __future__ import annotations

from dataclasses import replace

import pytest

from kagent_apply.instances.standing import Standing
from kagent_apply.instances.states import Failure, FailureReason, Operation, State
from kagent_apply.operations.error import OperationError
from kagent_apply.operations.waiting import answer
from tests.apply.operations.scene import Scene

CRASHED = Failure(FailureReason.ACTOR_CRASHED, "the Actor of the root has crashed")
SUSPENDING = Standing(State.READY, Operation.SUSPEND, 2)
LEFT = [
    (SUSPENDING, Standing(State.SUSPENDED, claim=2), ""),
    (SUSPENDING, Standing(State.SUSPENDED, Operation.RESUME, 3), ""),
    (SUSPENDING, Standing(State.READY, claim=2), "UNAVAILABLE"),
    (SUSPENDING, Standing(State.FAILED, claim=2, failure=CRASHED), "FAILED_PRECONDITION ActorCrashed"),
    (SUSPENDING, Standing(State.READY, claim=3), "ABORTED"),
    (SUSPENDING, Standing(State.FAILED, claim=3, failure=CRASHED), "ABORTED"),
    (SUSPENDING, Standing(State.DELETING, Operation.DELETE, 3, issued=True), "ABORTED"),
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
    assert f"{caught.value.status} {caught.value.reason}".strip() == told
