"""Diagnostics as SARIF 2.1.0, for code scanning and for editors."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.finding import fingerprints, most_severe_first
from kagent_render.diagnostics.reasons import Reason
from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kagent_render.diagnostics.explanations import Explanation
    from kagent_render.diagnostics.finding import Finding

MOST_RESULTS: Final = 25_000
"""Results of one run that GitHub accepts; a file with more of them is refused as a whole."""

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_BASE: Final = "%SRCROOT%"
_LEVELS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}

# A name of our own: GitHub computes `primaryLocationLineHash` itself and warns of every other value of it.
_FINGERPRINT: Final = "kagentRender/v1"


def write_sarif(
    findings: Iterable[Finding],
    explanations: Mapping[Reason, Explanation],
    version: str,
    pages: str | None = None,
) -> str:
    """One run as JSON; `pages` is the address that the pages of the documentation stand below, if known."""
    ordered = most_severe_first(findings)
    shown = ordered[:MOST_RESULTS]
    reasons = sorted({finding.diagnostic.reason for finding in shown})
    driver = {
        "name": "kagent-render",
        "version": version,
        "rules": [_rule(reason, explanations[reason], pages) for reason in reasons],
    }
    if pages is not None:
        driver["informationUri"] = pages
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {_BASE: {"description": {"text": "the top of the repository"}}},
        "invocations": [_invocation(ordered)],
        "results": [
            _result(finding, reasons, known)
            for finding, known in zip(shown, fingerprints(shown), strict=True)
        ],
    }
    document = {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(document, ensure_ascii=False) + "\n"


def _rule(reason: Reason, explanation: Explanation, pages: str | None) -> dict[str, Any]:
    rule = {
        "id": reason.value,
        "shortDescription": {"text": explanation.summary},
        "fullDescription": {"text": explanation.description},
        "help": {"text": explanation.fix, "markdown": explanation.fix},
    }
    if pages is not None:
        rule["helpUri"] = f"{pages}/reasons.md#{reason.lower()}"
    return rule


def _invocation(findings: Sequence[Finding]) -> dict[str, Any]:
    """Whether the work could be done, and how many results are not told."""
    faults = (finding.diagnostic for finding in findings if finding.diagnostic.is_error)
    invocation: dict[str, Any] = {
        "executionSuccessful": all(fault.reason is not Reason.CONFIG_INVALID for fault in faults)
    }
    if len(findings) > MOST_RESULTS:
        text = f"{len(findings) - MOST_RESULTS:,} more results were left out, the least severe ones"
        notification = {"level": "warning", "message": {"text": text}}
        invocation["toolExecutionNotifications"] = [notification]
    return invocation


def _result(finding: Finding, reasons: Sequence[Reason], fingerprint: str) -> dict[str, Any]:
    diagnostic = finding.diagnostic
    result = {
        "ruleId": diagnostic.reason.value,
        "ruleIndex": reasons.index(diagnostic.reason),
        "level": _LEVELS[diagnostic.severity],
        "message": {"text": _plain(finding.text)},
        "locations": [_location(finding)],
        "partialFingerprints": {_FINGERPRINT: fingerprint},
    }
    if diagnostic.pair is not None:
        result["properties"] = {"pair": printable(str(diagnostic.pair))}
    return result


def _location(finding: Finding) -> dict[str, Any]:
    location: dict[str, Any] = {
        "physicalLocation": {
            "artifactLocation": {"uri": quote(finding.path, errors="replace"), "uriBaseId": _BASE},
            "region": {"startLine": finding.line, "startColumn": finding.column},
        }
    }
    logical = list(_logical_locations(finding))
    if logical:
        location["logicalLocations"] = logical
    return location


def _logical_locations(finding: Finding) -> Iterable[dict[str, str]]:
    """The object, and the field in it."""
    ref, field = finding.diagnostic.object, finding.diagnostic.field
    known = (ref.api_version, ref.kind, ref.namespace, ref.name) if ref is not None else ()
    full = printable("/".join(part for part in known if part))
    if ref is not None and full:
        yield {"name": printable(str(ref)), "fullyQualifiedName": full, "kind": "resource"}
    if field:
        name = printable(field)
        yield {"name": name, "fullyQualifiedName": f"{full}#{name}", "kind": "property"}


def _plain(text: str) -> str:
    """Text without what SARIF §3.11.6 would read as a link."""
    return text.replace("](", "] (")
