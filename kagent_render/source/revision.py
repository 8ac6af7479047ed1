"""Reads files from a Git revision: objects only, never the work tree."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Final

from kagent_render.source.reader import MAX_READ, Listing, ReadError, checked_size, path_parts
from kagent_render.source.repository import object_faults, open_repository, resolve_commit

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from dulwich.objects import ObjectID
    from dulwich.repo import Repo

_Entry = tuple[int, "ObjectID"]
_UNSAFE: Final = frozenset(("", ".", ".."))


class GitRevision:
    """The files of one commit; `commit` is its full id. Raises RepositoryError when opened in vain."""

    def __init__(self, repository: Path, revision: str) -> None:
        self._repository = open_repository(repository)
        commit = resolve_commit(self._repository, revision)
        self.commit = commit.id.decode("ascii")
        self._root: str = commit.tree.decode("ascii")
        self._trees: dict[str, dict[str, _Entry]] = {}
        with object_faults(revision):
            self._trees[""] = _read_tree(self._repository, commit.tree)

    def files(self, folder: str = "", *, hidden: bool = False, without: Collection[str] = ()) -> Listing:
        """Every regular file below `folder`."""
        path_parts(folder)
        paths: list[str] = []
        unreadable: list[ReadError] = []
        pending = [folder]
        while pending:
            current = pending.pop()
            prefix = f"{current}/" if current else ""
            try:
                tree = self._tree(current)
            except ReadError as error:
                unreadable.append(error)
                continue
            for name, (mode, _) in tree.items():
                if stat.S_ISREG(mode):
                    paths.append(prefix + name)
                elif (
                    stat.S_ISDIR(mode)
                    and (hidden or not name.startswith("."))
                    and prefix + name not in without
                ):
                    pending.append(prefix + name)
        return Listing(tuple(sorted(paths)), tuple(sorted(unreadable, key=lambda error: error.path)))

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        """A file's bytes."""
        entry = self._entry(path)
        if entry is None or not stat.S_ISREG(entry[0]):
            raise ReadError(path, "does not exist")
        with object_faults(path):
            data = self._repository.object_store[entry[1]].as_raw_string()
        return checked_size(path, data, limit)

    def exists(self, path: str) -> bool:
        """Whether `path` is a regular file."""
        return self.mode(path) is not None

    def mode(self, path: str) -> int | None:
        """The file's mode."""
        entry = self._entry(path)
        if entry is None or not stat.S_ISREG(entry[0]):
            return None
        return 0o755 if entry[0] & stat.S_IXUSR else 0o644

    def tree(self, folder: str) -> str | None:
        """The id of a folder's tree: two with one id hold the same files; None where no folder is."""
        if not folder:
            return self._root
        entry = self._entry(folder)
        if entry is None or not stat.S_ISDIR(entry[0]):
            return None
        return str(entry[1].decode("ascii"))

    def _entry(self, path: str) -> _Entry | None:
        path_parts(path)
        folder, _, name = path.rpartition("/")
        return self._tree(folder).get(name)

    def _tree(self, folder: str) -> dict[str, _Entry]:
        if folder not in self._trees:
            entry = self._entry(folder)
            if entry is None or not stat.S_ISDIR(entry[0]):
                return {}
            with object_faults(folder):
                self._trees[folder] = _read_tree(self._repository, entry[1])
        return self._trees[folder]


def _read_tree(repository: Repo, identifier: ObjectID) -> dict[str, _Entry]:
    """A tree's entries; names that are not UTF-8, or that Git itself would refuse, are left out."""
    from dulwich.objects import Tree

    tree = repository.object_store[identifier]
    if not isinstance(tree, Tree):
        raise KeyError(identifier)
    entries: dict[str, _Entry] = {}
    for item in tree.items():
        name = item.path.decode(errors="ignore")
        if name.encode() == item.path and name not in _UNSAFE and "/" not in name:
            entries[name] = item.mode, item.sha
    return entries
