"""Markdown pages as tests read them: sections by heading, and fenced blocks with their info strings."""

from __future__ import annotations

import re
from dataclasses import dataclass

from tests.parts import REPOSITORY

_HEADING = re.compile(r"(#{1,6}) (.+)\n")
_FENCE = re.compile(r"^```([a-z-]*)(?: +(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One fenced block; `path` is the file that its info string names, if any."""

    language: str
    path: str
    text: str


def page(name: str) -> str:
    """The text of a page by its path in the repository."""
    return (REPOSITORY / name).read_text(encoding="utf-8")


def blocks(text: str, language: str | None = None) -> list[Block]:
    """The fenced blocks of a text in order, all or those of one language."""
    found = [Block(*match.groups(default="")) for match in _FENCE.finditer(text)]
    return [block for block in found if language in (None, block.language)]


def sections(text: str, level: int) -> dict[str, str]:
    """The text below each heading of one level, up to the next heading of that level or above."""
    found: dict[str, str] = {}
    title, fenced = None, False
    for line in text.splitlines(keepends=True):
        fenced ^= line.startswith("```")
        heading = None if fenced else _HEADING.match(line)
        if heading is not None and len(heading[1]) <= level:
            title = heading[2] if len(heading[1]) == level else None
            assert title not in found, f"two headings `{title}`"
        elif title is not None:
            found[title] = found.get(title, "") + line
    return found
