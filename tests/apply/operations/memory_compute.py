"""Actors in memory: each call minds the order of the steps, and meets the trouble that the test planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from threading import RLock
from typing import TypeVar

from kagent_apply.instances.instance import Instance, Progress
from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
from kagent_apply.instances.states import Operation, State
from kagent_apply.substrate.port import (
    Actor,
    ActorGoneError,
    ActorName,
    ActorState,
    ComputeDeniedError,
    ComputeRefusedError,
    ComputeUnavailableError,
)
from tests.apply.operations.memory_store import Meet, MemoryStore, nothing
from tests.apply.operations.seconds import Seconds

T = TypeVar("T")


class Trouble(StrEnum):
    """What can happen at a call."""

    NO_ANSWER = "no answer, no effect"
    LOST_ANSWER = "the effect, and no answer"
    SLOW = "no answer until all of the time is over"
    REFUSED = "refused"
    DENIED = "denied to this service"
    NOT_READY = "templates are not ready"
    CRASHED = "the Actor has crashed"
    GONE = "the Actor is gone"
    REPLACED = "another Actor has its name"
    OTHERS = "another Actor of another template has its name"


AT_REST = {ActorState.SUSPENDED, ActorState.CRASHED, ActorState.DELETING}


class MemoryCompute:
    """Substrate with a store beside it, in which it looks whether a call was allowed."""

    def __init__(self, store: MemoryStore, seconds: Seconds) -> None:
        self.actors: dict[ActorName, Actor] = {}
        self.made: Counter[ActorName] = Counter()
        self.calls: list[tuple[str, str]] = []
        self.trouble: dict[int, Trouble] = {}
        self.meet: Meet = nothing
        self.foreign: set[str] = set()
        self._store = store
        self._seconds = seconds
        self._restricted: set[str] = set()
        self._uids = 0
        self._lock = RLock()

    def prepare(self, revision: PreparedRevision, timeout: float) -> bool:
        return self._meet(None, "prepare", timeout, lambda: True)

    def actor(self, name: ActorName, timeout: float) -> Actor | None:
        return self._meet(name, "actor", timeout, lambda: self.actors.get(name))

    def create(self, name: ActorName, member: PreparedMember, timeout: float) -> Actor:
        return self._meet(name, "create", timeout, lambda: self._create(name, member.actor_template))

    def restrict(self, actor: Actor, member: PreparedMember, timeout: float) -> Actor:
        assert actor.actor_template == member.actor_template
        return self._meet(actor.name, "restrict", timeout, lambda: self._restrict(actor))

    def resume(self, actor: Actor, timeout: float) -> Actor:
        return self._meet(actor.name, "resume", timeout, lambda: self._resume(actor))

    def suspend(self, actor: Actor, timeout: float) -> Actor:
        return self._meet(actor.name, "suspend", timeout, lambda: self._suspend(actor))

    def delete(self, actor: Actor, timeout: float, *, any_state: bool = False) -> None:
        self._meet(actor.name, "delete", timeout, lambda: self._delete(actor, any_state=any_state))

    def delete_template(self, namespace: str, actor_template: str, timeout: float) -> None:
        raise NotImplementedError

    def ping(self, timeout: float) -> None:
        raise NotImplementedError

    def close(self) -> None:
        raise NotImplementedError

    def put(self, name: ActorName, template: str, state: ActorState = ActorState.SUSPENDED) -> Actor:
        """Another's Actor."""
        self._uids += 1
        actor = Actor(name, f"uid-{self._uids}", name.atespace, template, state)
        self.foreign.add(actor.uid)
        self.actors[name] = actor
        return actor

    def _create(self, name: ActorName, template: str) -> Actor:
        if name not in self.actors:
            self._owner(name)
            self.put(name, template)
            self.foreign.discard(self.actors[name].uid)
            self.made[name] += 1
        return self.actors[name]

    def _restrict(self, actor: Actor) -> Actor:
        self._restricted.add(self._there(actor).uid)
        return self.actors[actor.name]

    def _resume(self, actor: Actor) -> Actor:
        self._there(actor)
        assert actor.uid in self._restricted, "it runs before it is restricted"
        owner = self._owner(actor.name)
        assert owner.standing.issued
        (member,) = (member for member in owner.members if member.actor == actor.name.name)
        assert member.uid == actor.uid, "it runs before its UID is stored"
        self._after(actor, "the root runs before a leaf", ActorState.RUNNING)
        return self._move(actor, ActorState.RUNNING)

    def _suspend(self, actor: Actor) -> Actor:
        self._there(actor)
        self._fenced(actor)
        return self._move(actor, ActorState.SUSPENDED)

    def _delete(self, actor: Actor, *, any_state: bool) -> None:
        self._fenced(actor)
        assert self._owner(actor.name).standing.state is State.DELETING
        now = self.actors.get(actor.name)
        if now is not None and now.uid == actor.uid:
            assert any_state or now.state in AT_REST, "it is deleted while it runs"
            del self.actors[actor.name]

    def _fenced(self, actor: Actor) -> None:
        owner = self._owner(actor.name)
        assert owner.standing.issued
        assert all(member.progress is Progress.FENCED for member in owner.members), "not all are fenced"

    def _after(self, actor: Actor, told: str, state: ActorState) -> None:
        members = self._owner(actor.name).members
        place = [member.actor for member in members].index(actor.name.name)
        for member in members[place + 1 :]:
            leaf = self.actors.get(ActorName(actor.name.atespace, member.actor))
            assert leaf is None or leaf.state in {state, ActorState.CRASHED}, told

    def _move(self, actor: Actor, state: ActorState) -> Actor:
        if self.actors[actor.name].state is not ActorState.CRASHED:
            self.actors[actor.name] = replace(self.actors[actor.name], state=state)
        return self.actors[actor.name]

    def _there(self, actor: Actor) -> Actor:
        now = self.actors.get(actor.name)
        if now is None or now.uid != actor.uid:
            raise ActorGoneError("there is no such Actor", "look for it")
        return now

    def _owner(self, name: ActorName) -> Instance:
        """The instance, which has an operation under way: else nobody may touch its Actor."""
        for instance in self._store.all():
            if name.name in {member.actor for member in instance.members}:
                assert instance.standing.operation in set(Operation), "touched while nothing is under way"
                return instance
        raise AssertionError("an Actor of no instance")

    def _meet(self, name: ActorName | None, call: str, timeout: float, effect: Callable[[], T]) -> T:
        self.meet("before", call)
        trouble = self.trouble.pop(len(self.calls), None)
        self.calls.append((call, name.name if name else ""))
        with self._lock:
            if trouble is not None:
                self._befall(name, trouble, timeout)
            done = effect()
        self.meet("after", call)
        if trouble is Trouble.LOST_ANSWER:
            raise ComputeUnavailableError("Substrate does not answer", "ask again")
        if trouble is Trouble.NOT_READY and call == "prepare":
            return False  # type: ignore[return-value]
        return done

    def _befall(self, name: ActorName | None, trouble: Trouble, timeout: float) -> None:
        if trouble is Trouble.SLOW:
            self._seconds.now += timeout
        if trouble in {Trouble.NO_ANSWER, Trouble.SLOW}:
            raise ComputeUnavailableError("Substrate does not answer", "ask again")
        if trouble is Trouble.DENIED:
            raise ComputeDeniedError("Substrate does not know this service", "give it a certificate")
        if trouble is Trouble.REFUSED:
            raise ComputeRefusedError("Substrate refuses it", "change something")
        if name is not None:
            self._harm(name, trouble)

    def _harm(self, name: ActorName, trouble: Trouble) -> None:
        now = self.actors.get(name)
        if trouble is Trouble.CRASHED and now:
            self.actors[name] = replace(now, state=ActorState.CRASHED)
        elif trouble is Trouble.GONE:
            self.actors.pop(name, None)
        elif trouble is Trouble.REPLACED and now:
            self.put(name, now.actor_template)
        elif trouble is Trouble.OTHERS:
            self.put(name, "of-another")
