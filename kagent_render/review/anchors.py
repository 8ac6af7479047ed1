"""Lines by which two long texts are held against each other."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

Anchor = tuple[int, int]
"""One line's place in either text."""


def anchors(old: Sequence[str], new: Sequence[str]) -> list[Anchor]:
    """As many lines as patience sorting finds that are once in either text, and in the same order."""
    mine, theirs = Counter(old), Counter(new)
    places = {line: at for at, line in enumerate(new) if theirs[line] == 1}
    lowest: list[int] = []
    ends: list[Anchor] = []
    before: dict[Anchor, Anchor | None] = {}
    for at, line in enumerate(old):
        if mine[line] == 1 and line in places:
            anchor = at, places[line]
            length = bisect_left(lowest, anchor[1])
            before[anchor] = ends[length - 1] if length else None
            lowest[length : length + 1] = [anchor[1]]
            ends[length : length + 1] = [anchor]
    return _chain(ends[-1] if ends else None, before)


def _chain(last: Anchor | None, before: dict[Anchor, Anchor | None]) -> list[Anchor]:
    found = []
    while last is not None:
        found.append(last)
        last = before[last]
    return found[::-1]
