"""The steps of each operation over all members, in the order that keeps them safe (facts 8.3, 8.4).

Whatever runs uses only what runs: leaves run first and the root last, and the root stops first. Each step may
be taken again: after an interruption an operation begins anew, and finds what was done.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from kagent_apply.instances.instance import Instance, Progress
from kagent_apply.instances.states import Operation, State
from kagent_apply.operations.error import not_ready
from kagent_apply.operations.events import Phase
from kagent_apply.operations.members import (
    Actors,
    actor_name,
    advanced,
    alive,
    own,
    reached,
    read,
    read_all,
    use,
)
from kagent_apply.operations.work import Work
from kagent_apply.substrate.port import (
    ActorGoneError,
    ActorState,
    ComputeRefusedError,
    ComputeUnavailableError,
)

if TYPE_CHECKING:
    from kagent_apply.instances.instance import Member
    from kagent_apply.substrate.port import Actor

_AT_REST: Final = {ActorState.SUSPENDED, ActorState.CRASHED, ActorState.DELETING}


def create(work: Work) -> Instance:
    """Make every Actor, store their UIDs before the first runs, restrict all, and have them run."""
    if not work.ask(Phase.PREPARE, partial(work.compute.prepare, work.revision)):
        raise not_ready()
    actors: Actors = {}
    for member in _leaves_first(work):
        actors[member.path] = alive(member, _made(work, member))
    work.record(advanced(work, Progress.CREATED, actors))
    _run(work, actors)
    return work.finish(Progress.RUNNING)


def suspend(work: Work) -> Instance:
    """See that every Actor is there, fence all, and suspend them."""
    actors = read_all(work)
    work.issue(advanced(work, Progress.FENCED, actors))
    for member in work.instance.members:
        suspended = use(work, member, Phase.SUSPEND, partial(work.compute.suspend, actors[member.path]))
        reached(member, suspended, ActorState.SUSPENDED)
    return work.finish(Progress.SUSPENDED)


def resume(work: Work) -> Instance:
    """See that every Actor is there, restrict all, and have them run."""
    actors = read_all(work)
    work.issue(work.instance.members)
    _run(work, actors)
    return work.finish(Progress.RUNNING)


def delete(work: Work) -> Instance:
    """See that no Actor is another's, fence all, suspend them, and delete what is there.

    In the place of a creation that asked for Actors and does not know of them, these are waited for first.
    One that is not suspended within all patience, since it never comes to run, is deleted as it is.
    """
    if work.instance.standing.state is State.CREATING and _may_be_more(work):
        work.outlast()
    found = {member.path: read(work, member) for member in work.instance.members}
    actors = {path: actor for path, actor in found.items() if actor is not None}
    work.issue(advanced(work, Progress.FENCED, actors))
    stuck: dict[str, ComputeUnavailableError] = {}
    for member in work.instance.members:
        if member.path in actors and actors[member.path].state not in _AT_REST:
            _put_to_rest(work, member, actors, stuck)
    for member in _leaves_first(work):
        if member.path in actors:
            _delete(work, actors[member.path], stuck.get(member.path))
    return work.finish(Progress.DELETED)


STEPS: Final[dict[Operation, Callable[[Work], Instance]]] = {
    Operation.CREATE: create,
    Operation.SUSPEND: suspend,
    Operation.RESUME: resume,
    Operation.DELETE: delete,
}
"""How each operation is carried from where it is to its end."""


def _may_be_more(work: Work) -> bool:
    return any(member.progress is Progress.PLANNED for member in work.instance.members)


def _leaves_first(work: Work) -> list[Member]:
    """A path sorts before those that it begins, so that the members' order is the root's first."""
    return list(reversed(work.instance.members))


def _made(work: Work, member: Member) -> Actor | None:
    """The Actor of a member, made unless one was seen before: then it has to be there."""
    if member.progress is not Progress.PLANNED:
        return read(work, member)
    making = partial(work.compute.create, actor_name(work, member), work.prepared(member))
    return own(work, member, work.ask(Phase.CREATE, making))


def _run(work: Work, actors: Actors) -> None:
    for member in _leaves_first(work):
        restricting = partial(work.compute.restrict, actors[member.path], work.prepared(member))
        actors[member.path] = use(work, member, Phase.RESTRICT, restricting)
    for member in _leaves_first(work):
        running = use(work, member, Phase.RESUME, partial(work.compute.resume, actors[member.path]))
        reached(member, running, ActorState.RUNNING)


def _put_to_rest(
    work: Work, member: Member, actors: Actors, stuck: dict[str, ComputeUnavailableError]
) -> None:
    begun = work.clock.steady()
    try:
        work.ask(Phase.SUSPEND, partial(work.compute.suspend, actors[member.path]))
    except ActorGoneError:
        del actors[member.path]
    except ComputeUnavailableError as error:
        if work.clock.steady() - begun < work.limits.patience:
            raise
        stuck[member.path] = error


def _delete(work: Work, actor: Actor, stuck: ComputeUnavailableError | None) -> None:
    """Raises why it could not be suspended where it cannot be deleted for that."""
    try:
        work.ask(Phase.DELETE, partial(work.compute.delete, actor, any_state=stuck is not None))
    except (ComputeUnavailableError, ComputeRefusedError):
        if stuck is None:
            raise
        raise stuck from None
