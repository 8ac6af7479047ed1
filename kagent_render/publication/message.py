"""The message of a commit on an output branch."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

SOURCE_TRAILER: Final = "Kagent-Render-Source"
"""The trailer that names the commit from which the output was rendered."""

_MOST: Final = 50
_TRAILERS: Final = re.compile(r"(?:[A-Za-z0-9-]+: .*(?:\n[ \t].*)*\n?)+")


def commit_message(source: str, subjects: Sequence[str], own: str | None = None) -> str:
    """A subject, what changed, and the trailer with the source commit; `own` words replace the first two."""
    text = own.strip() if own is not None and own.strip() else _described(source, subjects)
    paragraphs = text.split("\n\n")
    joint = "\n" if len(paragraphs) > 1 and _TRAILERS.fullmatch(paragraphs[-1]) else "\n\n"
    return f"{text}{joint}{SOURCE_TRAILER}: {source}\n"


def _described(source: str, subjects: Sequence[str]) -> str:
    lines = [f"Render {source[:12]}"]
    if subjects:
        lines += ["", *(f"- {subject}" for subject in subjects[:_MOST])]
    if len(subjects) > _MOST:
        lines.append(f"- and {len(subjects) - _MOST} more")
    return "\n".join(lines)
