"""A folder of a commit as an output folder: everything in it, links and submodules included."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING

from kagent_render.emit.folder import Entry, EntryKind, OutputBlockedError, OutputError
from kagent_render.emit.layout import DEEPEST
from kagent_render.source.reader import ReadError
from kagent_render.source.repository import object_faults

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dulwich.objects import ObjectID, ShaFile, Tree
    from dulwich.repo import Repo


class TreeFolder:
    """The folder `output` of a tree; one that is not there is empty.

    Raises OutputBlockedError where something else stands at it or above it, and OutputError where an object
    cannot be read. Folders as deep as `deepest` are listed as they are, and not what is in them.
    """

    def __init__(self, repository: Repo, tree: ObjectID | None, output: str, deepest: int = DEEPEST) -> None:
        self._repository = repository
        self._output = output
        self._deepest = deepest
        self._blobs: dict[str, ObjectID] = {}
        self._entries = list(self._list(self._open(tree), "")) if tree is not None else []

    def entries(self) -> list[Entry]:
        """Everything below the folder."""
        return self._entries

    def read(self, path: str, limit: int) -> bytes:
        """The first `limit` bytes of a file."""
        data: bytes = self._object(self._blobs[path], path).as_raw_string()
        return data[:limit]

    def _open(self, tree: ObjectID) -> ObjectID | None:
        """The tree at the folder; None where there is none."""
        current = tree
        walked: list[str] = []
        for name in self._output.split("/") if self._output else ():
            walked.append(name)
            found = {item.path: item for item in self._tree(current, "").items()}
            entry = found.get(name.encode())
            if entry is None:
                return None
            if not stat.S_ISDIR(entry.mode):
                raise OutputBlockedError("/".join(walked), "is no folder on the branch", "remove it there")
            current = entry.sha
        return current

    def _list(self, tree: ObjectID | None, path: str) -> Iterator[Entry]:
        for item in self._tree(tree, path).items() if tree is not None else ():
            below = _join(path, item.path)
            if stat.S_ISREG(item.mode):
                self._blobs[below] = item.sha
                yield Entry(below)
            elif not stat.S_ISDIR(item.mode) or below.count("/") + 1 >= self._deepest:
                yield Entry(below, EntryKind.OTHER)
            else:
                yield from self._list(item.sha, below)

    def _tree(self, identifier: ObjectID, path: str) -> Tree:
        from dulwich.objects import Tree

        found = self._object(identifier, path)
        if not isinstance(found, Tree):
            raise OutputError(self._full(path), "has a damaged Git object")
        return found

    def _object(self, identifier: ObjectID, path: str) -> ShaFile:
        try:
            with object_faults(path):
                return self._repository.object_store[identifier]
        except ReadError as error:
            raise OutputError(self._full(path), error.problem) from None

    def _full(self, path: str) -> str:
        return "/".join(part for part in (self._output, path) if part)


def _join(prefix: str, name: bytes) -> str:
    """A path to show; a name that is not UTF-8 is no name of ours."""
    readable = name.decode(errors="replace")
    return f"{prefix}/{readable}" if prefix else readable
