"""Deletes the ActorTemplates that neither the ref nor an instance names, when all of both is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

from kagent_apply.cluster.event import ClusterEvent, EventKind
from kagent_apply.cluster.obsolete import Grace, all_named, names_of, obsolete_names, obsolete_objects
from kagent_apply.cluster.resources import ACTOR_TEMPLATES
from kagent_apply.cluster.view import Sync
from kagent_apply.revisions.port import NotServed
from kagent_apply.store.port import StoreError
from kagent_apply.substrate.port import ComputeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kagent_apply.cluster.api import Api
    from kagent_apply.cluster.committed import Committed
    from kagent_apply.cluster.event import Tell
    from kagent_apply.cluster.live import LiveTemplate
    from kagent_apply.cluster.obsolete import Names
    from kagent_apply.cluster.view import ClusterView
    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.instances.requests import AgentName
    from kagent_apply.revisions.port import Revisions
    from kagent_apply.store.port import Store

_COMPUTE_SECONDS: Final = 10.0
_CONFLICT: Final = 409
_NOT_FOUND: Final = 404


class _PartialError(Exception):
    """Not everything is known that may name an ActorTemplate; the text says what is not."""


class Templates(Protocol):
    """Substrate's own ActorTemplates, where they are no custom resources; both raise ComputeError."""

    def templates(self, namespace: str, timeout: float) -> Sequence[str]:
        """The names of all ActorTemplates of an atespace."""
        ...

    def delete_template(self, namespace: str, actor_template: str, timeout: float) -> None:
        """Delete one; gone is fine."""
        ...


@dataclass(frozen=True, slots=True)
class Deletion:
    """How ActorTemplates are deleted: after `grace` seconds, at most so many in one round.

    In the namespaces that are `owned`, no other repository has agents.
    """

    grace: float = 600.0
    most: int = 20
    owned: frozenset[str] = frozenset()


class Collector:
    """Goes over the live ActorTemplates, and remembers which agents were ours since it began."""

    def __init__(
        self,
        api: Api,
        view: ClusterView,
        revisions: Revisions,
        store: Store,
        tell: Tell,
        deletion: Deletion,
        templates: Templates | None = None,
    ) -> None:
        self._api = api
        self._view = view
        self._revisions = revisions
        self._store = store
        self._tell = tell
        self._deletion = deletion
        self._templates = templates
        self._objects = Grace(deletion.grace)
        self._names = Grace(deletion.grace)
        self._agents: set[AgentName] = set()
        self._held = ""

    def collect(self, committed: Committed, now: float, may_write: Callable[[], bool]) -> None:
        """Delete what has been obsolete for long enough; raises ApiError, and deletes no more."""
        try:
            named = self._named(committed)
            deleted = self._collect_objects(named, now, may_write)
            self._collect_names(named, now, self._deletion.most - deleted, may_write)
            self._held = ""
        except _PartialError as error:
            self.hold(str(error))
        except StoreError as error:
            self.hold(f"the store cannot say what instances need: {error}")
        except ComputeError as error:
            self.hold(error.message)

    def hold(self, why: str) -> None:
        """Delete nothing, because something is not known; every grace begins anew."""
        self._objects.restart()
        self._names.restart()
        if why != self._held:
            self._held = why
            self._tell(ClusterEvent(EventKind.DELETION_HELD, f"nothing is deleted: {why}"))

    def _named(self, committed: Committed) -> Names:
        """All that the ref, its revisions and instances name."""
        if problem := committed.problem or self._revisions.problem():
            raise _PartialError(problem)
        serving: list[PreparedRevision] = []
        for pair in self._revisions.pairs():
            self._agents.add(pair.agent)
            found = self._revisions.serving(pair.agent)
            if isinstance(found, NotServed):
                if pair.serving:
                    name = f"{pair.agent.namespace}/{pair.agent.agent_template}"
                    raise _PartialError(f"what `{name}` serves is changing")
                continue
            serving.append(found)
        self._agents |= committed.known | {pair.agent for pair in committed.pairs}
        return all_named(committed.actor_templates, names_of(serving), self._store.actor_templates())

    def _collect_objects(self, named: Names, now: float, may_write: Callable[[], bool]) -> int:
        states = [found for scope, found in self._view.states().items() if scope.resource == ACTOR_TEMPLATES]
        if all(found.sync is Sync.ABSENT for found in states):
            return 0
        if not self._view.is_complete(ACTOR_TEMPLATES):
            raise _PartialError("not every ActorTemplate of the cluster is known")
        live = self._view.actor_templates()
        found = obsolete_objects(live, named, self._agents, self._deletion.owned)
        by_uid = {template.identity.uid: template for template in found}
        due = self._objects.due(by_uid, now)[: self._deletion.most]
        return sum(self._delete_object(by_uid[uid]) for uid in due if may_write())

    def _delete_object(self, template: LiveTemplate) -> bool:
        """Delete one as it was seen: another of its name, or a later state of it, stays."""
        identity = template.identity
        if self._is_needed(identity.namespace, identity.name):
            return False
        version = identity.api_version.rpartition("/")[2]
        precondition = {"uid": identity.uid, "resourceVersion": identity.resource_version}
        reply = self._api.request(
            "DELETE",
            ACTOR_TEMPLATES.item(version, identity.namespace, identity.name),
            {},
            {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": precondition},
        )
        if not reply.refused:
            self._event(EventKind.TEMPLATE_DELETED, identity.namespace, identity.name, "nothing names it")
        elif reply.status == _CONFLICT:
            self._event(EventKind.TEMPLATE_KEPT, identity.namespace, identity.name, "it changed meanwhile")
        elif reply.status != _NOT_FOUND:
            message = f"the API server answered a deletion with status {reply.status}"
            self._event(EventKind.FAILED, identity.namespace, identity.name, message)
        return not reply.refused

    def _collect_names(self, named: Names, now: float, most: int, may_write: Callable[[], bool]) -> None:
        if self._templates is None:
            return
        found = [
            (namespace, name)
            for namespace in sorted({agent.namespace for agent in self._agents})
            for name in obsolete_names(
                namespace, self._templates.templates(namespace, _COMPUTE_SECONDS), named, self._agents
            )
        ]
        for namespace, name in self._names.due(found, now)[:most]:
            if may_write():
                self._delete_name(namespace, name)

    def _delete_name(self, namespace: str, name: str) -> None:
        assert self._templates is not None
        if not self._is_needed(namespace, name):
            self._templates.delete_template(namespace, name, _COMPUTE_SECONDS)
            self._event(EventKind.TEMPLATE_DELETED, namespace, name, "nothing names it")

    def _is_needed(self, namespace: str, name: str) -> bool:
        """Whether an instance needs it, which is asked last: one may have come since the round began."""
        needed = name in self._store.actor_templates().get(namespace, ())
        if needed:
            self._event(EventKind.TEMPLATE_KEPT, namespace, name, "an instance needs it")
        return needed

    def _event(self, kind: EventKind, namespace: str, name: str, message: str) -> None:
        self._tell(ClusterEvent(kind, message, str(ACTOR_TEMPLATES), namespace, name))
