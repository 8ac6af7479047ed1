"""What a drawing of a tree is made from: agents, and how each differs from what it was."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Mark(StrEnum):
    """How something differs from what it was, or that a change of something else reaches it."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"
    REACHED = "reached"


@dataclass(frozen=True, slots=True)
class PictureNode:
    """One agent: its name, its template, one line of facts, and what it binds.

    `dedicated` tells that it has a runtime of its own, as a root has in any case; `caption` then names that
    runtime and `boundary_mark` says how it differs.
    """

    name: str
    template: str = ""
    facts: tuple[str, ...] = ()
    dedicated: bool = False
    mark: Mark | None = None
    caption: str = ""
    boundary_mark: Mark | None = None
    children: tuple[PictureNode, ...] = ()

    @property
    def lines(self) -> tuple[str, ...]:
        """What is written in the node, one text a line."""
        return (self.name, *filter(None, (self.template, " · ".join(self.facts))))
