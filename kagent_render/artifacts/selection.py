"""What is pinned of one artifact: by reading it, or where it is not at hand by the word of a lock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.artifacts.failure import ArtifactFailure


@dataclass(frozen=True, slots=True)
class Selection:
    """The tree digest of what was selected, the digest of each skill in it, and a plugin's name and version.

    `manifest` is None for a standalone skill. `place` says where the content was read.
    """

    tree_digest: str
    skills: Mapping[str, str]
    manifest: tuple[str, str | None] | None = None
    place: str = ""


@dataclass(frozen=True, slots=True)
class LockedContent:
    """An artifact that cannot be had, and what committed locks pin of it."""

    failure: ArtifactFailure
    selections: tuple[Selection, ...]

    def selection(self, names: Iterable[str], *, plugin: bool) -> Selection | None:
        """What the locks pin of exactly these skills; None where they pin nothing, or two things."""
        wanted = set(names)
        found = [
            selection
            for selection in self.selections
            if selection.skills.keys() == wanted and (selection.manifest is not None) is plugin
        ]
        return found[0] if len(found) == 1 else None
