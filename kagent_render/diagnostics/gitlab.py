"""Diagnostics as GitLab's Code Quality report, which a merge request shows as what it adds and mends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.finding import fingerprints, most_severe_first
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.diagnostics.finding import Finding

_SEVERITIES: Final = {Severity.ERROR: "critical", Severity.WARNING: "minor", Severity.INFO: "info"}


def write_gitlab(findings: Iterable[Finding]) -> str:
    """A JSON list with one entry for each finding."""
    ordered = most_severe_first(findings)
    entries = [_entry(finding, known) for finding, known in zip(ordered, fingerprints(ordered), strict=True)]
    return json.dumps(entries, indent=2, ensure_ascii=False) + "\n"


def _entry(finding: Finding, fingerprint: str) -> dict[str, Any]:
    return {
        "description": finding.text,
        "check_name": finding.diagnostic.reason.value,
        "fingerprint": fingerprint,
        "severity": _severity(finding),
        "location": {"path": finding.path, "lines": {"begin": finding.line}},
    }


def _severity(finding: Finding) -> str:
    """A configuration at fault keeps everything else from being looked at."""
    diagnostic = finding.diagnostic
    blocking = diagnostic.is_error and diagnostic.reason is Reason.CONFIG_INVALID
    return "blocker" if blocking else _SEVERITIES[diagnostic.severity]
