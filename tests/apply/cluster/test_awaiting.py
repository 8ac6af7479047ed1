"""Whoever waits for ActorTemplates hears of what matters, and of nothing else."""

from __future__ import annotations

import dataclasses
import queue

import pytest

from kagent_apply.cluster.awaiting import TemplateWatch
from kagent_apply.cluster.live import Readiness
from kagent_apply.cluster.resources import ACTOR_TEMPLATES
from kagent_apply.cluster.view import ClusterView, Scope
from tests.apply.cluster.objects import NAMESPACE, live_template

SCOPE = Scope(ACTOR_TEMPLATES, NAMESPACE)
PENDING = dataclasses.replace(live_template("root"), readiness=Readiness.PENDING)


@pytest.mark.parametrize(
    ("later", "matters"),
    [
        ([live_template("root")], True),
        ([], True),
        ([PENDING, live_template("reviewer")], True),
        ([dataclasses.replace(PENDING, spec_digest="sha256:1")], True),
        ([dataclasses.replace(PENDING, identity=live_template("root", deleting=True).identity)], True),
        (
            [dataclasses.replace(PENDING, identity=live_template("root", resource_version="2").identity)],
            False,
        ),
    ],
)
def test_a_change_is_told_where_it_matters(later: list[object], matters: bool) -> None:
    view, told = ClusterView(), queue.SimpleQueue[str]()
    watch = TemplateWatch(view, lambda: told.put("changed"), pause=0.0)
    watch.start()
    try:
        view.replace(SCOPE, [PENDING])
        assert told.get(timeout=60)
        view.replace(SCOPE, later)  # type: ignore[arg-type]
        if not matters:
            view.replace(SCOPE, [live_template("other")])  # what comes next is the first that is told
        assert told.get(timeout=60)
    finally:
        assert watch.close(60)
    assert told.empty()
