"""What the messages about actors are in one generation, and what is read of their replies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Protocol

from kagent_apply.substrate.port import Actor, ActorState, ComputeDeniedError, ComputeUnavailableError
from kagent_apply.substrate.server_text import is_name

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_apply.substrate.actor_steps import Goal
    from kagent_apply.substrate.calls import Call
    from kagent_apply.substrate.port import ActorName

STATES: Final[Mapping[int, ActorState]] = dict(enumerate(ActorState, 1))
"""States by their number, which is the same in both generations; June's servers end at 7."""


class ActorMessages(Protocol):
    """Calls about actors and their atespaces, and the actor in a reply."""

    generation: str
    """What to call the generation in a message."""

    def get_atespace(self, name: str) -> Call[Any]:
        """Whether an atespace is there."""
        ...

    def create_atespace(self, name: str) -> Call[Any]:
        """Make an atespace."""
        ...

    def get_actor(self, name: ActorName) -> Call[Any]:
        """An actor as it is."""
        ...

    def create_actor(self, name: ActorName, actor_template: str) -> Call[Any]:
        """Make an actor of a template in its own atespace."""
        ...

    def move_actor(self, goal: Goal, name: ActorName) -> Call[Any]:
        """Suspend an actor, or have it run."""
        ...

    def delete_actor(self, name: ActorName, uid: str, *, any_state: bool) -> Call[Any]:
        """Delete an actor, and where the generation can tell, none with another UID, or one in any state."""
        ...

    def read_actor(self, reply: Any, name: ActorName) -> Actor:
        """The actor in any of these replies; raises ComputeDeniedError unless it is the one of that name."""
        ...


def subject_of(name: ActorName) -> str:
    """An actor, as messages call it."""
    return f"the Actor `{name.atespace}/{name.name}`"


def checked(actor: Actor, asked: ActorName, generation: str, *, has_uid: bool) -> Actor:
    """An actor of a reply that is what was asked about; anything else was read in the wrong messages."""
    names = (actor.template_namespace, actor.actor_template, *((actor.uid,) if has_uid else ()))
    if actor.name != asked or not all(map(is_name, names)):
        raise misfit(subject_of(asked), generation)
    return actor


def state_of(number: int, asked: ActorName, generation: str) -> ActorState:
    """The state that a number stands for."""
    if not number:
        raise misfit(subject_of(asked), generation)
    if number not in STATES:
        told = f"{subject_of(asked)} is in the state {number}, which is not known here"
        raise ComputeUnavailableError(
            told, "try again, and use a newer version of this service if it stays so"
        )
    return STATES[number]


def misfit(subject: str, generation: str) -> ComputeDeniedError:
    """What to raise for a reply that cannot be one of the generation."""
    return ComputeDeniedError(
        f"what the server replied about {subject} is no message of {generation}",
        "run a release of Substrate of the generation that the agents are rendered for",
    )
