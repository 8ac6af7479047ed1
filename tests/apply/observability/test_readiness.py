"""What a probe is told when parts fail, hang or raise."""

from __future__ import annotations

import logging
import threading

import pytest

from kagent_apply.observability.readiness import Check, Checks


def _raise() -> str:
    raise RuntimeError("hunter2")


@pytest.mark.parametrize(
    ("checks", "ready", "missing", "problems"),
    [
        ([], True, {}, {}),
        ([Check("store", lambda: "")], True, {}, {}),
        ([Check("store", lambda: "no answer")], False, {"store": "no answer"}, {}),
        ([Check("substrate", lambda: "no answer", required=False)], True, {}, {"substrate": "no answer"}),
        (
            [Check("store", lambda: "no answer"), Check("ref", lambda: "gone", required=False)],
            False,
            {"store": "no answer"},
            {"ref": "gone"},
        ),
        ([Check("store", _raise)], False, {"store": "the check failed with `RuntimeError`"}, {}),
        ([Check("ref", lambda: "at https://u:p@host/x")], False, {"ref": "at https://host/x"}, {}),
    ],
)
def test_what_is_required_decides(
    checks: list[Check], ready: bool, missing: dict[str, str], problems: dict[str, str]
) -> None:
    found = Checks(checks).look()
    assert (found.ready, found.missing, found.problems) == (ready, missing, problems)


def test_a_check_that_hangs_costs_one_thread_and_no_more_than_its_time() -> None:
    released = threading.Event()
    asked: list[int] = []

    def hang() -> str:
        asked.append(1)
        released.wait(30)
        return ""

    checks = Checks([Check("store", hang), Check("substrate", lambda: "")], within=0.05)
    for _ in range(3):
        assert checks.look().missing == {"store": "no answer within 0.05 s"}
    assert len(asked) == 1
    released.set()
    patient = Checks(checks.checks, within=10)
    assert patient.look().ready


def test_a_check_is_asked_anew_by_every_probe() -> None:
    answers = ["", "gone", ""]
    checks = Checks([Check("ref", lambda: answers.pop(0))])
    assert [checks.look().ready for _ in range(3)] == [True, False, True]


def test_what_goes_on_being_wrong_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    answers = ["gone", "gone", "gone", "other", "", ""]
    checks = Checks([Check("ref", lambda: answers.pop(0))])
    with caplog.at_level(logging.INFO, "kagent_apply"):
        for _ in range(6):
            checks.look()
    assert [(record.levelname, record.problem) for record in caplog.records] == [  # type: ignore[attr-defined]
        ("WARNING", "gone"),
        ("WARNING", "other"),
        ("INFO", ""),
    ]
