"""Diagnostics as Markdown for a comment or a step summary, of bounded size and inert whatever they quote."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.finding import Finding, most_severe_first, shortened
from kagent_render.diagnostics.text import printable, summarize

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COMMENT_SIZE: Final = 65_536
"""The size of GitHub's longest comment; it is of characters, and we count bytes, which are no fewer."""

SUMMARY_SIZE: Final = 1024 * 1024
"""The size of GitHub's longest step summary, in bytes."""

SMALLEST_SIZE: Final = 2_048
"""Less holds no row that is worth reading."""

_TITLE: Final = "### kagent-render"
_HEAD: Final = ("", "| file | reason | finding |", "|---|---|---|")
_RESERVED: Final = 200
"""Bytes for the lines that tell what was left out."""

_LONGEST_SUMMARY: Final = 300
_FENCES: Final = re.compile("`+")

# No mention, reference, address, emoji or HTML can be made of such words; all others are shown as code.
_PLAIN: Final = re.compile(
    r"""["'(]*(?:[^\W\d_]+(?:['’-][^\W\d_]+)*|\d{1,6}|[-–—…✓✗])?[)"',.;:?]*""",
)


def write_markdown(findings: Iterable[Finding], summaries: Sequence[str], size: int = COMMENT_SIZE) -> str:
    """The summaries and a table of the findings by file, in at most `size` bytes of UTF-8.

    Where the space does not suffice, the most severe come first, and a line says how many were left out.
    """
    lines = [f"- {prose(shortened(text, _LONGEST_SUMMARY))}" for text in summaries]
    room = size - _size([_TITLE, ""]) - _RESERVED
    listed = lines[: _fitting(lines, room // 2)]
    room -= _size([*listed, *_HEAD])
    ordered = most_severe_first(findings)
    count = _fitting([_row(finding) for finding in ordered], room)
    shown, left_out = ordered[:count], ordered[count:]
    rows = [_row(finding) for finding in sorted(shown, key=_by_file)]
    table = [*_HEAD, *rows] if rows else []
    rest = [*_left_out(left_out), *_more_roots(len(lines) - len(listed))]
    return "\n".join([_TITLE, "", *listed, *table, *rest]) + "\n"


def prose(text: str) -> str:
    """Text with its literals between backticks as code, and as code everything that is no plain word."""
    parts = printable(text).split("`")
    pieces = []
    for index, part in enumerate(parts):
        quoted = index % 2 == 1 and index < len(parts) - 1
        pieces += [code(part)] if quoted else [_words(part)]
    joined = ""
    for piece in filter(None, pieces):
        joined += f" {piece}" if joined.endswith("`") and piece.startswith("`") else piece
    return joined


def code(text: str) -> str:
    """Text as a code span, in which nothing is interpreted; a bar would still end a table's cell."""
    content = " ".join(printable(text).replace("|", "│").split())
    if not content:
        return ""
    longest = max((len(run) for run in _FENCES.findall(content)), default=0)
    padding = " " if longest else ""
    fence = "`" * (longest + 1)
    return f"{fence}{padding}{content}{padding}{fence}"


def _words(text: str) -> str:
    """Words with the space around them; those that are not plain as code."""
    words = " ".join(word if _PLAIN.fullmatch(word) else code(word) for word in text.split())
    before, after = text[:1].isspace(), text[-1:].isspace()
    return f"{' ' if before else ''}{words}{' ' if after and words else ''}"


def _row(finding: Finding) -> str:
    diagnostic = finding.diagnostic
    place = code(f"{shortened(finding.path, _LONGEST_SUMMARY)}:{finding.line}")
    hint = f"<br>hint: {prose(finding.hint)}" if finding.hint else ""
    return f"| {place} | {diagnostic.severity} {code(diagnostic.reason)} | {prose(finding.message)}{hint} |"


def _left_out(findings: Sequence[Finding]) -> list[str]:
    if not findings:
        return []
    return [
        "",
        f"{summarize(finding.diagnostic for finding in findings)} left out, because the space is used up",
    ]


def _more_roots(count: int) -> list[str]:
    return ["", f"the summaries of {count} more roots left out"] if count else []


def _fitting(lines: Sequence[str], room: int) -> int:
    """How many of the first lines have a place in so many bytes."""
    count = 0
    for line in lines:
        room -= _size([line])
        if room < 0:
            break
        count += 1
    return count


def _size(lines: Iterable[str]) -> int:
    return sum(len(line.encode()) + 1 for line in lines)


def _by_file(finding: Finding) -> tuple[str, int, int]:
    return finding.path, finding.line, finding.column
