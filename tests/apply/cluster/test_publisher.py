"""The status on a real API server: written once, by server-side apply, and never over another's."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from kagent_apply.cluster.committed import Committed, CommittedHarness, CommittedPair, Verdict
from kagent_apply.cluster.event import ClusterEvent, EventKind
from kagent_apply.cluster.live import read_live
from kagent_apply.cluster.publisher import Publisher
from kagent_apply.cluster.resources import AGENT_TEMPLATES, HARNESSES
from kagent_apply.cluster.view import ClusterView, Scope
from kagent_apply.cluster.watcher import Watcher
from kagent_apply.instances.requests import AgentName
from kagent_apply.revisions.port import PairStatus
from tests.apply.cluster.lasting_server import LastingServer, eventually
from tests.apply.cluster.test_watcher import FAST

pytestmark = pytest.mark.server

REVISION = "sha256:" + "1" * 64
TIMES = [f"2026-01-0{day}T00:00:00Z" for day in range(1, 10)]
CAPABILITIES = {
    "version": "2",
    "maxNativeAgentDepth": 1,
    "inputModalities": ["text"],
    **dict.fromkeys(
        ("approvals", "checkpoint", "dedicatedAgentTools", "inputRequired", "interruption"), False
    ),
    **dict.fromkeys(("mcpInjection", "nativeAgentTools", "resume", "streaming"), True),
}


def _object(kind: str, namespace: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    metadata = {"namespace": namespace, "name": name}
    return {"apiVersion": "kagent.dev/v1alpha3", "kind": kind, "metadata": metadata, "spec": spec}


@dataclass
class Scene:
    """A Harness and an AgentTemplate that are live and committed, and what watches and writes them."""

    server: LastingServer
    namespace: str
    view: ClusterView = field(default_factory=ClusterView)
    events: list[ClusterEvent] = field(default_factory=list)
    watchers: list[Watcher] = field(default_factory=list)
    verdicts: tuple[Verdict, ...] = (
        Verdict("Accepted", "True", "Accepted"),
        Verdict("Prepared", "True", "Prepared"),
    )
    harnesses: tuple[str, ...] = ("runtime",)
    uncommitted: tuple[str, ...] = ()
    problem: str = ""
    day: int = 0

    def __post_init__(self) -> None:
        image = "registry.example.com/agent@sha256:" + "0" * 64
        substrate = {"workerPoolRef": {"name": "pool"}, "snapshotPolicy": {"location": "s3://a/b"}}
        spec = {"kagent": {}, "workload": {"image": image}, "substrate": substrate}
        self.harness = _object("Harness", self.namespace, "runtime", spec)
        self.template = _object("AgentTemplate", self.namespace, "lead", {"modelConfig": {"name": "m"}})
        self.server.post("harnesses", self.harness)
        self.server.post("agenttemplates", self.template)
        for resource in (HARNESSES, AGENT_TEMPLATES):
            scope = Scope(resource, self.namespace)
            self.watchers.append(Watcher(self.server.api, scope, self.view, self.events.append, FAST))
            self.watchers[-1].start()
        eventually(lambda: all(map(self.view.is_complete, (HARNESSES, AGENT_TEMPLATES))))
        self.events.clear()
        self.digests = {
            (kind, self.namespace, name): found.spec_digest
            for kind, name, found in (
                ("Harness", "runtime", self.view.harness(self.namespace, "runtime")),
                ("AgentTemplate", "lead", self.view.agent_template(self.namespace, "lead")),
            )
            if found is not None
        }
        self.publisher = Publisher(self.server.api, self.view, self.events.append)

    def publish(self, *, may_write: bool = True) -> None:
        """One round, each a day after the one before; the view has seen all that was written before."""
        for plural, value, known in (
            ("harnesses", self.harness, self.view.harness),
            ("agenttemplates", self.template, self.view.agent_template),
        ):
            version = self.server.get(plural, value)["metadata"]["resourceVersion"]
            name = value["metadata"]["name"]
            eventually(
                lambda known=known, name=name, version=version: (  # type: ignore[misc]
                    (found := known(self.namespace, name)) is not None
                    and found.identity.resource_version == version
                )
            )
        self.publisher.publish(self._committed(), self._statuses(), TIMES[self.day], lambda: may_write)
        self.day += 1

    def status(self, plural: str) -> dict[str, Any]:
        value = self.harness if plural == "harnesses" else self.template
        return dict(self.server.get(plural, value).get("status", {}))

    def version(self) -> list[str]:
        """The versions of both objects, which any write changes."""
        found = (("harnesses", self.harness), ("agenttemplates", self.template))
        return [self.server.get(*each)["metadata"]["resourceVersion"] for each in found]

    def kinds(self) -> list[EventKind]:
        return [found.kind for found in self.events]

    def _agents(self) -> list[AgentName]:
        return [AgentName(self.namespace, harness, "lead") for harness in self.harnesses]

    def _committed(self) -> Committed:
        return Committed(
            "c" * 40,
            tuple(CommittedPair(agent, REVISION, self.verdicts) for agent in self._agents()),
            (CommittedHarness(self.namespace, "runtime", CAPABILITIES, "pool"),),
            {key: digest for key, digest in self.digests.items() if key[0] not in self.uncommitted},
            problem=self.problem,
        )

    def _statuses(self) -> dict[AgentName, PairStatus]:
        return {agent: PairStatus(agent, REVISION, REVISION, "c" * 40) for agent in self._agents()}


@pytest.fixture
def scene(server: LastingServer, namespace: str) -> Iterator[Scene]:
    found = Scene(server, namespace)
    yield found
    for watcher in found.watchers:
        watcher.stop()
    assert all(watcher.join(5.0) for watcher in found.watchers)


def test_the_status_is_written_as_the_definitions_have_it(scene: Scene) -> None:
    scene.publish()
    assert scene.status("harnesses") == {
        "observedGeneration": 1,
        "capabilities": CAPABILITIES,
        "conditions": [
            {
                "type": "Ready",
                "status": "Unknown",
                "reason": "WorkerPoolUnknown",
                "message": f"nobody can tell whether WorkerPool `{scene.namespace}/pool` is there",
                "observedGeneration": 1,
                "lastTransitionTime": TIMES[0],
            }
        ],
    }
    (entry,) = scene.status("agenttemplates")["harnesses"]
    assert (entry["harness"], entry["desiredRevision"], entry["latestSuccessfulRevision"]) == (
        "runtime",
        REVISION,
        REVISION,
    )
    told = [(found["type"], found["status"], found["reason"]) for found in entry["conditions"]]
    assert told == [("Accepted", "True", "Accepted"), ("Ready", "True", "Ready")]
    assert scene.kinds() == [EventKind.STATUS_WRITTEN] * 2


def test_the_fields_are_ours_alone(scene: Scene) -> None:
    scene.publish()
    managed = scene.server.get("harnesses", scene.harness)["metadata"]["managedFields"]
    (own,) = [found for found in managed if found.get("subresource") == "status"]
    assert (own["manager"], own["operation"]) == ("kagent-apply", "Apply")


def test_nothing_is_written_again_where_nothing_changed(scene: Scene) -> None:
    scene.publish()
    before = scene.version()
    scene.publish()
    scene.publish()
    assert scene.version() == before
    # Nor by one that begins anew.
    scene.publisher = Publisher(scene.server.api, scene.view, scene.events.append)
    scene.publish()
    assert scene.version() == before


def test_a_condition_that_changes_has_the_time_of_the_change_and_others_keep_theirs(scene: Scene) -> None:
    scene.publish()
    scene.verdicts = (scene.verdicts[0], Verdict("Prepared", "False", "LockStale", "the lock is stale"))
    scene.publish()
    (entry,) = scene.status("agenttemplates")["harnesses"]
    times = {found["type"]: found["lastTransitionTime"] for found in entry["conditions"]}
    assert times == {"Accepted": TIMES[0], "Ready": TIMES[1]}


def test_a_pair_that_is_gone_goes_from_the_status(scene: Scene) -> None:
    scene.harnesses = ("runtime", "other")
    scene.publish()
    assert len(scene.status("agenttemplates")["harnesses"]) == 2
    scene.harnesses = ("other",)
    scene.publish()
    assert [found["harness"] for found in scene.status("agenttemplates")["harnesses"]] == ["other"]


def test_the_status_of_what_is_not_committed_any_more_is_taken_back(scene: Scene) -> None:
    scene.publish()
    scene.uncommitted = ("AgentTemplate",)
    scene.publish()
    assert scene.status("agenttemplates") == {}
    assert scene.status("harnesses") != {}


def test_a_commit_that_could_not_be_read_whole_takes_nothing_back(scene: Scene) -> None:
    scene.publish()
    scene.uncommitted, scene.problem = ("AgentTemplate",), "a file cannot be read"
    scene.publish()
    assert scene.status("agenttemplates") != {}


def test_an_object_that_differs_from_the_commit_keeps_what_was_said_of_it(scene: Scene) -> None:
    scene.publish()
    edited = copy.deepcopy(dict(scene.server.get("agenttemplates", scene.template)))
    edited["spec"]["description"] = "edited by hand"
    path = f"/apis/kagent.dev/v1alpha3/namespaces/{scene.namespace}/agenttemplates/lead"
    assert scene.server.api.request("PUT", path, {}, edited).status == 200
    scene.verdicts = ()
    scene.publish()
    after = scene.server.get("agenttemplates", scene.template)
    assert (after["metadata"]["generation"], after["status"]["observedGeneration"]) == (2, 1)
    assert after["status"]["harnesses"][0]["conditions"] != []


def test_a_condition_of_another_manager_is_left_alone_and_told_once(scene: Scene) -> None:
    theirs = {
        "type": "Ready",
        "status": "False",
        "reason": "Theirs",
        "message": "",
        "lastTransitionTime": TIMES[0],
    }
    scene.server.apply_status("harnesses", scene.harness, {"conditions": [theirs]}, "controller")
    scene.publish()
    status = scene.status("harnesses")
    assert status["conditions"] == [theirs]
    assert (status["observedGeneration"], status["capabilities"]) == (1, CAPABILITIES)
    scene.publish()
    left = [found for found in scene.events if found.kind is EventKind.STATUS_LEFT]
    assert len(left) == 1
    assert "`conditions/Ready`" in left[0].message
    assert "`controller`" in left[0].message


def test_who_takes_a_field_while_we_write_keeps_it(scene: Scene) -> None:
    for watcher in scene.watchers:
        watcher.stop()
        assert watcher.join(5.0)
    after = scene.server.apply_status("harnesses", scene.harness, {"observedGeneration": 7}, "controller")
    scene.publisher.publish(scene._committed(), scene._statuses(), TIMES[0], lambda: True)
    assert scene.status("harnesses") == {"observedGeneration": 7}
    live = read_live(HARNESSES, after)
    assert live is not None
    scene.view.put(Scope(HARNESSES, scene.namespace), live)
    scene.publisher.publish(scene._committed(), scene._statuses(), TIMES[1], lambda: True)
    assert scene.status("harnesses")["observedGeneration"] == 7
    assert scene.status("harnesses")["capabilities"] == CAPABILITIES
    left = [found for found in scene.events if found.kind is EventKind.STATUS_LEFT]
    assert [found.name for found in left] == ["runtime"]


def test_a_conflict_that_nobody_foresaw_is_told_once(scene: Scene) -> None:
    known = scene.view.harness(scene.namespace, "runtime")
    assert known is not None
    for watcher in scene.watchers:
        watcher.stop()
        assert watcher.join(5.0)
    after = scene.server.apply_status("harnesses", scene.harness, {"observedGeneration": 7}, "controller")
    version = after["metadata"]["resourceVersion"]
    unaware = dataclasses.replace(
        known, identity=dataclasses.replace(known.identity, resource_version=version)
    )
    scene.view.put(Scope(HARNESSES, scene.namespace), unaware)
    for time in TIMES[:3]:
        scene.publisher.publish(scene._committed(), scene._statuses(), time, lambda: True)
    assert scene.status("harnesses")["observedGeneration"] == 7
    assert scene.status("harnesses")["capabilities"] == CAPABILITIES
    left = [found for found in scene.events if found.kind is EventKind.STATUS_LEFT]
    assert [found.name for found in left] == ["runtime"]


def test_an_object_that_took_the_name_meanwhile_is_told_nothing(scene: Scene) -> None:
    for watcher in scene.watchers:
        watcher.stop()
        assert watcher.join(5.0)
    scene.server.delete("harnesses", scene.harness)
    scene.server.post("harnesses", scene.harness)
    scene.publisher.publish(scene._committed(), scene._statuses(), TIMES[0], lambda: True)
    assert scene.status("harnesses") == {}
    assert scene.status("agenttemplates") != {}


def test_an_object_that_is_gone_is_not_made(scene: Scene) -> None:
    for watcher in scene.watchers:
        watcher.stop()
        assert watcher.join(5.0)
    scene.server.delete("harnesses", scene.harness)
    scene.publisher.publish(scene._committed(), scene._statuses(), TIMES[0], lambda: True)
    assert not scene.server.exists("harnesses", scene.harness)
    assert EventKind.STATUS_REFUSED not in scene.kinds()


def test_what_the_server_refuses_is_told_once_and_tried_again_when_there_is_something_new(
    scene: Scene,
) -> None:
    scene.verdicts = (Verdict("Accepted", "Perhaps", "Accepted"),)
    scene.publish()
    scene.publish()
    refused = [found for found in scene.events if found.kind is EventKind.STATUS_REFUSED]
    assert [found.name for found in refused] == ["lead"]
    assert scene.status("agenttemplates") == {}
    scene.verdicts = (Verdict("Accepted", "True", "Accepted"),)
    scene.publish()
    assert scene.status("agenttemplates") != {}


def test_who_does_not_lead_writes_nothing(scene: Scene) -> None:
    scene.publish(may_write=False)
    assert (scene.status("harnesses"), scene.status("agenttemplates")) == ({}, {})
