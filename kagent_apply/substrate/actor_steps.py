"""Which call brings an actor nearer to where it shall be, by what it is doing (facts 8.4)."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from kagent_apply.substrate.port import ActorState

if TYPE_CHECKING:
    from collections.abc import Mapping


class Goal(StrEnum):
    """Where an actor shall be: the name of the method that leads there is its value."""

    RUNNING = "ResumeActor"
    SUSPENDED = "SuspendActor"


REACHED: Final[Mapping[Goal, frozenset[ActorState]]] = {
    Goal.RUNNING: frozenset({ActorState.RUNNING, ActorState.CRASHED}),
    Goal.SUSPENDED: frozenset({ActorState.SUSPENDED, ActorState.CRASHED}),
}
"""Where nothing is left to do; what crashed is given to the caller as it is."""

BETWEEN: Final[Mapping[ActorState, Goal]] = {
    ActorState.RESUMING: Goal.RUNNING,
    ActorState.SUSPENDING: Goal.SUSPENDED,
}
"""States on the way to a goal, which a server leaves by itself unless it was interrupted."""

_WAITED_FOR: Final = frozenset({ActorState.PAUSING, ActorState.REVERTING})


def step(goal: Goal, state: ActorState, *, refused: bool) -> Goal | None:
    """What to call in a state that is not the goal's; None where only waiting helps.

    An actor that is on its way elsewhere is turned around. Newer servers refuse that: then, `refused`, it is
    helped to the end of its way first, since whoever began that may be gone.
    """
    if state in _WAITED_FOR:
        return None
    return BETWEEN[state] if refused and state in BETWEEN else goal


def may_differ(state: ActorState, goal: Goal) -> bool:
    """Whether a refusal in a state can come of the state alone, so that another step may help."""
    return state in BETWEEN and BETWEEN[state] is not goal
