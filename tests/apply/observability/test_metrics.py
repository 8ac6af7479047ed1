"""What is counted, and how many series there can be."""

from __future__ import annotations

import re
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_apply.instances.requests import AgentName, InstanceName
from kagent_apply.instances.states import Operation, State
from kagent_apply.observability.audit_metrics import AuditMetrics
from kagent_apply.observability.bounded_names import OTHER, BoundedNames
from kagent_apply.observability.instance_metrics import FRESH, InstanceMetrics
from kagent_apply.observability.pair_metrics import MOST_PAIRS, PairMetrics
from kagent_apply.observability.reports import Reports
from kagent_apply.store.port import StoreError
from tests.apply.observability.pairs import Index, pair
from tests.apply.observability.scraping import new_metrics, scraped, value
from tests.docs.markdown import page, sections

_CREATE = "kagent.api.v1alpha1.AgentInstanceService", "CreateAgentInstance"
_INSTANCE = InstanceName("team", "0b9c2f6e-5d8a-4a8e-a0b4-4f9a52b7e9aa")


def test_an_rpc_is_counted_by_its_status_and_timed_by_its_method() -> None:
    metrics = new_metrics()
    service, method = _CREATE
    for code, seconds in (("OK", 0.04), ("OK", 3.0), ("UNAVAILABLE", 100.0)):
        metrics.rpc_began()
        metrics.rpc(f"/{service}/{method}", code, seconds)
    metrics.rpc_began()
    found = scraped(metrics.registry)
    assert value(found, "rpcs_total", service=service, method=method, code="OK") == 2
    assert value(found, "rpcs_total", service=service, method=method, code="UNAVAILABLE") == 1
    assert value(found, "rpc_seconds_bucket", service=service, method=method, le="0.05") == 1
    assert value(found, "rpc_seconds_bucket", service=service, method=method, le="5.0") == 2
    assert value(found, "rpc_seconds_count", service=service, method=method) == 3
    assert value(found, "rpcs_under_way") == 1


def test_an_operation_is_told_from_its_steps() -> None:
    metrics = new_metrics()
    reports = Reports(metrics)
    reports.operation(Operation.CREATE, _INSTANCE, "resume", 0.5, "done")
    reports.operation(Operation.CREATE, _INSTANCE, "whole", 2.0, "done")
    reports.operation(Operation.DELETE, _INSTANCE, "whole", 2.0, "unavailable")
    found = scraped(metrics.registry)
    assert value(found, "operation_steps_total", operation="CREATE", step="resume", outcome="done") == 1
    assert value(found, "operation_step_seconds_sum", operation="CREATE", step="resume") == 0.5
    assert value(found, "operations_total", operation="CREATE", outcome="done") == 1
    assert value(found, "operations_total", operation="DELETE", outcome="unavailable") == 1
    assert value(found, "operation_seconds_sum", operation="CREATE") == 2.0


def test_what_others_tell_of_is_counted() -> None:
    metrics = new_metrics()
    lost = [0]
    metrics.registry.register(AuditMetrics(lambda: lost[0]))
    reports = Reports(metrics)
    assert value(scraped(metrics.registry), "ref_read_timestamp_seconds") == 0
    reports.lease_taken_over(_INSTANCE)
    reports.ref_read()
    lost[0] = 7
    found = scraped(metrics.registry)
    assert value(found, "leases_taken_over_total") == 1
    assert value(found, "audit_write_failures_total") == 7
    assert (value(found, "ref_read_timestamp_seconds") or 0) > 1_700_000_000
    assert value(found, "build_info", version="1.2.3") == 1


class Counted:
    """A store that counts, and is counted; `down` is what it raises."""

    def __init__(self) -> None:
        self.asked = 0
        self.down: Exception | None = None
        self.states: dict[State, int] = {}

    def counts(self) -> dict[State, int]:
        self.asked += 1
        if self.down is not None:
            raise self.down
        return self.states


def test_instances_are_counted_by_state_and_not_at_every_reading() -> None:
    metrics, store, now = new_metrics(), Counted(), [100.0]
    metrics.registry.register(InstanceMetrics(store.counts, lambda: now[0]))
    store.states = {State.READY: 2, State.FAILED: 1}
    for _ in range(3):
        found = scraped(metrics.registry)
        assert [value(found, "instances", state=state.name) for state in State] == [0, 2, 0, 1, 0, None]
    assert store.asked == 1
    store.down = StoreError("the store does not answer")
    now[0] += FRESH
    found = scraped(metrics.registry)
    assert value(found, "instances", state="READY") is None
    assert value(found, "build_info", version="1.2.3") == 1, "the other metrics are there"


@pytest.mark.parametrize(
    ("serving", "committed", "problem", "state"),
    [
        ("r2", "r2", "", "serving"),
        ("r1", "r2", "the lock is in conflict", "behind"),
        ("r2", "r2", "a manifest is missing", "behind"),
        ("r1", "", "the lock cannot be read", "behind"),
        ("", "r2", "the ActorTemplates are not ready", "not_serving"),
        ("", "", "the lock cannot be read", "not_serving"),
    ],
)
def test_a_pair_is_in_one_state(serving: str, committed: str, problem: str, state: str) -> None:
    metrics = new_metrics()
    metrics.registry.register(PairMetrics(Index([pair("a", serving, committed, problem)])))
    found = scraped(metrics.registry)
    states = {name: value(found, "pairs", state=name) for name in ("serving", "behind", "not_serving")}
    assert states == dict.fromkeys(states, 0) | {state: 1}
    labels = {"namespace": "team", "harness": "python", "agent_template": "a"}
    assert value(found, "pair_problem", **labels) == (1 if problem else None)


def test_series_of_pairs_go_when_their_problems_do() -> None:
    metrics = new_metrics()
    index = Index([pair("a", "r1", "r2", "broken")], of_ref="the ref is gone")
    metrics.registry.register(PairMetrics(index))
    assert value(scraped(metrics.registry), "ref_problem") == 1
    index.listed, index.of_ref = [pair("a")], ""
    found = scraped(metrics.registry)
    assert value(found, "ref_problem") == 0
    assert not [name for name, _ in found if name == "kagent_apply_pair_problem"]


def test_thousands_of_broken_pairs_are_a_bounded_number_of_series() -> None:
    metrics = new_metrics()
    metrics.registry.register(PairMetrics(Index([pair(f"a{number}", problem="x") for number in range(3000)])))
    found = scraped(metrics.registry)
    assert sum(name == "kagent_apply_pair_problem" for name, _ in found) == MOST_PAIRS
    assert value(found, "pair_problems_left_out") == 3000 - MOST_PAIRS


def test_hostile_words_make_a_bounded_number_of_series() -> None:
    metrics = new_metrics()
    reports = Reports(metrics)
    for number in range(3000):
        word = f"w{number}\n{'x' * (number % 300)}" if number % 2 else f"w{number}"
        metrics.rpc_began()
        metrics.rpc(f"/{word}/{word}", word, 1)
        metrics.compute_call(word, word, 1)
        metrics.store_call(word, 1, failed=True)
        reports.operation(Operation.CREATE, _INSTANCE, word, 1, word)
    found = scraped(metrics.registry)
    families = {re.sub(r"_(bucket|sum|count|total)$", "", name) for name, _ in found}
    for family in families:
        count = len([name for name, _ in found if name.startswith(family)])
        assert count <= 64 * 24 + 64, family


@given(st.lists(st.text(), max_size=50), st.integers(0, 8))
def test_at_most_so_many_names_are_kept_and_each_keeps_its_own(names: list[str], most: int) -> None:
    bounded = BoundedNames(most)
    labels = [bounded.label(name) for name in names]
    assert len(set(labels) - {OTHER}) <= most
    assert all(label in (name, OTHER) for name, label in zip(names, labels, strict=True))
    assert [bounded.label(name) for name, label in zip(names, labels, strict=True) if label == name] == [
        name for name, label in zip(names, labels, strict=True) if label == name
    ]


def test_threads_together_keep_no_more_names_than_one() -> None:
    bounded = BoundedNames(8)
    labels: list[str] = []

    def ask(start: int) -> None:
        labels.extend(bounded.label(str(start + number)) for number in range(200))

    threads = [threading.Thread(target=ask, args=(number * 200,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(labels) - {OTHER}) == 8


def test_two_of_them_in_one_process_are_apart() -> None:
    one, other = new_metrics(), new_metrics()
    one.lease_taken_over()
    assert value(scraped(other.registry), "leases_taken_over_total") == 0


def test_the_page_has_a_row_for_every_metric_and_no_other() -> None:
    metrics = new_metrics()
    for collector in (PairMetrics(Index()), AuditMetrics(lambda: 0), InstanceMetrics(dict)):
        metrics.registry.register(collector)
    exposed = {
        (f"{family.name}_total" if family.type == "counter" else family.name, family.type)
        for family in metrics.registry.collect()
        if family.name.startswith("kagent_apply_")
    }
    rows = re.findall(
        r"^\| `(kagent_apply_\w+)` \| (\w+) \|", sections(page("docs/operating.md"), 2)["Metrics"], re.M
    )
    assert sorted(rows) == sorted(exposed)


def test_the_page_has_the_labels_of_every_metric() -> None:
    metrics = new_metrics()
    metrics.registry.register(PairMetrics(Index([pair("a", problem="x")])))
    reports = Reports(metrics)
    metrics.rpc("/a.B/C", "OK", 1)
    metrics.compute_call("GetActor", "OK", 1)
    metrics.store_call("ping", 1, failed=True)
    for phase in ("whole", "resume"):
        reports.operation(Operation.CREATE, _INSTANCE, phase, 1, "done")
    reports.pair_serves(AgentName("team", "python", "a"), "r", "c")
    labels: dict[str, set[str]] = {}
    for name, series in scraped(metrics.registry):
        family = re.sub(r"_(bucket|sum|count)$", "", name)
        labels.setdefault(family, set()).update(label for label, _ in series if label != "le")
    rows = re.findall(r"^\| `(kagent_apply_\w+)` \| \w+ \| ([^|]*)\|", page("docs/operating.md"), re.M)
    told = {name: set(re.findall(r"`(\w+)`", cell)) for name, cell in rows}
    for name, found in labels.items():
        if name.startswith("kagent_apply_"):
            assert (name, told.get(name)) == (name, found)
