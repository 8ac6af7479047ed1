"""One difference between two sides, judged."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kagent_render.review.effect import Effect
    from kagent_render.review.topics import Topic


class Kind(StrEnum):
    """How something differs."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Patch:
    """The difference of one text; `path` is a file's in a skill, and empty for a text of a manifest.

    `note` says why there are no lines.
    """

    path: str
    kind: Kind
    lines: tuple[str, ...] = ()
    note: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """What became of one fact; `before` and `after` may be shown, and are None where there was none.

    `committed`: only the committed locks differ so, and the manifests do not. `note` says what of it cannot
    be shown, `detail` what belongs to it: a text of manifests, like the values.
    """

    topic: Topic
    place: str
    name: str
    kind: Kind
    effect: Effect
    before: str | None
    after: str | None
    patches: tuple[Patch, ...] = ()
    note: str = ""
    committed: bool = False
    detail: str = ""

    @property
    def widens(self) -> bool:
        """Whether the agent may do or reach more."""
        return self.effect == "widens"
