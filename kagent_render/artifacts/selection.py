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
        return found[0] if len(found) == 1 and self.contradiction(wanted, plugin=plugin) is None else None

    def contradiction(self, names: Iterable[str], *, plugin: bool) -> tuple[str, str] | None:
        """Two digests that locks pin of these skills together, or of one of them; None where they agree."""
        wanted = set(names)
        pinned: dict[str, str] = {}
        for selection in self.selections:
            if (selection.manifest is not None) is not plugin:
                continue
            whole = {"": selection.tree_digest} if selection.skills.keys() == wanted else {}
            shared = {name: digest for name, digest in selection.skills.items() if name in wanted}
            for name, digest in (whole | shared).items():
                if pinned.setdefault(name, digest) != digest:
                    return pinned[name], digest
        return None
