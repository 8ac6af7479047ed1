"""Writes the status of Harnesses and AgentTemplates by server-side apply, and never by force."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.cluster.event import ClusterEvent, EventKind
from kagent_apply.cluster.live import LiveObject, read_live
from kagent_apply.cluster.ownership import MANAGER
from kagent_apply.cluster.publication import harness_pieces, publication, template_pieces, timeless
from kagent_apply.cluster.resources import AGENT_TEMPLATES, HARNESSES
from kagent_apply.cluster.status_pieces import joined
from kagent_apply.cluster.view import ALL, Scope

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kagent_apply.cluster.api import Api, Reply
    from kagent_apply.cluster.committed import Committed
    from kagent_apply.cluster.event import Tell
    from kagent_apply.cluster.publication import Publication
    from kagent_apply.cluster.resources import Resource
    from kagent_apply.cluster.status_pieces import Pieces
    from kagent_apply.cluster.view import ClusterView
    from kagent_apply.instances.requests import AgentName
    from kagent_apply.revisions.port import PairStatus

_APPLY: Final = "application/apply-patch+yaml"  # JSON is YAML
_CONFLICT: Final = 409
_NOT_OURS: Final = "FieldManagerConflict"
_NOT_FOUND: Final = 404
_TRY_AGAIN: Final = frozenset({429, *range(500, 600)})


class Publisher:
    """Keeps the status of what is committed as the commit says; remembers what was told and refused."""

    def __init__(self, api: Api, view: ClusterView, tell: Tell) -> None:
        self._api = api
        self._view = view
        self._tell = tell
        self._written: dict[str, tuple[str, Any]] = {}
        self._left: dict[str, Mapping[Any, str]] = {}

    def publish(
        self,
        committed: Committed,
        statuses: Mapping[AgentName, PairStatus],
        now: str,
        may_write: Callable[[], bool],
    ) -> None:
        """Write every status that differs, while `may_write`; raises ApiError where there is no answer.

        An object whose live spec is not the committed one keeps the status that it has, which says by its
        `observedGeneration` that it is of an earlier one.
        """
        alive: set[str] = set()
        for resource, live, wanted in self._wanted(committed, statuses, now):
            alive.add(live.identity.uid)
            found = publication(live, wanted)
            self._tell_left(resource, live, found)
            if found.is_due and self._is_new(live, found):
                if not may_write():
                    return
                self._write(resource, live, found)
        self._forget(alive)

    def _wanted(
        self, committed: Committed, statuses: Mapping[AgentName, PairStatus], now: str
    ) -> Iterator[tuple[Resource, LiveObject, Pieces]]:
        """Every live object that there is something to say of, with its whole status."""
        harnesses = {(found.namespace, found.name): found for found in committed.harnesses}
        pairs = defaultdict(list)
        for pair in committed.pairs:
            key = pair.agent.namespace, pair.agent.agent_template
            pairs[key].append((pair, statuses.get(pair.agent)))
        for resource in (HARNESSES, AGENT_TEMPLATES):
            for live in self._view.objects(resource):
                key = live.identity.namespace, live.identity.name
                match _standing(resource, live, committed):
                    case "same" if resource is AGENT_TEMPLATES:
                        yield resource, live, template_pieces(live, pairs[key], now)
                    case "same" if key in harnesses:
                        pool = self._view.has_worker_pool(key[0], harnesses[key].worker_pool)
                        yield resource, live, harness_pieces(live, harnesses[key], pool, now)
                    case "gone":
                        yield resource, live, {}

    def _is_new(self, live: LiveObject, found: Publication) -> bool:
        """Whether this was not written, or refused, for this very state of the object."""
        known = self._written.get(live.identity.uid)
        return known is None or known != (live.identity.resource_version, _said(found))

    def _write(self, resource: Resource, live: LiveObject, found: Publication) -> None:
        reply = self._apply(resource, live, found.pieces)
        if reply.status in _TRY_AGAIN or _is_late(reply):
            if reply.status != _CONFLICT:
                self._event(EventKind.STATUS_REFUSED, resource, live, _status(reply))
            return
        after = read_live(resource, reply.value) if not reply.refused else None
        version = (after or live).identity.resource_version
        self._written[live.identity.uid] = version, _said(found)
        if after is not None:
            self._view.put(self._scope(resource, live), after)
            self._event(EventKind.STATUS_WRITTEN, resource, live, "the status was written")
        elif reply.status == _CONFLICT:
            self._look_again(resource, live, found)
        elif reply.status != _NOT_FOUND:
            self._event(EventKind.STATUS_REFUSED, resource, live, _status(reply))

    def _look_again(self, resource: Resource, live: LiveObject, found: Publication) -> None:
        """After a conflict: whose the pieces are says the object as it is now, in the next round."""
        identity = live.identity
        version = identity.api_version.rpartition("/")[2]
        reply = self._api.request("GET", resource.item(version, identity.namespace, identity.name), {})
        now = read_live(resource, reply.value)
        if now is not None:
            self._view.put(self._scope(resource, live), now)
        if not isinstance(now, LiveObject) or not any(now.owners.other(path) for path in found.pieces):
            self._event(EventKind.STATUS_LEFT, resource, live, "a part of the status is another's")

    def _apply(self, resource: Resource, live: LiveObject, pieces: Pieces) -> Reply:
        identity = live.identity
        version = identity.api_version.rpartition("/")[2]
        path = f"{resource.item(version, identity.namespace, identity.name)}/status"
        body: dict[str, Any] = {
            "apiVersion": identity.api_version,
            "kind": resource.kind,
            # By its version alone, since a UID is not looked at here: another object that took the name
            # meanwhile must not be told what is said of this one.
            "metadata": {
                "namespace": identity.namespace,
                "name": identity.name,
                "resourceVersion": identity.resource_version,
            },
        }
        if pieces:  # an empty status is refused, and one that is left out takes ours back
            body["status"] = joined(pieces)
        query = {"fieldManager": MANAGER, "fieldValidation": "Strict"}
        return self._api.request("PATCH", path, query, body, _APPLY)

    def _scope(self, resource: Resource, live: LiveObject) -> Scope:
        own = Scope(resource, live.identity.namespace)
        return own if own in self._view.states() else Scope(resource, ALL)

    def _tell_left(self, resource: Resource, live: LiveObject, found: Publication) -> None:
        if self._left.get(live.identity.uid, {}) == found.left:
            return
        self._left[live.identity.uid] = found.left
        if found.left:
            others = ", ".join(f"`{other}`" for other in sorted(set(found.left.values())))
            named = ", ".join(f"`{'/'.join(path)}`" for path in sorted(found.left))
            self._event(EventKind.STATUS_LEFT, resource, live, f"{named} of the status belong to {others}")

    def _forget(self, alive: set[str]) -> None:
        for known in (self._written, self._left):
            for uid in known.keys() - alive:
                del known[uid]

    def _event(self, kind: EventKind, resource: Resource, live: LiveObject, message: str) -> None:
        identity = live.identity
        self._tell(ClusterEvent(kind, message, str(resource), identity.namespace, identity.name))


def _standing(resource: Resource, live: LiveObject, committed: Committed) -> str:
    """`same` where the live spec is the committed one, `gone` where we said something of what is no more."""
    if live.identity.deleting:
        return ""
    digest = committed.spec_digests.get((resource.kind, live.identity.namespace, live.identity.name))
    if digest is None:
        return "gone" if live.owners.own and not committed.problem else ""
    return "same" if digest and digest == live.spec_digest else ""


def _is_late(reply: Reply) -> bool:
    """Whether the object changed since it was seen; it will be seen anew, and then said anew."""
    details = reply.value.get("details")
    causes = details.get("causes") if isinstance(details, dict) else None
    return reply.status == _CONFLICT and not (
        isinstance(causes, list)
        and any(isinstance(cause, dict) and cause.get("reason") == _NOT_OURS for cause in causes)
    )


def _said(found: Publication) -> Any:
    return timeless(joined(found.pieces))


def _status(reply: Reply) -> str:
    return f"the API server answered a status with status {reply.status}"
