"""What makes and moves actors: one port for every Substrate generation, and for the one in this process."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from kagent_apply.instances.prepared import PreparedMember, PreparedRevision


class ActorState(StrEnum):
    """What an actor is doing; those of every generation, under one name each (facts 10.3, 10.4)."""

    RESUMING = "resuming"
    RUNNING = "running"
    SUSPENDING = "suspending"
    SUSPENDED = "suspended"
    PAUSING = "pausing"
    PAUSED = "paused"
    CRASHED = "crashed"
    DELETING = "deleting"
    REVERTING = "reverting"


@dataclass(frozen=True, slots=True)
class ActorName:
    """An actor's atespace, which is the agent's namespace, and its name."""

    atespace: str
    name: str


@dataclass(frozen=True, slots=True)
class Actor:
    """An actor as it is; `uid` is empty in the generation that has none.

    `actor_template` is the name of its template, and `template_namespace` where that is.
    """

    name: ActorName
    uid: str
    template_namespace: str
    actor_template: str
    state: ActorState


class ComputeError(Exception):
    """Something of Substrate's that a caller is told of: one sentence, and what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class ComputeUnavailableError(ComputeError):
    """No answer, or one that says to try again; whether there was an effect is not known."""


class ComputeDeniedError(ComputeError):
    """Substrate does it not for this service: its credentials, its role, or the release are not right.

    That is for an operator to change, and then the same may be asked for again.
    """


class ComputeRefusedError(ComputeError):
    """It will not be so however often it is tried: a template that differs, an image without a command."""


class ActorGoneError(ComputeError):
    """There is no such actor, or not the one with that UID."""


class Compute(Protocol):
    """Actors and their templates.

    Every method waits `timeout` seconds at most, and raises ComputeUnavailableError, ComputeDeniedError and
    ComputeRefusedError. Each may be called again after any failure with the same result, and from several
    threads: nothing is made twice. Who gives an actor has just seen it as it is given.
    """

    def prepare(self, revision: PreparedRevision, timeout: float) -> bool:
        """Make sure of the atespace and the ActorTemplates; False while these are not ready to be used.

        A template that is there and differs is ComputeRefusedError, and stays as it is.
        """
        ...

    def actor(self, name: ActorName, timeout: float) -> Actor | None:
        """An actor as it is now; None where there is none."""
        ...

    def create(self, name: ActorName, member: PreparedMember, timeout: float) -> Actor:
        """Make an actor that does not run yet, or give the one of that name, whatever its template."""
        ...

    def restrict(self, actor: Actor, member: PreparedMember, timeout: float) -> Actor:
        """An actor as it is once it has its egress policy, and just that; ActorGoneError without it."""
        ...

    def resume(self, actor: Actor, timeout: float) -> Actor:
        """Have an actor run, and wait until it does; CRASHED is given as it is. ActorGoneError without it."""
        ...

    def suspend(self, actor: Actor, timeout: float) -> Actor:
        """Have an actor suspended, and wait for it; CRASHED is given as it is. ActorGoneError without it."""
        ...

    def delete(self, actor: Actor, timeout: float, *, any_state: bool = False) -> None:
        """Delete an actor that is suspended or crashed, and none with another UID; gone is fine.

        With `any_state` one in any other state, too, where the generation can; else it has to be suspended.
        """
        ...

    def delete_template(self, namespace: str, actor_template: str, timeout: float) -> None:
        """Delete an ActorTemplate that nothing needs any more; gone is fine."""
        ...

    def ping(self, timeout: float) -> None:
        """Ask for nothing, to see whether Substrate answers and is of this generation."""
        ...

    def close(self) -> None:
        """Let go of connections and processes; actors stay."""
        ...


@runtime_checkable
class RevisionCheck(Protocol):
    """What a Compute has, too, that can tell of a revision which it will never run."""

    def check(self, revision: PreparedRevision) -> None:
        """ComputeRefusedError for a revision that it will never run; at once, and without asking anyone."""
        ...
