"""By which settings a cluster is reached, who writes to it, and what."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from kagent_apply.cli.server.cluster_opening import Cluster, Reached, conduct, lease_of, reached_by
from kagent_apply.cluster.collector import Deletion
from kagent_apply.cluster.event import EventKind
from kagent_apply.cluster.resources import ACTOR_TEMPLATES
from kagent_apply.cluster.view import ClusterView, Scope, ScopeState, Sync
from kagent_apply.instances.requests import AgentName
from kagent_apply.observability.cluster_lines import CLUSTER_LINES
from kagent_apply.revisions.events import CommitRead, Event, RefProblem, RevisionServes
from kagent_apply.settings.model import Settings

if TYPE_CHECKING:
    from kagent_apply.cluster.api import Api

AGENT = AgentName("team", "python", "triage")

HOME = Path("/home/ann")
USUAL = HOME / ".kube" / "config"
IN_POD = {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}


def settings(**given: Any) -> Settings:
    """Settings with a cluster."""
    return Settings(cluster=True, **given)


@pytest.fixture
def account(tmp_path: Path) -> Path:
    """What Kubernetes mounts for a service account."""
    (tmp_path / "token").write_text("secret")
    (tmp_path / "namespace").write_text("kagent\n")
    return tmp_path


@pytest.mark.parametrize(
    ("given", "environment", "expected"),
    [
        ({}, {}, Reached(USUAL)),
        ({}, {"KUBECONFIG": "/k"}, Reached(Path("/k"))),
        ({}, IN_POD, Reached(None, "kagent")),
        ({}, {**IN_POD, "KUBECONFIG": "/k"}, Reached(None, "kagent")),
        ({"kubeconfig": "/mine"}, {**IN_POD, "KUBECONFIG": "/k"}, Reached(Path("/mine"))),
        ({"kube_context": "other"}, IN_POD, Reached(USUAL)),
    ],
)
def test_a_cluster_is_reached_by(
    given: dict[str, Any], environment: dict[str, str], expected: Reached, account: Path
) -> None:
    assert reached_by(settings(**given), environment, account, HOME) == expected


def test_without_a_token_a_pod_is_none(tmp_path: Path) -> None:
    assert reached_by(settings(), IN_POD, tmp_path, HOME) == Reached(USUAL)


@pytest.mark.parametrize(
    ("given", "own_namespace", "expected"),
    [
        ({}, "", None),
        ({}, "kagent", ("kagent", "kagent-apply")),
        ({"cluster_lease": "ops/one"}, "", ("ops", "one")),
        ({"cluster_lease": "ops/one"}, "kagent", ("ops", "one")),
        ({"cluster_lease": "ops/one", "cluster_writes": "nothing"}, "kagent", None),
    ],
)
def test_the_lease_is(given: dict[str, Any], own_namespace: str, expected: tuple[str, str] | None) -> None:
    found = lease_of(settings(**given), own_namespace)
    assert (found and (found.namespace, found.name)) == expected


def test_two_processes_of_one_machine_hold_a_lease_apart() -> None:
    one, other = (lease_of(settings(), "kagent") for _ in range(2))
    assert one is not None
    assert other is not None
    assert one.holder != other.holder
    assert re.fullmatch(r".+-[0-9a-f]{8}", one.holder)


@pytest.mark.parametrize(
    ("writes", "publishes", "deletes"),
    [("all", True, True), ("status", True, False), ("nothing", False, False)],
)
def test_what_is_written_is_what_was_asked_for(writes: str, publishes: bool, deletes: bool) -> None:
    found = conduct(settings(cluster_writes=writes))
    assert (found.publishes, found.deletion is not None) == (publishes, deletes)
    assert found.writes is publishes


def test_grace_and_namespaces_reach_what_deletes() -> None:
    found = conduct(settings(cluster_grace=2, cluster_own="a, b", cluster_everywhere=True))
    assert found.deletion is not None
    assert found.deletion == Deletion(2.0, owned=frozenset({"a", "b"}))
    assert found.everywhere
    assert found.interval <= 2


def _cluster(view: ClusterView) -> Cluster:
    return Cluster(cast("Api", None), view, lambda _: None, None)


@pytest.mark.parametrize(
    ("states", "told"),
    [
        ([], ""),
        ([ScopeState(Sync.WATCHED, "v1alpha1")], ""),
        ([ScopeState(Sync.ABSENT)], ""),
        ([ScopeState(Sync.PENDING)], ""),
        ([ScopeState(Sync.STALE, "v1alpha1", "no answer")], "`actortemplates.ate.dev`: no answer"),
        ([ScopeState(Sync.STALE, problem="no answer")] * 3, "`actortemplates.ate.dev`: no answer"),
    ],
)
def test_what_cannot_be_watched_is_told_once(states: list[ScopeState], told: str) -> None:
    view = ClusterView()
    for place, state in enumerate(states):
        view.tell(Scope(ACTOR_TEMPLATES, f"team-{place}"), state)
    assert _cluster(view).problem() == told


@pytest.mark.parametrize(
    ("event", "looks"),
    [
        (CommitRead("c", 1), True),
        (RevisionServes(AGENT, "r", "c"), True),
        (RefProblem("gone"), False),
    ],
)
def test_another_commit_or_revision_has_the_cluster_looked_at(event: Event, looks: bool) -> None:
    view, told = ClusterView(), list[Event]()
    seen = view.wait(-1, 0)
    _cluster(view).hearing(told.append)(event)
    assert told == [event]
    assert (view.wait(seen, 0) != seen) is looks


def test_every_event_has_a_line_of_its_own() -> None:
    assert CLUSTER_LINES.keys() == set(EventKind)
    assert len({told for _, told in CLUSTER_LINES.values()}) == len(CLUSTER_LINES)
