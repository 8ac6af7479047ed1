"""Actors by way of a Control service, whose generation's messages are given: what both do the same."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kagent_apply.substrate.actor_messages import subject_of
from kagent_apply.substrate.actor_moves import Move
from kagent_apply.substrate.actor_steps import REACHED, Goal
from kagent_apply.substrate.calls import change, read, repeat
from kagent_apply.substrate.deadline import SystemClock, deadline_in
from kagent_apply.substrate.generation_check import GenerationCheck
from kagent_apply.substrate.port import ActorGoneError, ActorState, ComputeUnavailableError
from kagent_apply.substrate.statuses import UNCLEAR, fault_of, unseen
from kagent_apply.substrate.transport import StatusError

if TYPE_CHECKING:
    from kagent_apply.instances.prepared import PreparedMember
    from kagent_apply.substrate.actor_messages import ActorMessages
    from kagent_apply.substrate.deadline import Clock, Deadline
    from kagent_apply.substrate.port import Actor, ActorName
    from kagent_apply.substrate.transport import Transport


class ControlCompute:
    """The methods of the port that are about actors.

    Each asks the server first, once, whether it is of the generation of `messages`.
    """

    def __init__(
        self,
        transport: Transport,
        messages: ActorMessages,
        *,
        has_templates: bool,
        clock: Clock | None = None,
    ) -> None:
        self._transport = transport
        self._messages = messages
        self._clock = clock or SystemClock()
        self._generation = GenerationCheck(transport, messages, has_templates=has_templates)

    def actor(self, name: ActorName, timeout: float) -> Actor | None:
        """An actor as it is now; None where there is none."""
        return self._look(name, self._begin(timeout))

    def create(self, name: ActorName, member: PreparedMember, timeout: float) -> Actor:
        """Make an actor that does not run yet, or give the one of that name, whatever its template."""
        deadline = self._begin(timeout)
        call = self._messages.create_actor(name, member.actor_template)
        while isinstance(reply := change(self._transport, call, deadline), StatusError):
            if reply.code not in UNCLEAR and reply.code != "ALREADY_EXISTS":
                raise fault_of(call.method, call.subject, reply)
            if found := self._look(name, deadline):
                return found
            if not deadline.pause():
                raise unseen(call.method, call.subject, reply)
        return self._messages.read_actor(reply, name)

    def resume(self, actor: Actor, timeout: float) -> Actor:
        """Have an actor run, and wait until it does; CRASHED is given as it is. ActorGoneError without it."""
        return self._move(Goal.RUNNING, actor, timeout)

    def suspend(self, actor: Actor, timeout: float) -> Actor:
        """Have an actor suspended, and wait for it; CRASHED is given as it is. ActorGoneError without it."""
        return self._move(Goal.SUSPENDED, actor, timeout)

    def delete(self, actor: Actor, timeout: float, *, any_state: bool = False) -> None:
        """Delete an actor that is suspended or crashed, and none with another UID; gone is fine.

        One that is neither is ComputeUnavailableError, unless the generation deletes in `any_state`.
        """
        deadline = self._begin(timeout)
        while (found := self._look(actor.name, deadline)) and _is_same(actor, found):
            actor = found  # whoever did not know the UID means this one from here on
            call = self._messages.delete_actor(actor.name, actor.uid, any_state=any_state)
            reply = change(self._transport, call, deadline)
            if not isinstance(reply, StatusError) or reply.code == "NOT_FOUND":
                return
            if reply.code == "FAILED_PRECONDITION":
                raise _not_deletable(found)
            if reply.code not in UNCLEAR or not deadline.pause():
                raise fault_of(call.method, call.subject, reply)

    def ping(self, timeout: float) -> None:
        """Ask for nothing, to see whether Substrate answers and is of this generation."""
        self._generation.ask(deadline_in(self._clock, timeout))

    def close(self) -> None:
        """Let go of connections; actors stay."""
        self._transport.close()

    def _begin(self, timeout: float) -> Deadline:
        deadline = deadline_in(self._clock, timeout)
        self._generation.ensure(deadline)
        return deadline

    def _look(self, name: ActorName, deadline: Deadline) -> Actor | None:
        reply = read(self._transport, self._messages.get_actor(name), deadline)
        return None if reply is None else self._messages.read_actor(reply, name)

    def _find(self, actor: Actor, deadline: Deadline) -> Actor:
        """The actor that is asked about, as it is now; ActorGoneError where it is gone, or going."""
        found = self._look(actor.name, deadline)
        if found is None or not _is_same(actor, found) or found.state is ActorState.DELETING:
            told = "is being deleted" if found and _is_same(actor, found) else "is gone"
            raise ActorGoneError(f"{subject_of(actor.name)} {told}", "create another instance")
        return found

    def _move(self, goal: Goal, actor: Actor, timeout: float) -> Actor:
        """Call from where the actor was seen, since the reply tells of it; look where no call is due."""
        deadline = self._begin(timeout)
        found = self._find(actor, deadline) if actor.state in REACHED[goal] else actor
        again = partial(self._find, found, deadline)
        return Move(self._transport, self._messages, again, goal, deadline).make(found)

    def _make_atespace(self, name: str, deadline: Deadline) -> None:
        """See that an atespace is there; who may not make one can still use one."""
        call = self._messages.create_atespace(name)
        reply = repeat(self._transport, call, deadline)
        if not isinstance(reply, StatusError) or reply.code == "ALREADY_EXISTS":
            return
        if reply.code != "PERMISSION_DENIED" or not self._has_atespace(name, deadline):
            raise fault_of(call.method, call.subject, reply)

    def _has_atespace(self, name: str, deadline: Deadline) -> bool:
        return read(self._transport, self._messages.get_atespace(name), deadline) is not None


def _is_same(actor: Actor, found: Actor) -> bool:
    """Whether an actor is the one that is meant, as far as its generation can tell."""
    return not actor.uid or found.uid == actor.uid


def _not_deletable(found: Actor) -> ComputeUnavailableError:
    told = (
        f"{subject_of(found.name)} is `{found.state}`, and only what is suspended or crashed can be deleted"
    )
    return ComputeUnavailableError(told, "suspend it first, then try again")
