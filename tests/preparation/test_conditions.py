"""The conditions of a pair: true up to the first stage that failed, and blocked after it."""

from __future__ import annotations

import pytest

from kagent_render.diagnostics.diagnostic import Diagnostic, Severity
from kagent_render.diagnostics.reasons import Reason
from kagent_render.preparation.conditions import pair_conditions

CLEAN = [("True", "Accepted"), ("True", "Resolved"), ("True", "Compatible"), ("True", "Prepared")]
BLOCKED = ("False", "Blocked")


def conditions(*faults: Diagnostic, blocked: bool = False) -> list[tuple[str, str]]:
    found = pair_conditions(faults, blocked=blocked)
    assert [condition.type.value for condition in found] == [
        "Accepted",
        "ResolvedRefs",
        "Compatible",
        "Prepared",
    ]
    return [(str(condition.status), condition.reason) for condition in found]


def fault(reason: Reason, severity: Severity = Severity.ERROR) -> Diagnostic:
    return Diagnostic(reason, f"{reason} it is", severity)


@pytest.mark.parametrize(
    ("reasons", "expected"),
    [
        pytest.param([], CLEAN, id="nothing"),
        pytest.param([Reason.NOT_ADMITTED], [("False", "NotAdmitted"), *[BLOCKED] * 3], id="the first stage"),
        pytest.param(
            [Reason.MODEL_CONFIG_NOT_FOUND],
            [CLEAN[0], ("False", "ModelConfigNotFound"), BLOCKED, BLOCKED],
            id="the second stage",
        ),
        pytest.param(
            [Reason.RESERVED_ENV_NAME],
            [*CLEAN[:2], ("False", "ReservedEnvName"), BLOCKED],
            id="the third stage",
        ),
        pytest.param([Reason.LOCK_STALE], [*CLEAN[:3], ("False", "LockStale")], id="the last stage"),
        pytest.param(
            [Reason.LOCK_STALE, Reason.RESERVED_ENV_NAME, Reason.CYCLE_DETECTED],
            [CLEAN[0], ("False", "CycleDetected"), BLOCKED, BLOCKED],
            id="the earliest stage decides, whatever the order",
        ),
        pytest.param(
            [Reason.CYCLE_DETECTED, Reason.MODEL_CONFIG_NOT_FOUND],
            [CLEAN[0], ("False", "CycleDetected"), BLOCKED, BLOCKED],
            id="the first fault of a stage names it",
        ),
        pytest.param([Reason.INVALID_SPEC, Reason.LOCK_STALE], [BLOCKED] * 4, id="an invalid document"),
    ],
)
def test_the_earliest_failed_stage_decides(reasons: list[Reason], expected: list[tuple[str, str]]) -> None:
    assert conditions(*map(fault, reasons)) == expected


@pytest.mark.parametrize("severity", [Severity.WARNING, Severity.INFO])
def test_what_is_no_error_fails_no_stage(severity: Severity) -> None:
    assert conditions(fault(Reason.CAPABILITY_UNPROVEN, severity)) == CLEAN


def test_a_pair_that_needs_an_invalid_document_is_blocked_throughout() -> None:
    assert conditions(blocked=True) == [BLOCKED] * 4


def test_messages_say_why() -> None:
    found = pair_conditions([fault(Reason.CYCLE_DETECTED)], blocked=False)
    assert [condition.message for condition in found] == [
        "",
        "CycleDetected it is",
        "blocked by ResolvedRefs",
        "blocked by ResolvedRefs",
    ]
