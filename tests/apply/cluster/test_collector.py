"""Nothing is deleted on half of the facts, nor twice at once, nor what an instance came to need meanwhile."""

from __future__ import annotations

from typing import Any, cast

import pytest

from kagent_apply.cluster.api import Reply
from kagent_apply.cluster.collector import Collector, Deletion
from kagent_apply.cluster.committed import Committed
from kagent_apply.cluster.event import ClusterEvent, EventKind
from kagent_apply.cluster.resources import ACTOR_TEMPLATES
from kagent_apply.cluster.view import ClusterView, Scope, ScopeState, Sync
from kagent_apply.instances.requests import AgentName
from kagent_apply.store.port import Store
from tests.apply.cluster.neighbours import (
    MemoryRevisions,
    MemoryStore,
    MemoryTemplates,
    RecordingApi,
    revision_of,
)
from tests.apply.cluster.objects import NAMESPACE, live_template

AGENT = AgentName(NAMESPACE, "runtime", "agent")
SCOPE = Scope(ACTOR_TEMPLATES, NAMESPACE)
GRACE = 100.0


class Scene:
    """A collector with all around it; at the start, `old-1` and `old-2` are obsolete and `now` serves."""

    def __init__(self, *, templates: MemoryTemplates | None = None, most: int = 20) -> None:
        self.api = RecordingApi()
        self.view = ClusterView()
        self.view.replace(SCOPE, [live_template(name) for name in ("old-1", "old-2", "now", "kept")])
        self.view.tell(SCOPE, ScopeState(Sync.WATCHED, "v1alpha1"))
        self.revisions = MemoryRevisions({AGENT: revision_of(AGENT, "now")})
        self.store = MemoryStore()
        self.events: list[ClusterEvent] = []
        self.committed = Committed("c" * 40, actor_templates={NAMESPACE: frozenset({"kept"})})
        self.may_write = True
        self.collector = Collector(
            self.api,
            self.view,
            self.revisions,
            cast("Store", self.store),
            self.events.append,
            Deletion(GRACE, most),
            templates,
        )

    def round(self, now: float) -> None:
        self.collector.collect(self.committed, now, lambda: self.may_write)

    @property
    def deleted(self) -> list[str]:
        """The names of what the API server was told to delete."""
        return [path.rpartition("/")[2] for method, path, _ in self.api.requests if method == "DELETE"]

    @property
    def kinds(self) -> list[EventKind]:
        return [found.kind for found in self.events]


def test_what_nothing_names_goes_after_the_grace_and_by_its_uid() -> None:
    scene = Scene()
    scene.round(0.0)
    scene.round(GRACE - 1)
    assert scene.deleted == []
    scene.round(GRACE)
    assert scene.deleted == ["old-1", "old-2"]
    assert scene.api.requests[0][2]["preconditions"] == {
        "uid": f"uid-{NAMESPACE}-old-1",
        "resourceVersion": "1",
    }
    assert scene.kinds == [EventKind.TEMPLATE_DELETED] * 2


def _ref(scene: Scene) -> None:
    scene.revisions.trouble = "the ref cannot be read"


def _lock(scene: Scene) -> None:
    scene.committed = Committed("c" * 40, problem="a lock cannot be read")


def _store(scene: Scene) -> None:
    scene.store.down = True


def _stale(scene: Scene) -> None:
    scene.view.stale(SCOPE, "the API server does not answer")


def _pending(scene: Scene) -> None:
    scene.view.tell(Scope(ACTOR_TEMPLATES, "other"), ScopeState(Sync.PENDING))


def _changing(scene: Scene) -> None:
    scene.revisions.changing = True


PARTIAL = [
    pytest.param(_ref, "the ref", id="the ref is unreadable"),
    pytest.param(_lock, "a lock", id="a lock is unreadable"),
    pytest.param(_store, "the store", id="the store is down"),
    pytest.param(_stale, "not every", id="the watch is down"),
    pytest.param(_pending, "not every", id="a namespace was not listed yet"),
    pytest.param(_changing, "what `agent-team/agent` serves", id="a revision is changing"),
]


@pytest.mark.parametrize(("disturb", "said"), PARTIAL)
def test_on_a_partial_view_nothing_goes_and_the_grace_begins_anew(disturb: Any, said: str) -> None:
    scene = Scene()
    scene.round(0.0)
    whole = scene.committed
    disturb(scene)
    scene.round(GRACE)
    scene.round(GRACE + 1)
    assert scene.deleted == []
    assert scene.kinds == [EventKind.DELETION_HELD]  # told once
    assert said in scene.events[0].message
    scene.committed, scene.revisions.trouble, scene.revisions.changing = whole, "", False
    scene.store.down = False
    for scope in scene.view.states():
        scene.view.tell(scope, ScopeState(Sync.WATCHED, "v1alpha1"))
    scene.round(GRACE + 2)
    assert scene.deleted == []
    scene.round(2 * GRACE + 2)
    assert scene.deleted == ["old-1", "old-2"]


def test_what_an_instance_needs_stays() -> None:
    scene = Scene()
    scene.store.needed = {NAMESPACE: ["old-1"]}
    scene.round(0.0)
    scene.round(GRACE)
    assert scene.deleted == ["old-2"]


def test_the_store_is_asked_last() -> None:
    scene = Scene()
    scene.round(0.0)
    scene.store.asked = 0
    scene.store.then = {NAMESPACE: ["old-1"]}  # an instance that came while the round was under way
    scene.round(GRACE)
    assert scene.deleted == ["old-2"]
    assert scene.kinds == [EventKind.TEMPLATE_KEPT, EventKind.TEMPLATE_DELETED]


def test_a_store_that_fails_between_two_deletions_ends_the_round() -> None:
    scene = Scene()
    scene.round(0.0)
    answer = scene.api.answer

    def fail_then(method: str, path: str) -> Reply:
        scene.store.down = True
        return answer(method, path)

    scene.api.answer = fail_then
    scene.round(GRACE)
    assert scene.deleted == ["old-1"]
    assert scene.kinds == [EventKind.TEMPLATE_DELETED, EventKind.DELETION_HELD]


def test_a_round_deletes_no_more_than_it_may() -> None:
    scene = Scene(most=1)
    scene.round(0.0)
    scene.round(GRACE)
    assert scene.deleted == ["old-1"]


def test_who_does_not_lead_any_more_deletes_nothing() -> None:
    scene = Scene()
    scene.round(0.0)
    scene.may_write = False
    scene.round(GRACE)
    assert scene.deleted == []


@pytest.mark.parametrize(
    ("status", "kind"),
    [(404, None), (409, EventKind.TEMPLATE_KEPT), (403, EventKind.FAILED), (500, EventKind.FAILED)],
)
def test_a_deletion_that_is_refused_is_told(status: int, kind: EventKind | None) -> None:
    scene = Scene()
    scene.api.answer = lambda method, path: Reply(status)
    scene.round(0.0)
    scene.round(GRACE)
    assert scene.kinds == ([kind, kind] if kind else [])


def test_a_pair_that_was_seen_is_still_known_when_it_is_gone() -> None:
    scene = Scene()
    scene.round(0.0)
    scene.revisions.found.clear()
    scene.round(GRACE - 1)
    scene.round(2 * GRACE)
    assert scene.deleted == ["old-1", "old-2", "now"]


def test_the_agents_of_another_repository_are_left_alone() -> None:
    scene = Scene()
    scene.revisions.found.clear()
    scene.round(0.0)
    scene.round(GRACE)
    assert scene.deleted == []


def test_an_agent_of_which_the_ref_still_has_files_is_ours() -> None:
    scene = Scene()
    scene.revisions.found.clear()
    scene.committed = Committed("c" * 40, known=frozenset({AGENT}))
    scene.round(0.0)
    scene.round(GRACE)
    assert len(scene.deleted) == 4


def test_an_absent_resource_keeps_nothing_else_from_being_deleted() -> None:
    name = "agent-runtime-" + "0" * 12
    templates = MemoryTemplates({NAMESPACE: [name, "somebody-s"]})
    scene = Scene(templates=templates)
    scene.view.tell(SCOPE, ScopeState(Sync.ABSENT))
    scene.round(0.0)
    assert templates.names == {NAMESPACE: [name, "somebody-s"]}
    scene.round(GRACE)
    assert templates.names == {NAMESPACE: ["somebody-s"]}


@pytest.mark.parametrize("needed", [{NAMESPACE: ["agent-runtime-" + "0" * 12]}, {}])
def test_a_template_of_substrate_s_is_asked_for_last_too(needed: dict[str, list[str]]) -> None:
    name = "agent-runtime-" + "0" * 12
    templates = MemoryTemplates({NAMESPACE: [name]})
    scene = Scene(templates=templates)
    scene.view.tell(SCOPE, ScopeState(Sync.ABSENT))
    scene.round(0.0)
    scene.store.asked, scene.store.then = 0, needed
    scene.round(GRACE)
    assert templates.names == {NAMESPACE: [name] if needed else []}


def test_a_substrate_that_does_not_answer_holds_deletion() -> None:
    scene = Scene(templates=MemoryTemplates(down=True))
    scene.view.tell(SCOPE, ScopeState(Sync.ABSENT))
    scene.round(0.0)
    assert scene.kinds == [EventKind.DELETION_HELD]
