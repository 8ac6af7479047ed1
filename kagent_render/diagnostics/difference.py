"""Where two texts begin to differ."""

from __future__ import annotations

from itertools import zip_longest


def first_difference(wanted: bytes, found: bytes) -> int:
    """The number of the first line that is not the same, from 1; the texts are not equal."""
    lines = zip_longest(wanted.splitlines(keepends=True), found.splitlines(keepends=True))
    return next(number for number, (ours, theirs) in enumerate(lines, 1) if ours != theirs)
