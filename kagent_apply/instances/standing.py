"""What is stored of an instance's life."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_apply.instances.states import State

if TYPE_CHECKING:
    from kagent_apply.instances.requests import AgentName
    from kagent_apply.instances.states import Failure, Operation


@dataclass(frozen=True, slots=True)
class Standing:
    """A state, and the operation that is under way, with the number of its claim.

    `claim` stays as it is when the operation ends, and the next counts on from it. `issued` says that the
    operation may have had an effect outside, so that nobody can take it back.
    """

    state: State
    operation: Operation | None = None
    claim: int = 0
    issued: bool = False
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class Reservation:
    """What a caller's `request_id` was used for: an agent, and the instance that came of it."""

    agent: AgentName
    standing: Standing


def admits_messages(standing: Standing) -> bool:
    """Whether the agent may be sent a message: it is READY, and nothing else is about to become of it."""
    return standing.state is State.READY and standing.operation is None
