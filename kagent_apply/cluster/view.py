"""What is known of a cluster: the objects that were seen last, and how fresh that is."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeVar

from kagent_apply.cluster.live import LiveObject, LivePool, LiveTemplate
from kagent_apply.cluster.resources import ACTOR_TEMPLATES, AGENT_TEMPLATES, HARNESSES, WORKER_POOLS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_apply.cluster.live import Live
    from kagent_apply.cluster.resources import Resource

ALL: str = ""
"""Stands for all namespaces."""


class Sync(StrEnum):
    """What is known of one resource in one namespace."""

    PENDING = "pending"
    """It was not listed yet."""
    WATCHED = "watched"
    """All objects are known, and changes are told as they come."""
    STALE = "stale"
    """All objects were known; the API server does not answer now, or not as it should."""
    ABSENT = "absent"
    """The cluster has no such resource, so there is no such object."""


@dataclass(frozen=True, slots=True)
class Scope:
    """One resource in one namespace, or in all of them where that is empty."""

    resource: Resource
    namespace: str


@dataclass(frozen=True, slots=True)
class ScopeState:
    """How a scope is, since which problem, and in which version its objects are served."""

    sync: Sync
    version: str = ""
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Pin:
    """Which live object stands for a committed one: its UID, and the generation that has the same spec."""

    uid: str
    generation: int


_Found = TypeVar("_Found", bound="Live")


class ClusterView:
    """Live objects by resource, namespace and name; asked from any thread, and filled by the watchers."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._version = 0
        self._states: dict[Scope, ScopeState] = {}
        self._objects: dict[Scope, dict[tuple[str, str], Live]] = {}

    def actor_template(self, namespace: str, name: str) -> LiveTemplate | None:
        """An ActorTemplate as it was seen last; None where there is none, or nothing is known."""
        return self._find(ACTOR_TEMPLATES, namespace, name, LiveTemplate)

    def actor_templates(self) -> list[LiveTemplate]:
        """Every ActorTemplate that is known."""
        return self._all(ACTOR_TEMPLATES, LiveTemplate)

    def harness(self, namespace: str, name: str) -> LiveObject | None:
        """A Harness as it was seen last."""
        return self._find(HARNESSES, namespace, name, LiveObject)

    def agent_template(self, namespace: str, name: str) -> LiveObject | None:
        """An AgentTemplate as it was seen last."""
        return self._find(AGENT_TEMPLATES, namespace, name, LiveObject)

    def objects(self, resource: Resource) -> list[LiveObject]:
        """Every Harness, or every AgentTemplate."""
        return self._all(resource, LiveObject)

    def harness_pin(self, namespace: str, name: str, spec_digest: str) -> Pin | None:
        """The live Harness whose spec is the one that a lock pinned."""
        return _pin(self.harness(namespace, name), spec_digest)

    def agent_template_pin(self, namespace: str, name: str, spec_digest: str) -> Pin | None:
        """The live AgentTemplate whose spec is the one that a lock pinned."""
        return _pin(self.agent_template(namespace, name), spec_digest)

    def has_worker_pool(self, namespace: str, name: str) -> bool | None:
        """Whether a WorkerPool has a name, or is selected by it (facts 10.4); None where nobody knows."""
        pools = self._all(WORKER_POOLS, LivePool)
        if any(found.selected_by == name for found in pools):
            return True
        if any((pool.identity.namespace, pool.identity.name) == (namespace, name) for pool in pools):
            return True
        known = {Sync.WATCHED, Sync.STALE}
        return False if self.state(WORKER_POOLS, namespace).sync in known else None

    def state(self, resource: Resource, namespace: str) -> ScopeState:
        """What is known of a resource in a namespace."""
        with self._changed:
            for scope in (Scope(resource, ALL), Scope(resource, namespace)):
                if scope in self._states:
                    return self._states[scope]
        return ScopeState(Sync.PENDING)

    def states(self) -> dict[Scope, ScopeState]:
        """What is known of every scope that is watched."""
        with self._changed:
            return dict(self._states)

    def is_complete(self, resource: Resource) -> bool:
        """Whether every scope of a resource is watched just now, and there is one."""
        states = [state.sync for scope, state in self.states().items() if scope.resource == resource]
        return bool(states) and all(sync is Sync.WATCHED for sync in states)

    def wait(self, seen: int, timeout: float) -> int:
        """Wait until anything differs from what was `seen`, `timeout` seconds at most; what is seen then."""
        with self._changed:
            self._changed.wait_for(lambda: self._version != seen, timeout)
            return self._version

    def wake(self) -> None:
        """Have everybody who waits look again."""
        with self._changed:
            self._bump()

    def tell(self, scope: Scope, state: ScopeState) -> None:
        """Say how a scope is; one whose resource is absent has no objects."""
        with self._changed:
            if state.sync is Sync.ABSENT:
                self._objects.pop(scope, None)
            if self._states.get(scope) != state:
                self._states[scope] = state
                self._bump()

    def replace(self, scope: Scope, objects: Iterable[Live]) -> None:
        """All objects of a scope, as they were listed."""
        found = {(live.identity.namespace, live.identity.name): live for live in objects}
        with self._changed:
            if self._objects.get(scope) != found:
                self._objects[scope] = found
                self._bump()

    def put(self, scope: Scope, live: Live) -> None:
        """An object as it is now, unless a newer state of it is known."""
        key = live.identity.namespace, live.identity.name
        with self._changed:
            known = self._objects.setdefault(scope, {}).get(key)
            if known is None or not _is_newer(known, live):
                self._objects[scope][key] = live
                self._bump()

    def remove(self, scope: Scope, live: Live) -> None:
        """An object that is gone, unless another has its name by now."""
        key = live.identity.namespace, live.identity.name
        with self._changed:
            known = self._objects.get(scope, {}).get(key)
            if known is not None and known.identity.uid == live.identity.uid:
                del self._objects[scope][key]
                self._bump()

    def stale(self, scope: Scope, problem: str) -> None:
        """Say that a scope cannot be watched for now; what was listed once is kept."""
        state = self.state(scope.resource, scope.namespace)
        listed = state.sync in {Sync.WATCHED, Sync.STALE}
        self.tell(scope, replace(state, sync=Sync.STALE if listed else Sync.PENDING, problem=problem))

    def _bump(self) -> None:
        self._version += 1
        self._changed.notify_all()

    def _find(self, resource: Resource, namespace: str, name: str, kind: type[_Found]) -> _Found | None:
        with self._changed:
            for scope in (Scope(resource, ALL), Scope(resource, namespace)):
                found = self._objects.get(scope, {}).get((namespace, name))
                if isinstance(found, kind):
                    return found
        return None

    def _all(self, resource: Resource, kind: type[_Found]) -> list[_Found]:
        with self._changed:
            scopes = [objects for scope, objects in self._objects.items() if scope.resource == resource]
            return [found for objects in scopes for found in objects.values() if isinstance(found, kind)]


def _pin(live: LiveObject | None, spec_digest: str) -> Pin | None:
    if live is None or not spec_digest or live.spec_digest != spec_digest:
        return None
    return Pin(live.identity.uid, live.identity.generation)


def _is_newer(known: Live, live: Live) -> bool:
    """Whether what is known of an object came later; without numbers, what comes last is the latest."""
    versions: list[Any] = [item.identity.resource_version for item in (known, live)]
    if known.identity.uid != live.identity.uid or not all(text.isdecimal() for text in versions):
        return False
    return int(versions[0]) > int(versions[1])
