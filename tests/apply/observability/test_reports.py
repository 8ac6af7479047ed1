"""What other rooms tell of is a line at a level that says whether somebody has to look."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from kagent_apply.instances.requests import AgentName, InstanceName
from kagent_apply.instances.states import Operation
from kagent_apply.observability.reports import Reports
from tests.apply.observability.scraping import new_metrics

_INSTANCE = InstanceName("team", "0b9c2f6e-5d8a-4a8e-a0b4-4f9a52b7e9aa")
_OTHER = InstanceName("team", "1b9c2f6e-5d8a-4a8e-a0b4-4f9a52b7e9aa")
_AGENT = AgentName("team", "python", "researcher")


def _ends(reports: Reports, outcome: str, error: str = "", instance: InstanceName = _INSTANCE) -> None:
    reports.operation(Operation.CREATE, instance, "whole", 1.0, outcome, error)


def _begun(reports: Reports) -> Reports:
    """A server that has told how it started."""
    reports.first_tried("c", 1, 0, None)
    return reports


@pytest.mark.parametrize(
    ("tell", "levels"),
    [
        (lambda reports: _ends(reports, "done"), ["INFO"]),
        (lambda reports: _ends(reports, "lost"), ["INFO"]),
        (lambda reports: _ends(reports, "stopped"), ["INFO"]),
        (lambda reports: _ends(reports, "failed"), ["WARNING"]),
        (lambda reports: _ends(reports, "unavailable"), ["WARNING"]),
        (lambda reports: _ends(reports, "internal", "KeyError"), ["ERROR"]),
        (lambda reports: reports.operation(Operation.CREATE, _INSTANCE, "resume", 1.0, "unavailable"), []),
        (lambda reports: reports.lease_taken_over(_INSTANCE), ["INFO"]),
        (lambda reports: reports.call("S/M", "OK", 1.0), ["DEBUG"]),
        (lambda reports: reports.call("S/M", "UNAVAILABLE", 1.0), ["DEBUG"]),
        (lambda reports: reports.call("S/M", "INTERNAL", 1.0, "id", "KeyError at x:1"), ["ERROR"]),
        (lambda reports: reports.pair_serves(_AGENT, "r", "c"), ["DEBUG"]),
        (lambda reports: reports.pair_problem(_AGENT, "in conflict", "c"), ["DEBUG"]),
        (lambda reports: reports.first_tried("c", 1_000, 0, None), ["INFO"]),
        (lambda reports: reports.first_tried("c", 999, 1, (_AGENT, "in conflict")), ["WARNING"]),
        (lambda reports: _begun(reports).pair_serves(_AGENT, "r", "c"), ["INFO", "INFO"]),
        (lambda reports: _begun(reports).pair_problem(_AGENT, "in conflict", "c"), ["INFO", "WARNING"]),
        (lambda reports: _begun(reports).pair_problem(_AGENT, "", "c"), ["INFO", "INFO"]),
        (lambda reports: reports.pair_withdrawn(_AGENT, "c"), ["INFO"]),
        (lambda reports: reports.ref_problem("gone"), ["WARNING"]),
        (lambda reports: reports.ref_problem(""), ["INFO"]),
        (lambda reports: reports.ref_read(), []),
        (lambda reports: reports.commit_read("c", 3), ["INFO"]),
        (lambda reports: reports.kept_nothing("no space"), ["WARNING"]),
        (lambda reports: reports.cluster("synced", "it is watched", "actortemplates.ate.dev"), ["INFO"]),
        (lambda reports: reports.cluster("status-written", "", "harnesses.kagent.dev", "t", "h"), ["DEBUG"]),
        (lambda reports: reports.cluster("failed", "no answer"), ["WARNING"]),
        (lambda reports: reports.cluster("something", "new"), ["INFO"]),
        (lambda reports: reports.audit("cannot be written to"), ["ERROR"]),
    ],
)
def test_a_line_has_the_level_of_what_it_tells(
    tell: Callable[[Reports], None], levels: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "kagent_apply"):
        tell(Reports(new_metrics()))
    assert [record.levelname for record in caplog.records] == levels


def test_an_operation_that_fails_in_the_same_way_again_is_a_warning_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    reports = Reports(new_metrics())
    with caplog.at_level(logging.DEBUG, "kagent_apply"):
        for outcome in ("unavailable", "unavailable", "refused", "refused", "done", "refused"):
            _ends(reports, outcome)
        _ends(reports, "refused", instance=_OTHER)
    levels = [record.levelname for record in caplog.records]
    assert levels == ["WARNING", "DEBUG", "WARNING", "DEBUG", "INFO", "WARNING", "WARNING"]


@pytest.mark.parametrize(
    ("outcome", "told"), [("denied", True), ("failed", True), ("done", False), ("stopped", False)]
)
def test_a_line_about_an_operation_says_why_it_did_not_end(
    outcome: str, told: bool, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG, "kagent_apply"):
        Reports(new_metrics()).operation(
            Operation.CREATE, _INSTANCE, "whole", 1.0, outcome, problem="Substrate does not know this service"
        )
    (record,) = caplog.records
    assert ("Substrate does not know this service" in vars(record).values()) is told


def test_a_line_says_which_instance_or_pair_it_is_about(caplog: pytest.LogCaptureFixture) -> None:
    reports = Reports(new_metrics())
    with caplog.at_level(logging.DEBUG, "kagent_apply"):
        _ends(reports, "internal", "KeyError")
        reports.pair_problem(_AGENT, "in conflict", "c0ffee")
        reports.call("S/M", "INTERNAL", 1.0, "an-id", "KeyError at x:1")
    fields: list[dict[str, Any]] = [vars(record) for record in caplog.records]
    assert fields[0].items() >= {"namespace": "team", "instance": _INSTANCE.id, "error": "KeyError"}.items()
    assert fields[1].items() >= {"harness": "python", "problem": "in conflict", "commit": "c0ffee"}.items()
    assert fields[2].items() >= {"incident": "an-id", "fault": "KeyError at x:1", "method": "S/M"}.items()


def test_what_goes_on_being_wrong_with_a_cluster_is_a_warning_once_until_it_is_well(
    caplog: pytest.LogCaptureFixture,
) -> None:
    reports = Reports(new_metrics())
    with caplog.at_level(logging.DEBUG, "kagent_apply"):
        for kind in ("watch-failed", "watch-failed", "synced", "watch-failed"):
            reports.cluster(kind, "no answer", "actortemplates.ate.dev", "team")
    levels = [record.levelname for record in caplog.records]
    assert levels == ["WARNING", "DEBUG", "INFO", "WARNING"]
