"""An output folder on disk without what no commit will have: files that are neither staged nor planned."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.folder import Entry, EntryKind
from kagent_render.emit.layout import temporary_target

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path


class TrackedOutput(DiskOutput):
    """The folder `output` below `root` as far as its `staged` and `planned` paths go.

    An untracked file may be the output of manifests that are not staged either: it is not seen, so that it is
    neither told nor removed. What stands in the way of a planned file is seen all the same, and so is what a
    killed run left.
    """

    def __init__(self, root: Path, output: str, staged: Collection[str], planned: Collection[str]) -> None:
        super().__init__(root, output)
        self._known = frozenset((*staged, *planned))
        self._planned = frozenset(planned)
        self._folders = frozenset(folder for path in planned for folder in _folders(path))

    def entries(self) -> list[Entry]:
        """Everything below the folder that is staged, planned or in the way."""
        return [entry for entry in super().entries() if self._concerns(entry)]

    def has_others(self) -> bool:
        """Whether there is anything else below the folder."""
        return not all(map(self._concerns, super().entries()))

    def _concerns(self, entry: Entry) -> bool:
        if entry.kind is EntryKind.EMPTY_FOLDER or entry.path in self._known:
            return True
        in_the_way = entry.path in self._folders or not self._planned.isdisjoint(_folders(entry.path))
        return in_the_way or temporary_target(entry.path) is not None


def _folders(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]
