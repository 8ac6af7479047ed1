"""What is said of a Harness and of an AgentTemplate, and when there is nothing to say."""

from __future__ import annotations

from typing import Any

import pytest

from kagent_apply.cluster.committed import CommittedHarness, CommittedPair, Verdict
from kagent_apply.cluster.ownership import EVERYTHING, Owners
from kagent_apply.cluster.publication import harness_pieces, publication, template_pieces
from kagent_apply.cluster.status_pieces import Pieces, joined
from kagent_apply.instances.requests import AgentName
from kagent_apply.revisions.port import PairStatus
from tests.apply.cluster.objects import live_object

EARLIER, NOW = "2026-01-01T00:00:00Z", "2026-02-02T00:00:00Z"
AGENT = AgentName("agent-team", "runtime", "lead")
REVISION = "sha256:" + "1" * 64
GOOD = (
    Verdict("Accepted", "True", "Accepted"),
    Verdict("ResolvedRefs", "True", "Resolved"),
    Verdict("Compatible", "True", "Compatible"),
    Verdict("Prepared", "True", "Prepared"),
)
STALE = (*GOOD[:3], Verdict("Prepared", "False", "LockStale", "the lock is stale"))


def _harness(fault: tuple[str, str] | None = None) -> CommittedHarness:
    return CommittedHarness("agent-team", "runtime", {"version": "1"}, "pool", fault)


def _pair(verdicts: tuple[Verdict, ...] = GOOD, revision: str = REVISION) -> CommittedPair:
    return CommittedPair(AGENT, revision, verdicts)


def _status(serving: str = REVISION, problem: str = "") -> PairStatus:
    return PairStatus(AGENT, serving, REVISION, "c" * 40, problem)


@pytest.mark.parametrize(
    ("fault", "has_pool", "expected"),
    [
        (None, True, ("True", "Ready", "")),
        (None, False, ("False", "WorkerPoolNotFound", "WorkerPool `agent-team/pool` is not there")),
        (
            None,
            None,
            ("Unknown", "WorkerPoolUnknown", "nobody can tell whether WorkerPool `agent-team/pool` is there"),
        ),
        (("ConfigInvalid", "no image"), True, ("False", "ConfigInvalid", "no image")),
        (("ConfigInvalid", "no image"), False, ("False", "ConfigInvalid", "no image")),
    ],
)
def test_a_harness_is_ready_with_an_image_a_record_and_a_worker_pool(
    fault: tuple[str, str] | None, has_pool: bool | None, expected: tuple[str, str, str]
) -> None:
    pieces = harness_pieces(live_object("runtime", generation=4), _harness(fault), has_pool, NOW)
    status, reason, message = expected
    assert pieces["conditions", "Ready"] == {
        "type": "Ready",
        "status": status,
        "reason": reason,
        "message": message,
        "observedGeneration": 4,
        "lastTransitionTime": NOW,
    }
    assert pieces[("observedGeneration",)] == 4
    assert pieces[("capabilities",)] == {"version": "1"}


@pytest.mark.parametrize(
    ("version", "pair", "status", "expected"),
    [
        ("v1alpha2", _pair(), _status(), ("Prepared", "True", "Prepared")),
        ("v1alpha2", _pair(), None, ("Prepared", "True", "Prepared")),
        ("v1alpha2", _pair(STALE), _status(), ("Prepared", "False", "LockStale")),
        ("v1alpha3", _pair(), _status(), ("Ready", "True", "Ready")),
        ("v1alpha3", _pair(), _status("sha256:old"), ("Ready", "False", "ActorTemplatePending")),
        ("v1alpha3", _pair(), _status("", "not ready"), ("Ready", "False", "ActorTemplatePending")),
        ("v1alpha3", _pair(), None, ("Ready", "False", "ActorTemplatePending")),
        ("v1alpha3", _pair(STALE), _status(), ("Ready", "False", "LockStale")),
    ],
)
def test_the_last_condition_of_a_pair_is_that_of_the_version(
    version: str, pair: CommittedPair, status: PairStatus | None, expected: tuple[str, str, str]
) -> None:
    entry = template_pieces(live_object("lead", version=version), [(pair, status)], NOW)[
        "harnesses", "runtime"
    ]
    *first, last = entry["conditions"]
    assert [found["type"] for found in first] == ["Accepted", "ResolvedRefs", "Compatible"]
    assert (last["type"], last["status"], last["reason"]) == expected


def test_a_pair_says_what_was_committed_and_what_serves() -> None:
    entry = template_pieces(live_object("lead"), [(_pair(), _status("sha256:old"))], NOW)[
        "harnesses", "runtime"
    ]
    assert (entry["desiredRevision"], entry["latestSuccessfulRevision"]) == (REVISION, "sha256:old")


def test_a_pair_without_a_revision_has_one_that_stands_for_the_attempt() -> None:
    def desired(**fields: Any) -> str:
        live = live_object("lead", **fields)
        entry = template_pieces(live, [(_pair(STALE, ""), None)], NOW)["harnesses", "runtime"]
        assert "latestSuccessfulRevision" not in entry
        return str(entry["desiredRevision"])

    assert desired().startswith("sha256:")
    assert desired() == desired()
    assert len({desired(), desired(uid="other"), desired(generation=2)}) == 3


def test_a_message_is_no_longer_than_the_definition_allows() -> None:
    long = Verdict("Accepted", "False", "NotIncluded", "x" * 100_000)
    entry = template_pieces(live_object("lead"), [(_pair((long,)), None)], NOW)["harnesses", "runtime"]
    assert len(entry["conditions"][0]["message"]) == 32_768


@pytest.mark.parametrize(
    ("status", "since"),
    [("True", EARLIER), ("False", NOW), ("Unknown", NOW), (None, NOW)],
)
def test_a_condition_keeps_its_time_until_its_status_changes(status: str | None, since: str) -> None:
    before = {"type": "Ready", "status": status, "reason": "Other", "lastTransitionTime": EARLIER}
    live = live_object("runtime", {("conditions", "Ready"): before})
    assert harness_pieces(live, _harness(), True, NOW)["conditions", "Ready"]["lastTransitionTime"] == since


@pytest.mark.parametrize(
    "before", [None, 5, "x", [], {}, {"type": "Ready", "status": "True", "lastTransitionTime": 5}]
)
def test_a_condition_of_another_shape_has_no_time(before: Any) -> None:
    live = live_object("runtime", {("conditions", "Ready"): before})
    assert harness_pieces(live, _harness(), True, NOW)["conditions", "Ready"]["lastTransitionTime"] == NOW


def _published(**owners: Any) -> Any:
    bare = live_object("runtime")
    wanted = harness_pieces(bare, _harness(), True, EARLIER)
    live = live_object("runtime", dict(wanted), Owners(frozenset(wanted), **owners))
    return live, harness_pieces(live, _harness(), True, NOW)


def test_nothing_is_written_where_nothing_changed() -> None:
    live, wanted = _published()
    assert not publication(live, wanted).is_due


@pytest.mark.parametrize(
    "change",
    [
        {("observedGeneration",): 0},
        {("capabilities",): {"version": "2"}},
        {("capabilities",): None},
        {("conditions", "Ready"): {"type": "Ready", "status": "False"}},
        {("conditions", "Ready"): "nonsense"},
    ],
)
def test_what_differs_is_written(change: dict[Any, Any]) -> None:
    live, wanted = _published()
    live.status.update(change)
    assert publication(live, wanted).is_due


def test_what_is_ours_and_not_wanted_any_more_goes() -> None:
    live = live_object("lead", {}, Owners(frozenset({("harnesses", "gone"), ("observedGeneration",)})))
    live.status["observedGeneration",] = 1
    found = publication(live, template_pieces(live, [], NOW))
    assert found.is_due
    assert joined(found.pieces) == {"observedGeneration": 1}


def test_an_order_of_conditions_that_a_server_chose_is_no_difference() -> None:
    live = live_object("lead")
    wanted = template_pieces(live, [(_pair(), _status())], NOW)
    kept = dict(wanted)
    entry = kept["harnesses", "runtime"]
    kept["harnesses", "runtime"] = {**entry, "conditions": entry["conditions"][::-1]}
    assert not publication(live_object("lead", kept, Owners(frozenset(wanted))), wanted).is_due


@pytest.mark.parametrize(
    ("others", "left"),
    [
        ({("conditions", "Ready"): "controller"}, {("conditions", "Ready")}),
        (
            {("capabilities",): "controller", ("observedGeneration",): "x"},
            {("capabilities",), ("observedGeneration",)},
        ),
        ({("conditions", "Other"): "controller"}, set()),
        (
            {EVERYTHING: "controller"},
            {("conditions", "Ready"), ("capabilities",), ("observedGeneration",)},
        ),
    ],
)
def test_what_another_manager_owns_is_left_alone(others: dict[Any, str], left: set[Any]) -> None:
    live = live_object("runtime", {}, Owners(frozenset(), others))
    wanted = harness_pieces(live, _harness(), True, NOW)
    found = publication(live, wanted)
    assert set(found.left) == left
    assert set(found.pieces) == set(wanted) - left
    assert found.is_due is bool(found.pieces)


def test_the_status_has_its_lists_in_the_order_of_their_keys() -> None:
    entries: Pieces = {("harnesses", name): {"harness": name} for name in ("b", "c", "a")}
    assert joined({**entries, ("observedGeneration",): 1}) == {
        "observedGeneration": 1,
        "harnesses": [{"harness": "a"}, {"harness": "b"}, {"harness": "c"}],
    }
