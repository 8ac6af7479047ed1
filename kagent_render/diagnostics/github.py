"""Diagnostics as workflow commands of GitHub Actions, which show them beside the lines of a pull request."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.finding import most_severe_first, shortened
from kagent_render.diagnostics.text import printable, summarize

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.diagnostics.finding import Finding

SHOWN: Final = 10
"""Annotations of each level that GitHub shows for one step; it drops the others without a word."""

_COMMANDS: Final = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "notice"}
_LONGEST_TITLE: Final = 200


def write_github(findings: Iterable[Finding]) -> str:
    """A command in each line, the most severe first; a last line counts what GitHub would not show."""
    shown: list[str] = []
    left_out: list[Finding] = []
    written: Counter[Severity] = Counter()
    for finding in most_severe_first(findings):
        severity = finding.diagnostic.severity
        if written[severity] == SHOWN:
            left_out.append(finding)
            continue
        written[severity] += 1
        shown.append(_command(finding))
    if left_out:
        counted = summarize(finding.diagnostic for finding in left_out)
        shown.append(f"{counted} left out: GitHub shows {SHOWN} of each level for a step")
    return "".join(f"{line}\n" for line in shown)


def without_commands(text: str) -> str:
    """One line of text in which a runner finds no command: it looks for the older form anywhere in a line."""
    return printable(text).replace("##[", "##\N{REPLACEMENT CHARACTER}[").replace("::", ":\u200b:")


def _command(finding: Finding) -> str:
    diagnostic = finding.diagnostic
    properties = {
        "file": printable(finding.path),
        "line": str(finding.line),
        "col": str(finding.column),
        "title": shortened(_title(finding), _LONGEST_TITLE),
    }
    text = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    hint = f"\nhint: {finding.hint}" if finding.hint else ""
    return f"::{_COMMANDS[diagnostic.severity]} {text}::{_data(finding.message + hint)}"


def _title(finding: Finding) -> str:
    ref = finding.diagnostic.object
    of = f" in {ref}" if ref is not None and ref.kind else ""
    return printable(f"{finding.diagnostic.reason}{of}")


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
