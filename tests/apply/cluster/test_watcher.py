"""The view has what a real API server has, whatever happens to server, connection and definitions."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from kagent_apply.cluster.api import ApiError, Reply, Stream
from kagent_apply.cluster.connection import KubernetesApi, connect
from kagent_apply.cluster.event import ClusterEvent, EventKind
from kagent_apply.cluster.live import Readiness
from kagent_apply.cluster.resources import ACTOR_TEMPLATES, AGENT_TEMPLATES, HARNESSES, WORKER_POOLS
from kagent_apply.cluster.view import ClusterView, Scope, Sync
from kagent_apply.cluster.watcher import Rhythm, Watcher
from tests.apply.cluster.lasting_server import LastingServer, eventually
from tests.apply.cluster.objects import COORDINATOR, actor_template, coordinator_lock
from tests.cluster.definitions import upstream

pytestmark = pytest.mark.server

FAST = Rhythm(watch=60.0, absent=0.1, first_wait=0.02, longest_wait=0.1)


class Gate:
    """An Api in front of a real one, which can be closed, and counts what was listed."""

    def __init__(self, api: KubernetesApi) -> None:
        self._api = api
        self.closed = False
        self.lists = 0
        self.resource_versions: list[str] = []
        self._streams: list[Stream] = []

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Mapping[str, Any] | None = None,
        content_type: str = "application/json",
    ) -> Reply:
        self.lists += 1
        return self._api.request(method, path, query, body, content_type)

    def stream(self, path: str, query: Mapping[str, str], seconds: float) -> Stream | Reply:
        if self.closed:
            raise ApiError("the gate is closed")
        self.resource_versions.append(query["resourceVersion"])
        stream = self._api.stream(path, query, seconds)
        if not isinstance(stream, Reply):
            self._streams.append(stream)
        return stream

    def close(self) -> None:
        self._api.close()

    def cut(self) -> None:
        """Close the gate, and end what is under way."""
        self.closed = True
        for stream in self._streams:
            stream.close()


Watch = Callable[..., tuple[ClusterView, list[ClusterEvent], Gate]]


@pytest.fixture
def watch(server: LastingServer) -> Iterator[Watch]:
    """Watches one resource in one namespace until the test ends, and sees that it ends at once."""
    started: list[Watcher] = []

    def begin(
        resource: Any = ACTOR_TEMPLATES, namespace: str = "", running: LastingServer = server
    ) -> tuple[ClusterView, list[ClusterEvent], Gate]:
        view, events, gate = ClusterView(), list[ClusterEvent](), Gate(connect(running.kubeconfig))
        watcher = Watcher(gate, Scope(resource, namespace), view, events.append, FAST)
        started.append(watcher)
        watcher.start()
        return view, events, gate

    yield begin
    for watcher in started:
        watcher.stop()
    assert all(watcher.join(5.0) for watcher in started)


def test_what_is_there_and_what_comes_is_seen(server: LastingServer, watch: Watch, namespace: str) -> None:
    value = actor_template(namespace)
    server.post("actortemplates", value)
    view, _, _ = watch(namespace=namespace)
    eventually(lambda: view.actor_template(namespace, COORDINATOR) is not None)
    found = view.actor_template(namespace, COORDINATOR)
    assert found is not None
    assert found.readiness is Readiness.PENDING
    server.apply_status("actortemplates", value, {"phase": "Ready"}, "substrate")
    eventually(lambda: view.actor_templates()[0].readiness is Readiness.READY)
    after = view.actor_templates()[0]
    assert (after.identity.uid, after.identity.generation) == (found.identity.uid, 1)
    server.delete("actortemplates", value)
    eventually(lambda: not view.actor_templates())


def test_a_live_spec_has_the_digest_that_the_lock_has(
    server: LastingServer, watch: Watch, namespace: str
) -> None:
    server.post("actortemplates", actor_template(namespace))
    view, _, _ = watch(namespace=namespace)
    eventually(lambda: bool(view.actor_templates()))
    root = coordinator_lock()["spec"]["boundaries"][0]
    assert root["actorTemplate"] == COORDINATOR
    assert view.actor_templates()[0].spec_digest == root["specDigest"]


def test_objects_of_other_namespaces_are_not_seen(
    server: LastingServer, watch: Watch, namespace: str
) -> None:
    server.post("actortemplates", actor_template(f"{namespace}-other"))
    server.post("actortemplates", actor_template(namespace))
    view, _, _ = watch(namespace=namespace)
    eventually(lambda: bool(view.actor_templates()))
    assert [found.identity.namespace for found in view.actor_templates()] == [namespace]


def test_all_namespaces_are_seen_where_none_is_named(
    server: LastingServer, watch: Watch, namespace: str
) -> None:
    for name in (namespace, f"{namespace}-other"):
        server.post("actortemplates", actor_template(name))
    view, _, _ = watch()
    for name in (namespace, f"{namespace}-other"):
        eventually(lambda name=name: view.actor_template(name, COORDINATOR) is not None)  # type: ignore[misc]


def test_more_objects_than_a_page_holds_are_all_seen(
    server: LastingServer, watch: Watch, namespace: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kagent_apply.cluster.watcher._PAGE", 3)
    names = []
    for number in range(8):
        value = actor_template(namespace)
        value["metadata"]["name"] = f"template-{number}"
        names.append(server.post("actortemplates", value)["metadata"]["name"])
    view, _, gate = watch(namespace=namespace)
    eventually(lambda: view.is_complete(ACTOR_TEMPLATES))
    assert sorted(found.identity.name for found in view.actor_templates()) == names
    assert gate.lists == 3


def test_a_resource_that_the_cluster_lacks_is_told_and_found_when_it_comes(watch: Watch) -> None:
    with LastingServer() as bare:
        view, events, _ = watch(HARNESSES, "", bare)
        eventually(lambda: view.state(HARNESSES, "n").sync is Sync.ABSENT)
        assert [found.kind for found in events] == [EventKind.ABSENT]
        assert "harnesses.kagent.dev" in events[0].message
        bare.define(upstream("kagent.dev_harnesses"))
        eventually(lambda: view.is_complete(HARNESSES))
        assert view.state(HARNESSES, "n").version == "v1alpha3"


def test_nobody_knows_of_worker_pools_where_the_cluster_has_none(watch: Watch) -> None:
    view, _, _ = watch(WORKER_POOLS)
    eventually(lambda: view.state(WORKER_POOLS, "n").sync is Sync.ABSENT)
    assert view.has_worker_pool("n", "pool") is None


def test_a_watch_that_is_cut_goes_on_where_it_was(
    server: LastingServer, watch: Watch, namespace: str
) -> None:
    view, events, gate = watch(namespace=namespace)
    eventually(lambda: view.is_complete(ACTOR_TEMPLATES))
    gate.cut()
    eventually(lambda: view.state(ACTOR_TEMPLATES, namespace).sync is Sync.STALE)
    assert not view.is_complete(ACTOR_TEMPLATES)
    server.post("actortemplates", actor_template(namespace))
    gate.closed = False
    eventually(lambda: view.actor_template(namespace, COORDINATOR) is not None)
    assert gate.lists == 1
    kinds = [kind for kind, _ in itertools.groupby(found.kind for found in events)]
    assert kinds == [EventKind.SYNCED, EventKind.WATCH_FAILED, EventKind.SYNCED]


def test_what_a_killed_server_had_is_kept_and_what_came_after_it_is_seen(watch: Watch) -> None:
    with LastingServer() as running:
        running.define(upstream("ate.dev_actortemplates"))
        first, second = actor_template("a"), actor_template("b")
        running.post("actortemplates", first)
        view, _, gate = watch(ACTOR_TEMPLATES, "", running)
        eventually(lambda: view.is_complete(ACTOR_TEMPLATES))
        running.kill()
        eventually(lambda: view.state(ACTOR_TEMPLATES, "a").sync is Sync.STALE)
        assert view.actor_template("a", COORDINATOR) is not None
        gate.closed = True
        running.start()
        # What happens before the watch is back is of a time that a new server remembers nothing of: 410 Gone.
        running.delete("actortemplates", first)
        running.post("actortemplates", second)
        running.kill()
        running.start()
        listed = gate.lists
        gate.closed = False
        eventually(lambda: view.actor_template("b", COORDINATOR) is not None)
        assert view.actor_template("a", COORDINATOR) is None
        assert gate.lists > listed
        eventually(lambda: view.is_complete(ACTOR_TEMPLATES))


def test_a_definition_that_goes_takes_its_objects_along(watch: Watch) -> None:
    with LastingServer() as running:
        running.define(upstream("kagent.dev_agenttemplates"))
        value = {
            "apiVersion": "kagent.dev/v1alpha3",
            "kind": "AgentTemplate",
            "metadata": {"namespace": "a", "name": "b"},
            "spec": {"modelConfig": {"name": "m"}},
        }
        running.post("agenttemplates", value)
        view, _, _ = watch(AGENT_TEMPLATES, "", running)
        eventually(lambda: view.agent_template("a", "b") is not None)
        path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/agenttemplates.kagent.dev"
        running.api.request("DELETE", path, {})
        eventually(lambda: view.agent_template("a", "b") is None)
        eventually(lambda: view.state(AGENT_TEMPLATES, "a").sync is Sync.ABSENT)


def test_bookmarks_move_a_quiet_watch_on(server: LastingServer, watch: Watch, namespace: str) -> None:
    server.post("actortemplates", actor_template(namespace))  # a server without any object sends no bookmarks
    short = Rhythm(watch=3.0, absent=0.1, first_wait=0.02, longest_wait=0.1)
    view, gate = ClusterView(), Gate(connect(server.kubeconfig))
    watcher = Watcher(gate, Scope(ACTOR_TEMPLATES, namespace), view, lambda _: None, short)
    watcher.start()
    eventually(lambda: view.is_complete(ACTOR_TEMPLATES))
    server.post("actortemplates", actor_template(f"{namespace}-other"))
    eventually(lambda: len(set(gate.resource_versions)) > 1)
    watcher.stop()
    assert watcher.join(5.0)
    assert gate.lists == 1
