"""Deleting on a real API server: only what was seen, as it was seen."""

from __future__ import annotations

from typing import Any, cast

import pytest

from kagent_apply.cluster.collector import Collector, Deletion
from kagent_apply.cluster.committed import Committed
from kagent_apply.cluster.event import ClusterEvent, EventKind
from kagent_apply.cluster.live import read_live
from kagent_apply.cluster.resources import ACTOR_TEMPLATES
from kagent_apply.cluster.view import ClusterView, Scope, ScopeState, Sync
from kagent_apply.store.port import Store
from tests.apply.cluster.lasting_server import LastingServer
from tests.apply.cluster.neighbours import MemoryRevisions, MemoryStore
from tests.apply.cluster.variants import variant

pytestmark = pytest.mark.server


class Scene:
    """One obsolete ActorTemplate in an owned namespace, as a view saw it, without a grace."""

    def __init__(self, server: LastingServer, namespace: str) -> None:
        self.server = server
        self.value = variant(namespace, "1")
        seen = read_live(ACTOR_TEMPLATES, server.post("actortemplates", self.value))
        assert seen is not None
        view, scope = ClusterView(), Scope(ACTOR_TEMPLATES, namespace)
        view.replace(scope, [seen])
        view.tell(scope, ScopeState(Sync.WATCHED, "v1alpha1"))
        self.store = MemoryStore()
        self.events: list[ClusterEvent] = []
        self.collector = Collector(
            server.api,
            view,
            MemoryRevisions(),
            cast("Store", self.store),
            self.events.append,
            Deletion(0.0, owned=frozenset({namespace})),
        )

    def round(self) -> list[EventKind]:
        self.collector.collect(Committed("c" * 40), 0.0, lambda: True)
        return [found.kind for found in self.events]

    @property
    def is_there(self) -> bool:
        return self.server.exists("actortemplates", self.value)


@pytest.fixture
def scene(server: LastingServer, namespace: str) -> Scene:
    return Scene(server, namespace)


def test_what_is_as_it_was_seen_goes(scene: Scene) -> None:
    assert scene.round() == [EventKind.TEMPLATE_DELETED]
    assert not scene.is_there


def test_another_object_of_the_name_stays(scene: Scene) -> None:
    scene.server.delete("actortemplates", scene.value)
    scene.server.post("actortemplates", scene.value)
    assert scene.round() == [EventKind.TEMPLATE_KEPT]
    assert scene.is_there


def test_a_later_state_of_it_stays(scene: Scene) -> None:
    scene.server.apply_status("actortemplates", scene.value, {"phase": "Ready"}, "substrate")
    assert scene.round() == [EventKind.TEMPLATE_KEPT]
    assert scene.is_there


def test_what_is_gone_is_fine(scene: Scene) -> None:
    scene.server.delete("actortemplates", scene.value)
    assert scene.round() == []


def test_an_instance_that_came_meanwhile_keeps_it(scene: Scene) -> None:
    metadata: dict[str, Any] = scene.value["metadata"]
    scene.store.then = {metadata["namespace"]: [metadata["name"]]}
    assert scene.round() == [EventKind.TEMPLATE_KEPT]
    assert scene.is_there
