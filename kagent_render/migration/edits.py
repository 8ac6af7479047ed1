"""Replacing parts of a text: everything outside of the edits stays as it is, byte for byte."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """The characters from `start` to `end` are replaced by `text`."""

    start: int
    end: int
    text: str = ""


class OverlappingEditsError(ValueError):
    """Two edits change the same characters in different ways."""


def distinct_edits(edits: Iterable[Edit]) -> list[Edit]:
    """The edits in the order of their places, each once; raises OverlappingEditsError.

    Insertions at one place stay in the order in which they are given.
    """
    ordered = sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, edit.end))
    for one, other in pairwise(ordered):
        if other.start < one.end:
            raise OverlappingEditsError
    return ordered


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with every edit made."""
    parts, done = [], 0
    for edit in distinct_edits(edits):
        parts += [text[done : edit.start], edit.text]
        done = edit.end
    return "".join([*parts, text[done:]])
