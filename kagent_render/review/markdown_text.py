"""Text of strangers in GitHub Flavored Markdown: nothing in it is markup, a mention, a link or a fence."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING

from kagent_render.review.wording import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

_BACKTICKS = re.compile(r"`+")


def size(text: str) -> int:
    """Characters as GitHub counts them, and those beyond the basic plane twice, as JavaScript does.

    Every way of counting stays below that, four bytes a character included.
    """
    return len(text.encode("utf-16-le", errors="replace")) // 2


def code(text: str) -> str:
    """A code span: Markdown, HTML, mentions and references mean nothing in it."""
    line = one_line(text)
    if not line.strip():
        return "*(empty)*"
    fence = "`" * (_longest_run(line) + 1)
    space = " " if "`" in (line[0], line[-1]) else ""
    return f"{fence}{space}{line}{space}{fence}"


def cell(text: str) -> str:
    """Markdown in a cell of a table: nothing escapes a bar for every reader, a backslash before it least."""
    return text.replace("|", "│")


def html_code(text: str) -> str:
    """A piece of code where GitHub reads HTML."""
    return f"<code>{html.escape(one_line(text))}</code>"


def fenced(lines: Iterable[str], language: str) -> str:
    """A fenced block, its fence longer than any run of backticks in it."""
    shown = [*lines]
    fence = "`" * max(3, 1 + max(map(_longest_run, shown), default=0))
    return "\n".join([f"{fence}{language}", *shown, fence])


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)
