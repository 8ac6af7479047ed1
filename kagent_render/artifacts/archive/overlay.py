"""The tree that layers make on top of each other: later entries replace earlier ones, whiteouts remove them.

Where programs that unpack images disagree on what a layer means, it is refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.limits import Meter
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.archive.tree import Directory, Node, SymbolicLink, Tree
from kagent_render.artifacts.package import PackageFile

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.artifacts.archive.limits import Limits

_WHITEOUT: Final = ".wh."
_OPAQUE: Final = ".wh..wh..opq"

Folder = dict[str, "Folder | SymbolicLink | PackageFile"]


class Overlay:
    """What the layers applied so far amount to."""

    def __init__(self, limits: Limits) -> None:
        self._root: Folder = {}
        self._meter = Meter(limits, limits.archive)

    def file(self, path: str) -> PackageFile | None:
        """The regular file at `path`, no link followed; None where there is none."""
        parent, _, name = path.rpartition("/")
        found = (self._folder(parent) or {}).get(name)
        return found if isinstance(found, PackageFile) else None

    def apply(self, layer: Tree) -> None:
        """Apply a layer: first its whiteouts, wherever they stand in it, then what it adds."""
        for path, node in layer.entries():
            self._meter.count_entry()
            if is_whiteout(path):
                self._remove(path, node)
        folders = {"": self._root}
        for path, node in layer.entries():
            if not is_whiteout(path):
                _place(folders, path, node)

    def add_to(self, tree: Tree) -> None:
        """Add everything to `tree`, which judges it as the entries of one archive."""
        for path, node in self._walk():
            tree.add(path, Directory() if isinstance(node, dict) else node)

    def _remove(self, path: str, node: Node) -> None:
        parent, _, marker = path.rpartition("/")
        name = marker.removeprefix(_WHITEOUT)
        empty = isinstance(node, PackageFile) and not node.data
        if not empty or name in {"", ".", ".."}:
            raise ArchiveRefused(Refusal.WHITEOUT, path)
        folder = self._folder(parent)
        if folder is None:
            return
        if marker == _OPAQUE:
            folder.clear()
        else:
            folder.pop(name, None)

    def _folder(self, path: str) -> Folder | None:
        folder = self._root
        for name in path.split("/") if path else ():
            below = folder.get(name)
            if not isinstance(below, dict):
                return None
            folder = below
        return folder

    def _walk(self) -> Iterator[tuple[str, Folder | SymbolicLink | PackageFile]]:
        pending = [("", self._root)]
        while pending:
            prefix, folder = pending.pop()
            for name, node in folder.items():
                yield prefix + name, node
                if isinstance(node, dict):
                    pending.append((f"{prefix}{name}/", node))


def is_whiteout(path: str) -> bool:
    """Whether the last segment of `path` marks a removal instead of naming content."""
    return path.rpartition("/")[2].startswith(_WHITEOUT)


def _place(folders: dict[str, Folder], path: str, node: Node) -> None:
    """Add one entry, whose parent is in `folders`; a directory keeps what it held and joins them."""
    parent, _, name = path.rpartition("/")
    folder = folders[parent]
    if not isinstance(node, Directory):
        folder[name] = node
        return
    present = folder.get(name)
    if not isinstance(present, dict):
        if present is not None and not node.listed:
            # Some follow a link here and some replace it, and so for a file.
            raise ArchiveRefused(Refusal.BELOW_FILE, path)
        present = folder[name] = {}
    folders[path] = present
