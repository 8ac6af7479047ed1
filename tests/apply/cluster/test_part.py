"""All of it together: a repository, a cluster that has what it says, and two replicas of the service."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
import yaml

from kagent_apply.cli.server.commit_check import CommitCheck
from kagent_apply.cluster.api import Reply, Stream
from kagent_apply.cluster.collector import Deletion
from kagent_apply.cluster.connection import KubernetesApi, connect
from kagent_apply.cluster.event import ClusterEvent, EventKind
from kagent_apply.cluster.leadership import LeaseLeadership, LeaseName
from kagent_apply.cluster.part import ClusterPart, Conduct
from kagent_apply.cluster.view import ClusterView
from kagent_apply.instances.requests import AgentName
from kagent_apply.store.port import Store
from tests.apply.cluster.lasting_server import LastingServer, eventually
from tests.apply.cluster.neighbours import MemoryRevisions, MemoryStore, revision_of
from tests.apply.cluster.objects import COORDINATOR, NAMESPACE, actor_template
from tests.apply.cluster.test_commit_check import commit
from tests.apply.cluster.test_watcher import FAST
from tests.apply.cluster.variants import variant
from tests.cluster.definitions import ours, upstream
from tests.parts import REPOSITORY
from tests.running import copy_example

pytestmark = pytest.mark.server

AGENT = AgentName(NAMESPACE, "python-runtime", "incident-coordinator")
_PLURALS = {"Harness": "harnesses", "AgentTemplate": "agenttemplates"}
_POOLS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "workerpools.ate.dev"},
    "spec": {
        "group": "ate.dev",
        "names": {
            "kind": "WorkerPool",
            "listKind": "WorkerPoolList",
            "plural": "workerpools",
            "singular": "workerpool",
        },
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1alpha1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                },
            }
        ],
    },
}


@pytest.fixture(scope="module")
def proposal() -> Iterator[LastingServer]:
    """A server that serves the version of the example."""
    with LastingServer() as running:
        for definition in ours("v1alpha2"):
            running.define(definition)
        running.define(upstream("ate.dev_actortemplates"))
        running.define(_POOLS)
        running.define_leases()
        yield running


@pytest.fixture
def incident(tmp_path: Path) -> Path:
    """The example, committed."""
    folder = copy_example(tmp_path / "incident")
    commit(folder)
    return folder


def _manifests(folder: Path) -> list[dict[str, Any]]:
    documents = [
        value
        for path in sorted((folder / "agents").glob("*.yaml"))
        for value in yaml.safe_load_all(path.read_text())
    ]
    return [value for value in documents if value["kind"] in _PLURALS]


class Recorded:
    """An Api in front of another, which keeps what was asked as Kubernetes' rules name it."""

    _VERBS: ClassVar = {"POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}

    def __init__(self, api: KubernetesApi) -> None:
        self._api = api
        self.asked: set[tuple[str, str, str]] = set()

    def request(
        self,
        method: str,
        path: str,
        query: Mapping[str, str],
        body: Mapping[str, Any] | None = None,
        content_type: str = "application/json",
    ) -> Reply:
        _, _, group, _, _, _, resource, *name = path.split("/")
        verb = self._VERBS.get(method, "get" if name else "list")
        self.asked.add((group, "/".join([resource, *name[1:]]), verb))
        return self._api.request(method, path, query, body, content_type)

    def stream(self, path: str, query: Mapping[str, str], seconds: float) -> Stream | Reply:
        self.asked.add((path.split("/")[2], path.rpartition("/")[2], "watch"))
        return self._api.stream(path, query, seconds)

    def close(self) -> None:
        self._api.close()


class Replica:
    """A part with all around it, and what it told."""

    def __init__(self, server: LastingServer, folder: Path, name: str) -> None:
        self.view = ClusterView()
        self.events: list[ClusterEvent] = []
        self.store = MemoryStore()
        self.revisions = MemoryRevisions({AGENT: revision_of(AGENT, COORDINATOR)})
        self.api = Recorded(connect(server.kubeconfig))
        lease = LeaseName(NAMESPACE, "kagent-apply", name)
        self.part = ClusterPart(
            self.api,
            self.view,
            self.revisions,
            cast("Store", self.store),
            CommitCheck(folder, "main"),
            self.events.append,
            Conduct(deletion=Deletion(grace=0.3), interval=0.1, pause=0.02, rhythm=FAST),
            leadership=LeaseLeadership(self.api, lease, self.events.append),
        )

    def told(self, kind: EventKind) -> list[str]:
        """The names of the objects about which something was told."""
        return [found.name for found in self.events if found.kind is kind]


@contextlib.contextmanager
def _running(*replicas: Replica) -> Iterator[None]:
    for replica in replicas:
        replica.part.start()
    try:
        yield
    finally:
        ended = [replica.part.close(60) for replica in replicas]
        for replica in replicas:
            replica.api.close()
    assert all(ended)


def _conditions(server: LastingServer, value: dict[str, Any]) -> dict[str, tuple[str, str]]:
    """The conditions of a Harness, or of the one pair of an AgentTemplate."""
    status = server.get(_PLURALS[value["kind"]], value).get("status", {})
    if value["kind"] == "AgentTemplate":
        status = (status.get("harnesses") or [{}])[0]
    return {found["type"]: (found["status"], found["reason"]) for found in status.get("conditions", ())}


def _documented() -> set[tuple[str, str, str]]:
    """What the page asks for, but reading an object whose status somebody took meanwhile."""
    page = (REPOSITORY / "docs" / "cluster.md").read_text()
    role = yaml.safe_load(page.partition("```yaml\n")[2].partition("```")[0])
    return {
        (group, resource, verb)
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for verb in rule["verbs"]
        if verb != "get" or resource == "leases"
    }


def test_the_page_names_every_event() -> None:
    page = (REPOSITORY / "docs" / "cluster.md").read_text()
    told = page.partition("Every step is an event: ")[2].partition(".")[0]
    assert {name.strip(" `\n") for name in told.split(",")} == set(EventKind)


GOOD = {
    "Accepted": ("True", "Accepted"),
    "ResolvedRefs": ("True", "Resolved"),
    "Compatible": ("True", "Compatible"),
    "Prepared": ("True", "Prepared"),
}


def test_a_cluster_is_told_what_the_ref_says_and_rid_of_what_nothing_names(
    proposal: LastingServer, incident: Path
) -> None:
    manifests = _manifests(incident)
    for value in manifests:
        proposal.post(_PLURALS[value["kind"]], value)
    harness, coordinator, *_ = sorted(manifests, key=lambda value: value["kind"] == "AgentTemplate")
    assert (harness["kind"], coordinator["metadata"]["name"]) == ("Harness", "incident-coordinator")
    named, old, needed, foreign = actor_template(), variant(digit="1"), variant(digit="2"), variant(digit="3")
    del foreign["metadata"]["labels"]
    for value in (named, old, needed, foreign):
        proposal.post("actortemplates", value)

    replica, other = Replica(proposal, incident, "a"), Replica(proposal, incident, "b")
    for each in (replica, other):
        each.store.needed = {NAMESPACE: [needed["metadata"]["name"]]}
    with _running(replica, other):
        for value in manifests:
            if value["kind"] == "AgentTemplate":
                eventually(lambda value=value: _conditions(proposal, value) == GOOD)  # type: ignore[misc]
        eventually(lambda: _conditions(proposal, harness) == {"Ready": ("False", "WorkerPoolNotFound")})
        pool = {"namespace": NAMESPACE, "name": "shared-pool"}
        proposal.post(
            "workerpools", {"apiVersion": "ate.dev/v1alpha1", "kind": "WorkerPool", "metadata": pool}
        )
        eventually(lambda: _conditions(proposal, harness) == {"Ready": ("True", "Ready")})

        eventually(lambda: not proposal.exists("actortemplates", old))
        assert all(proposal.exists("actortemplates", value) for value in (named, needed, foreign))

        edited = incident / "agents" / "incident-coordinator.yaml"
        edited.write_text(edited.read_text().replace("Coordinate the", "Lead the"))
        commit(incident)
        path = f"/apis/kagent.dev/v1alpha2/namespaces/{NAMESPACE}/agenttemplates/incident-coordinator"
        live = dict(proposal.get("agenttemplates", coordinator))
        live["spec"] = yaml.safe_load(edited.read_text())["spec"]
        assert proposal.api.request("PUT", path, {}, live).status == 200
        stale = {**GOOD, "Prepared": ("False", "LockStale")}
        eventually(lambda: _conditions(proposal, coordinator) == stale)
        assert proposal.get("agenttemplates", coordinator)["status"]["observedGeneration"] == 2

    assert replica.api.asked | other.api.asked == _documented()

    leading = [each for each in (replica, other) if each.told(EventKind.STATUS_WRITTEN)]
    assert len(leading) == 1  # the other only watched
    assert leading[0].told(EventKind.TEMPLATE_DELETED) == [old["metadata"]["name"]]
    assert not leading[0].told(EventKind.FAILED)
    pinned = leading[0].view.harness(NAMESPACE, "python-runtime")
    assert pinned is not None
    assert leading[0].view.harness_pin(NAMESPACE, "python-runtime", pinned.spec_digest) is not None


def test_a_ref_that_goes_stops_deletion_until_it_is_back(proposal: LastingServer, incident: Path) -> None:
    old = variant(digit="4")
    replica = Replica(proposal, incident, "c")
    (incident / ".git").rename(incident / "gone")
    with _running(replica):
        eventually(lambda: EventKind.DELETION_HELD in {found.kind for found in replica.events})
        proposal.post("actortemplates", old)
        eventually(lambda: replica.view.actor_template(NAMESPACE, old["metadata"]["name"]) is not None)
        assert proposal.exists("actortemplates", old)
        (incident / "gone").rename(incident / ".git")
        eventually(lambda: not proposal.exists("actortemplates", old))
    kinds = [found.kind for found in replica.events]
    assert kinds.index(EventKind.DELETION_HELD) < kinds.index(EventKind.TEMPLATE_DELETED)
    assert kinds.count(EventKind.DELETION_HELD) == 1


def test_a_part_ends_while_the_server_is_away(incident: Path) -> None:
    with LastingServer() as running:
        replica = Replica(running, incident, "d")
        with _running(replica):
            eventually(lambda: bool(replica.events))
            running.kill()
            eventually(lambda: EventKind.FAILED in {found.kind for found in replica.events})


def test_a_part_without_a_server_tells_so_and_goes_on(incident: Path) -> None:
    with LastingServer() as running:
        running.kill()
        replica = Replica(running, incident, "e")
        with _running(replica):
            eventually(lambda: EventKind.FAILED in {found.kind for found in replica.events})
            running.start()
            eventually(lambda: EventKind.ABSENT in {found.kind for found in replica.events})
