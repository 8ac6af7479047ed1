"""The calls that move actors: each is stored before and after what it does, and goes on where it was left."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_apply.embedded import resources
from kagent_apply.embedded.actor_templates import template_key
from kagent_apply.embedded.actors import actor_key, checked_actor, put_actor, read_actor
from kagent_apply.embedded.egress_policies import policy_key
from kagent_apply.embedded.refusal import ControlError
from kagent_apply.embedded.runner import RunOrder
from kagent_render.target.messages import ateapi_pb2
from kagent_render.target.messages.ateapi_pb2 import (
    ACTOR_STATE_CRASHED,
    ACTOR_STATE_DELETING,
    ACTOR_STATE_PAUSED,
    ACTOR_STATE_PAUSING,
    ACTOR_STATE_RESUMING,
    ACTOR_STATE_RUNNING,
    ACTOR_STATE_SUSPENDED,
    ACTOR_STATE_SUSPENDING,
    SNAPSHOT_CONTENT_SCOPE_FULL,
    Actor,
    ActorState,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kagent_apply.embedded.actor_locks import ActorLocks
    from kagent_apply.embedded.changes import Change
    from kagent_apply.embedded.folders import Folders
    from kagent_apply.embedded.records import Records
    from kagent_apply.embedded.runner import Runner
    from kagent_apply.embedded.views import Key, View

_RESUMABLE: Final = (ACTOR_STATE_SUSPENDED, ACTOR_STATE_PAUSED, ACTOR_STATE_RESUMING, ACTOR_STATE_RUNNING)
_ENDABLE: Final = (*_RESUMABLE, ACTOR_STATE_SUSPENDING, ACTOR_STATE_PAUSING)
_DELETABLE: Final = (ACTOR_STATE_SUSPENDED, ACTOR_STATE_CRASHED, ACTOR_STATE_DELETING)


@dataclass(frozen=True, slots=True)
class Lifecycle:
    """Resuming, pausing, suspending and deleting; deadlines are monotonic seconds."""

    records: Records
    runner: Runner
    folders: Folders
    locks: ActorLocks

    def resume(
        self, request: ateapi_pb2.ResumeActorRequest, deadline: float
    ) -> ateapi_pb2.ResumeActorResponse:
        """Have an actor run; the reply's actor has CRASHED where it did not become ready."""
        with self._alone(request.actor, deadline) as key:
            actor = self._expect(key, _RESUMABLE, "resumed")
            if actor.status.state == ACTOR_STATE_RUNNING and self.runner.is_running(actor.metadata.uid):
                return ateapi_pb2.ResumeActorResponse(actor=actor)
            return ateapi_pb2.ResumeActorResponse(actor=self._start(actor, deadline), resumed=True)

    def suspend(
        self, request: ateapi_pb2.SuspendActorRequest, deadline: float
    ) -> ateapi_pb2.SuspendActorResponse:
        """End an actor, and keep its folder as its snapshot; one that is suspended stays as it is."""
        with self._alone(request.actor, deadline) as key:
            actor = self._expect(key, _ENDABLE, "suspended")
            if actor.status.state != ACTOR_STATE_SUSPENDED:
                actor = self._suspend(self._end(actor, ACTOR_STATE_SUSPENDING, deadline))
            return ateapi_pb2.SuspendActorResponse(actor=actor)

    def pause(self, request: ateapi_pb2.PauseActorRequest, deadline: float) -> ateapi_pb2.PauseActorResponse:
        """End an actor whose folder stays where it is; one that is paused stays as it is."""
        with self._alone(request.actor, deadline) as key:
            actor = self._expect(
                key, (ACTOR_STATE_RUNNING, ACTOR_STATE_PAUSING, ACTOR_STATE_PAUSED), "paused"
            )
            if actor.status.state != ACTOR_STATE_PAUSED:
                actor = self._move(self._end(actor, ACTOR_STATE_PAUSING, deadline), _paused)
            return ateapi_pb2.PauseActorResponse(actor=actor)

    def delete(self, request: ateapi_pb2.DeleteActorRequest, deadline: float) -> Actor:
        """Delete an actor with its policy and its folders; one that may run only with `any_state`."""
        with self._alone(request.actor, deadline) as key:
            actor = self._read(key)
            resources.check_options(actor.metadata, request.options)
            if not request.any_state:
                self._expect(key, _DELETABLE, "deleted")
            if actor.status.state not in (ACTOR_STATE_SUSPENDED, ACTOR_STATE_CRASHED):
                actor = self._end(actor, ACTOR_STATE_DELETING, deadline)
            return self._forget(actor)

    def revived(self, key: Key, deadline: float) -> Actor:
        """A RUNNING actor that does run: started again where the process that ran it is gone."""
        actor = self._expect(key, (ACTOR_STATE_RUNNING,), "used")
        if self.runner.is_running(actor.metadata.uid):
            return actor
        with self.locks.hold(key, deadline):
            actor = self._expect(key, (ACTOR_STATE_RUNNING,), "used")
            if not self.runner.is_running(actor.metadata.uid):
                actor = self._start(actor, deadline)
        return self._expect(key, (ACTOR_STATE_RUNNING,), "used") if _has_crashed(actor) else actor

    def crashed(self, key: Key, uid: str, message: str) -> None:
        """Store that an actor ended by itself, unless it was to end anyway."""

        def keep(change: Change) -> None:
            actor = resources.find(change, key, Actor)
            if actor and actor.metadata.uid == uid and actor.status.state == ACTOR_STATE_RUNNING:
                _crash(actor, message)
                resources.touch(actor.metadata)
                put_actor(change, actor)

        self.records.change(keep)

    def recover(self, actor: Actor) -> None:
        """Carry on what a killed process left half done, as far as it needs no actor to run."""
        if actor.status.state == ACTOR_STATE_SUSPENDING:
            self._suspend(actor)
        elif actor.status.state == ACTOR_STATE_PAUSING:
            self._move(actor, _paused)
        elif actor.status.state == ACTOR_STATE_DELETING:
            self._forget(actor)

    @contextlib.contextmanager
    def _alone(self, ref: ateapi_pb2.ObjectRef, deadline: float) -> Iterator[Key]:
        key = checked_actor(ref)
        with self.locks.hold(key, deadline):
            yield key

    def _read(self, key: Key) -> Actor:
        return self.records.read(lambda view: read_actor(view, key))

    def _expect(self, key: Key, states: tuple[ActorState, ...], done: str) -> Actor:
        actor = self._read(key)
        if actor.status.state not in states:
            state = ActorState.Name(actor.status.state).removeprefix("ACTOR_STATE_")
            raise ControlError("FAILED_PRECONDITION", f"actor `{key.name}` is {state} and cannot be {done}")
        return actor

    def _start(self, actor: Actor, deadline: float) -> Actor:
        order = self.records.read(lambda view: _order(view, actor))
        if why := self.runner.refusal(order.template):
            raise ControlError("FAILED_PRECONDITION", why)
        is_begun = actor.status.state in (ACTOR_STATE_RESUMING, ACTOR_STATE_RUNNING)
        if not is_begun and not self.runner.is_instant:
            actor = self._move(actor, _state(ACTOR_STATE_RESUMING))
        self.folders.restore(order.uid)
        try:
            message = self.runner.run(order, deadline)
        except TimeoutError as error:
            raise _late(actor) from error
        if message:
            return self._move(actor, lambda moved: _crash(moved, message))
        return self._running(actor)

    def _running(self, actor: Actor) -> Actor:
        if actor.status.state != ACTOR_STATE_RUNNING:
            actor = self._move(actor, _running)
        if self.runner.is_running(actor.metadata.uid):
            return actor
        self.crashed(actor_key(actor.metadata), actor.metadata.uid, "it ended as soon as it was ready")
        return self._read(actor_key(actor.metadata))

    def _end(self, actor: Actor, by_way_of: ActorState, deadline: float) -> Actor:
        if actor.status.state != by_way_of and not self.runner.is_instant:
            actor = self._move(actor, _state(by_way_of))
        try:
            self.runner.end(actor.metadata.uid, deadline)
        except TimeoutError as error:
            raise _late(actor) from error
        return actor

    def _suspend(self, actor: Actor) -> Actor:
        template = self.records.read(lambda view: _order(view, actor)).template
        scope = _scope(template)
        self.folders.keep(actor.metadata.uid, everything=scope == SNAPSHOT_CONTENT_SCOPE_FULL)

        def suspended(moved: Actor) -> None:
            moved.status.Clear()
            moved.status.state = ACTOR_STATE_SUSPENDED
            moved.status.external_snapshot.snapshot_uri = f"embedded://{moved.metadata.uid}/snapshot"
            moved.status.external_snapshot.content_scope = scope
            moved.status.external_snapshot.actor_template_uid = template.metadata.uid

        return self._move(actor, suspended)

    def _move(self, actor: Actor, move: Callable[[Actor], None]) -> Actor:
        """Store another state, unless the actor crashed; ABORTED where something else came between."""

        def keep(change: Change) -> Actor:
            there = read_actor(change, actor_key(actor.metadata))
            if there.metadata.uid == actor.metadata.uid and _has_crashed(there):
                return there
            if there.metadata.uid != actor.metadata.uid or there.status.state != actor.status.state:
                raise ControlError("ABORTED", f"actor `{actor.metadata.name}` changed meanwhile")
            move(there)
            resources.touch(there.metadata)
            put_actor(change, there)
            return there

        return self.records.change(keep)

    def _forget(self, actor: Actor) -> Actor:
        key = actor_key(actor.metadata)

        def drop(change: Change) -> Actor:
            there = read_actor(change, key)
            change.drop(key)
            change.drop(policy_key(key.atespace, key.name))
            there.status.state = ACTOR_STATE_DELETING
            return there

        gone = self.records.change(drop)
        self.runner.forget(gone.metadata.uid)
        self.folders.remove(gone.metadata.uid)
        return gone


def _order(view: View, actor: Actor) -> RunOrder:
    ref = actor.actor_template
    template = resources.found(view, template_key(ref.atespace, ref.name), ateapi_pb2.ActorTemplate)
    return RunOrder(actor.metadata.uid, actor.metadata.atespace, actor.metadata.name, template)


def _scope(template: ateapi_pb2.ActorTemplate) -> ateapi_pb2.SnapshotContentScope:
    """What a suspension keeps; everything where the template does not say (facts 10.1)."""
    return template.snapshot_config.on_commit or SNAPSHOT_CONTENT_SCOPE_FULL


def _state(state: ActorState) -> Callable[[Actor], None]:
    def move(actor: Actor) -> None:
        actor.status.state = state

    return move


def _running(actor: Actor) -> None:
    actor.status.Clear()
    actor.status.state = ACTOR_STATE_RUNNING


def _paused(actor: Actor) -> None:
    actor.status.Clear()
    actor.status.state = ACTOR_STATE_PAUSED
    actor.status.local_snapshot.snapshot_name = f"{actor.metadata.uid}"


def _crash(actor: Actor, message: str) -> None:
    actor.status.Clear()
    actor.status.state = ACTOR_STATE_CRASHED
    actor.status.crash.message = message
    actor.status.crash.crash_time.FromDatetime(resources.now())


def _has_crashed(actor: Actor) -> bool:
    return actor.status.state == ACTOR_STATE_CRASHED


def _late(actor: Actor) -> ControlError:
    return ControlError("DEADLINE_EXCEEDED", f"actor `{actor.metadata.name}` takes longer than the call may")
