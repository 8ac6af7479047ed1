"""A revision of custom resources serves when the cluster has all of them as committed, and ready."""

from __future__ import annotations

import dataclasses
from typing import Any, cast

import pytest

from kagent_apply.cluster.live import Readiness
from kagent_apply.cluster.readiness import ClusterCompute
from kagent_apply.cluster.resources import ACTOR_TEMPLATES
from kagent_apply.cluster.view import ClusterView, Scope, ScopeState, Sync
from kagent_apply.instances.requests import AgentName
from kagent_apply.substrate.port import ActorName, Compute, ComputeRefusedError
from tests.apply.cluster.neighbours import revision_of
from tests.apply.cluster.objects import NAMESPACE, live_template

REVISION = revision_of(AgentName(NAMESPACE, "runtime", "agent"), "root", "reviewer")
SCOPE = Scope(ACTOR_TEMPLATES, NAMESPACE)


class Inner:
    """The Compute behind it: says whether it is ready, and keeps what it was asked."""

    def __init__(self, *, ready: bool = True) -> None:
        self.ready = ready
        self.calls: list[str] = []

    def __getattr__(self, name: str) -> Any:
        def call(*_: object, **__: object) -> Any:
            self.calls.append(name)
            return self.ready

        return call


def _prepare(*live: Any, ready: bool = True, target: str = REVISION.target) -> bool:
    view = ClusterView()
    view.replace(SCOPE, live)
    compute = ClusterCompute(cast("Compute", Inner(ready=ready)), view)
    return compute.prepare(dataclasses.replace(REVISION, target=target), 1.0)


def _live(name: str, readiness: Readiness = Readiness.READY, digest: str = "sha256:0", **fields: Any) -> Any:
    found = live_template(name, **fields)
    return dataclasses.replace(found, readiness=readiness, spec_digest=digest)


@pytest.mark.parametrize(
    ("live", "is_ready"),
    [
        ((), False),
        ((_live("root"),), False),
        ((_live("root"), _live("reviewer")), True),
        ((_live("root"), _live("reviewer", Readiness.PENDING)), False),
        ((_live("root"), _live("reviewer", deleting=True)), False),
        ((_live("root"), _live("reviewer", is_ours=False)), True),
        ((_live("root"), _live("reviewer", namespace="other")), False),
    ],
)
def test_all_have_to_be_there_and_ready(live: tuple[Any, ...], is_ready: bool) -> None:
    assert _prepare(*live) is is_ready


@pytest.mark.parametrize(
    ("live", "said"),
    [
        ((_live("root", digest="sha256:1"), _live("reviewer")), "root` in the cluster is not the one"),
        ((_live("reviewer", digest=""),), "reviewer` in the cluster is not the one"),
        ((_live("root"), _live("reviewer", Readiness.FAILED)), "reviewer` in the cluster has failed"),
        # Of two reasons it says the one about which template it is.
        ((_live("root", Readiness.FAILED, "sha256:1"),), "root` in the cluster is not the one"),
    ],
)
def test_one_that_never_will_be_is_refused(live: tuple[Any, ...], said: str) -> None:
    with pytest.raises(ComputeRefusedError) as caught:
        _prepare(*live)
    assert said in caught.value.message
    assert caught.value.hint


def test_the_compute_behind_has_to_be_ready_too() -> None:
    assert not _prepare(_live("root"), _live("reviewer"), ready=False)


def test_other_targets_are_not_the_cluster_s_to_decide() -> None:
    assert _prepare(target="ateapi/v0.4")


def test_what_was_seen_counts_while_the_api_server_is_away() -> None:
    view = ClusterView()
    view.replace(SCOPE, [_live("root"), _live("reviewer")])
    view.tell(SCOPE, ScopeState(Sync.WATCHED, "v1alpha1"))
    view.stale(SCOPE, "the API server does not answer")
    assert ClusterCompute(cast("Compute", Inner()), view).prepare(REVISION, 1.0)


def test_what_the_compute_behind_never_runs_is_refused_at_once() -> None:
    class Refusing(Inner):
        def check(self, revision: object) -> None:
            raise ComputeRefusedError("it has no command", "render it again")

    with pytest.raises(ComputeRefusedError):
        ClusterCompute(cast("Compute", Refusing()), ClusterView()).check(REVISION)
    ClusterCompute(cast("Compute", object()), ClusterView()).check(REVISION)  # one that cannot tell


def test_all_else_is_asked_of_the_compute_behind() -> None:
    inner: Any = Inner()
    compute: Compute = ClusterCompute(inner, ClusterView())
    actor: Any = None
    name, member = ActorName("a", "b"), REVISION.members[0]
    compute.actor(name, 1.0)
    compute.create(name, member, 1.0)
    compute.restrict(actor, member, 1.0)
    compute.resume(actor, 1.0)
    compute.suspend(actor, 1.0)
    compute.delete(actor, 1.0)
    compute.delete_template("a", "b", 1.0)
    compute.ping(1.0)
    compute.close()
    methods = [
        "actor",
        "create",
        "restrict",
        "resume",
        "suspend",
        "delete",
        "delete_template",
        "ping",
        "close",
    ]
    assert inner.calls == methods
