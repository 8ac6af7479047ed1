"""A diagnostic at a place in the repository: what the reports of CI systems are written from."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kagent_render.diagnostics.diagnostic import Diagnostic

LONGEST_TEXT: Final = 2_000
"""Characters of a message or a hint that a report shows; a manifest may make one as long as it likes."""

_RANKS: Final = (Severity.ERROR, Severity.WARNING, Severity.INFO)


@dataclass(frozen=True, slots=True)
class Finding:
    """One diagnostic and the file that it is shown at; `path` starts at the top of the repository."""

    diagnostic: Diagnostic
    path: str
    line: int = 1
    column: int = 1

    @property
    def message(self) -> str:
        """What is wrong, in one line of bounded length."""
        return shortened(printable(self.diagnostic.message))

    @property
    def hint(self) -> str | None:
        """What to do, likewise; None where nothing is known."""
        hint = self.diagnostic.hint
        return shortened(printable(hint)) if hint else None

    @property
    def text(self) -> str:
        """Both in one line."""
        return f"{self.message}; hint: {self.hint}" if self.hint else self.message


def shortened(text: str, longest: int = LONGEST_TEXT) -> str:
    """Text up to a number of characters, with an ellipsis where it was longer."""
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def most_severe_first(findings: Iterable[Finding]) -> list[Finding]:
    """Errors, then warnings, then notes, each in the order of their places."""
    return sorted(findings, key=lambda finding: (_RANKS.index(finding.diagnostic.severity), *_place(finding)))


def fingerprints(findings: Sequence[Finding]) -> list[str]:
    """What each finding is known by from run to run: neither by its line nor by its words, which may count.

    Two findings never have the same one: of those that are alike, the second is known as the second.
    """
    seen: Counter[str] = Counter()
    found = []
    for finding in findings:
        identity = _identity(finding)
        seen[identity] += 1
        found.append(hashlib.sha256(f"{identity}\n{seen[identity]}".encode()).hexdigest())
    return found


def _identity(finding: Finding) -> str:
    diagnostic = finding.diagnostic
    ref, pair = diagnostic.object, diagnostic.pair
    known = [diagnostic.reason.value, finding.path, diagnostic.field, str(pair) if pair else None]
    return json.dumps([*known, [ref.group, ref.kind, ref.namespace, ref.name] if ref else None])


def _place(finding: Finding) -> tuple[str, int, int, str, str]:
    diagnostic = finding.diagnostic
    return finding.path, finding.line, finding.column, diagnostic.reason.value, diagnostic.message
