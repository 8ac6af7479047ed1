"""Actors of an instance's members: read, and judged by what is stored of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeVar

from kagent_apply.instances.instance import Progress
from kagent_apply.instances.states import Failure, FailureReason
from kagent_apply.operations.events import Phase
from kagent_apply.operations.work import MemberFailedError
from kagent_apply.substrate.port import ActorGoneError, ActorName, ActorState, ComputeUnavailableError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_apply.instances.instance import Member
    from kagent_apply.operations.work import Work
    from kagent_apply.substrate.port import Actor

T = TypeVar("T")

Actors = dict[str, "Actor"]
"""By the paths of the members."""

_SAID: Final = {
    FailureReason.ACTOR_MISSING: "is gone",
    FailureReason.ACTOR_MISMATCH: "is not the one that was created for the instance",
    FailureReason.ACTOR_CRASHED: "has crashed",
}


def actor_name(work: Work, member: Member) -> ActorName:
    """A member's Actor, in the atespace of the agent's namespace."""
    return ActorName(work.instance.agent.namespace, member.actor)


def read(work: Work, member: Member) -> Actor | None:
    """A member's Actor as it is, None where there is none; fails where it is another's."""
    name = actor_name(work, member)
    actor = work.ask(Phase.READ, lambda timeout: work.compute.actor(name, timeout))
    return None if actor is None else own(work, member, actor)


def read_all(work: Work) -> Actors:
    """The Actors of all members; fails where one is gone, another's, or crashed."""
    return {member.path: alive(member, read(work, member)) for member in work.instance.members}


def own(work: Work, member: Member, actor: Actor) -> Actor:
    """The Actor, where it has the member's ActorTemplate, and its UID if that is known."""
    template = (actor.template_namespace, actor.actor_template)
    wanted = (work.instance.agent.namespace, member.actor_template)
    if template != wanted or (member.uid and actor.uid != member.uid):
        raise failed(member, FailureReason.ACTOR_MISMATCH)
    return actor


def alive(member: Member, actor: Actor | None) -> Actor:
    """The Actor, where there is one that somebody neither deletes nor let crash."""
    if actor is None or actor.state is ActorState.DELETING:
        raise failed(member, FailureReason.ACTOR_MISSING)
    if actor.state is ActorState.CRASHED:
        raise failed(member, FailureReason.ACTOR_CRASHED)
    return actor


def reached(member: Member, actor: Actor, state: ActorState) -> None:
    """Fails where the Actor did not live to reach a state; ComputeUnavailableError where it may yet."""
    if alive(member, actor).state is not state:
        told = f"the Actor of {_whose(member)} is `{actor.state}`, and not yet `{state}`"
        raise ComputeUnavailableError(told, "ask for the same again")


def use(work: Work, member: Member, phase: Phase, call: Callable[[float], T]) -> T:
    """Make a call about an Actor that has to be there."""
    try:
        return work.ask(phase, call)
    except ActorGoneError:
        raise failed(member, FailureReason.ACTOR_MISSING) from None


def advanced(work: Work, progress: Progress, actors: Mapping[str, Actor]) -> tuple[Member, ...]:
    """The members as far as `progress`, with the UIDs that were not known before."""
    return tuple(
        replace(
            member,
            progress=progress,
            uid=member.uid or (actors[member.path].uid if member.path in actors else ""),
        )
        for member in work.instance.members
    )


def failed(member: Member, reason: FailureReason) -> MemberFailedError:
    """For one of the reasons that are found rather than told."""
    return MemberFailedError(Failure(reason, f"the Actor of {_whose(member)} {_SAID[reason]}"))


def _whose(member: Member) -> str:
    return f"`{member.path}`" if member.path else "the root"
