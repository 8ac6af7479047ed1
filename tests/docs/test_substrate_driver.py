"""The page about the driver of Substrate says what the code does."""

from __future__ import annotations

import re

import pytest

from kagent_apply.substrate.actor_steps import REACHED, Goal, may_differ, step
from kagent_apply.substrate.port import ActorState
from kagent_apply.substrate.statuses import UNCLEAR
from tests.docs.markdown import page

PAGE = "docs/substrate-driver.md"
GOALS = (Goal.RUNNING, Goal.SUSPENDED)


def _rows() -> dict[str, tuple[str, str]]:
    """What is told of each state: under `resume`, and under `suspend`."""
    lines = re.findall(r"^\| ([A-Z, ]+) \| (.*) \| (.*) \|$", page(PAGE), re.MULTILINE)
    return {state: (resume, suspend) for states, resume, suspend in lines for state in states.split(", ")}


@pytest.mark.parametrize("state", sorted(set(ActorState) - {ActorState.DELETING}))
@pytest.mark.parametrize("goal", GOALS)
def test_the_page_says_what_is_called_in_each_state(state: ActorState, goal: Goal) -> None:
    told = _rows()[state.name][GOALS.index(goal)]
    if state in REACHED[goal]:
        assert told == ("gives it as it is" if state is ActorState.CRASHED else "is done")
    elif (first := step(goal, state, refused=False)) is None:
        assert told == "waits"
    elif may_differ(state, goal):
        other = step(goal, state, refused=True)
        assert other is not None
        assert told == f"`{first.value}`; refused: `{other.value}` first"
    else:
        assert told == f"`{first.value}`"


def test_the_page_lists_the_statuses_that_may_pass() -> None:
    (row,) = re.findall(r"^\| (`UNAVAILABLE`.*?) \| `ComputeUnavailableError`", page(PAGE), re.MULTILINE)
    assert set(re.findall("`([A-Z_]+)`", row)) == UNCLEAR
