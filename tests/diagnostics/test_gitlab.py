"""The Code Quality report has what GitLab asks for."""

from __future__ import annotations

import json

import pytest

from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.gitlab import write_gitlab
from kagent_render.diagnostics.reasons import Reason
from tests.diagnostics.hostile import finding, hostile, many


def test_an_entry_has_every_key_that_gitlab_reads() -> None:
    [entry] = json.loads(write_gitlab([finding(hint="write `y`")]))
    fingerprint = entry.pop("fingerprint")
    assert len(fingerprint) == 64
    assert entry == {
        "description": "the field `x` is unknown; hint: write `y`",
        "check_name": "UnknownField",
        "severity": "critical",
        "location": {"path": "team/lead.yaml", "lines": {"begin": 7}},
    }


@pytest.mark.parametrize(
    ("severity", "reason", "told"),
    [
        (Severity.ERROR, Reason.LOCK_STALE, "critical"),
        (Severity.ERROR, Reason.CONFIG_INVALID, "blocker"),
        (Severity.WARNING, Reason.CAPABILITY_UNPROVEN, "minor"),
        (Severity.INFO, Reason.ARTIFACT_NOT_READ, "info"),
    ],
)
def test_a_severity_is_one_of_gitlab_s(severity: Severity, reason: Reason, told: str) -> None:
    [entry] = json.loads(write_gitlab([finding(severity=severity, reason=reason)]))
    assert entry["severity"] == told


def test_fingerprints_are_unique_and_nothing_found_is_an_empty_list() -> None:
    entries = json.loads(write_gitlab([*many(50), *many(50), *hostile()]))
    assert len({entry["fingerprint"] for entry in entries}) == len(entries)
    assert json.loads(write_gitlab([])) == []
