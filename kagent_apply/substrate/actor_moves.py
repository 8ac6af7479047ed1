"""Having an actor run or suspended, whatever it is doing, and whatever becomes of a call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kagent_apply.substrate.actor_messages import subject_of
from kagent_apply.substrate.actor_steps import BETWEEN, REACHED, may_differ, step
from kagent_apply.substrate.calls import change
from kagent_apply.substrate.port import ComputeUnavailableError
from kagent_apply.substrate.statuses import UNCLEAR, fault_of
from kagent_apply.substrate.transport import StatusError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_apply.substrate.actor_messages import ActorMessages
    from kagent_apply.substrate.actor_steps import Goal
    from kagent_apply.substrate.deadline import Deadline
    from kagent_apply.substrate.port import Actor, ActorState, ComputeError
    from kagent_apply.substrate.transport import Transport

_POOL_IS_FULL: Final = "no free workers"
"""What Substrate says of a pool without a free worker, which alone tells it from other preconditions."""


@dataclass(slots=True)
class Move:
    """One actor on its way to a goal.

    `find` gives the actor as it is, and raises where that is gone. `_answered` is the state between others
    in which a server left it: no call is made again there, since the server goes on by itself. `_refused`
    is the state that a server refused to turn the actor around in.
    """

    transport: Transport
    messages: ActorMessages
    find: Callable[[], Actor]
    goal: Goal
    deadline: Deadline
    _answered: ActorState | None = field(default=None, init=False)
    _refused: ActorState | None = field(default=None, init=False)

    def make(self, found: Actor) -> Actor:
        """Call and look until the actor, as it was found, is there; raises as the port does."""
        while found.state not in REACHED[self.goal]:
            found = self._next(found)
        return found

    def _next(self, found: Actor) -> Actor:
        method = step(self.goal, found.state, refused=self._refused is found.state)
        if method is None or self._answered is found.state:
            return self._later(self._stays(found))
        call = self.messages.move_actor(method, found.name)
        reply = change(self.transport, call, self.deadline)
        if isinstance(reply, StatusError):
            return self._after(reply, method, found)
        after = self.messages.read_actor(reply, found.name)
        if after.uid == found.uid and after.state in REACHED[self.goal]:
            return after
        self._answered = after.state if after.state in BETWEEN else None
        return self._later(self._stays(after))

    def _after(self, error: StatusError, method: Goal, found: Actor) -> Actor:
        """The actor after a call that failed, if there may be another step."""
        fault = fault_of(method.value, subject_of(found.name), error)
        if error.code in UNCLEAR:
            return self._later(fault)
        if error.code == "FAILED_PRECONDITION" and _POOL_IS_FULL in error.text.lower():
            hint = "wait until a worker of the pool is free, or give the WorkerPool more replicas"
            return self._later(ComputeUnavailableError(fault.message, hint))
        if error.code not in {"FAILED_PRECONDITION", "NOT_FOUND"}:
            raise fault
        now = self.find()
        if now.state is found.state:
            is_final = self._refused is found.state or not may_differ(found.state, self.goal)
            if is_final or error.code == "NOT_FOUND":
                raise fault
            self._refused = found.state
            return now
        return self._later(self._stays(now))

    def _later(self, fault: ComputeError) -> Actor:
        """The actor as it is after a while; `fault` is raised where there is no time for one."""
        if not self.deadline.pause():
            raise fault
        return self.find()

    def _stays(self, actor: Actor) -> ComputeUnavailableError:
        told = f"{subject_of(actor.name)} is still `{actor.state}`, and shall be `{self.goal.name.lower()}`"
        return ComputeUnavailableError(
            told, "try again; if it stays so, look at Substrate's workers and logs"
        )
