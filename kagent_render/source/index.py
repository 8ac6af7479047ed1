"""Reads files from the Git index: what the next commit would hold."""

from __future__ import annotations

import stat
from typing import TYPE_CHECKING, Final

from kagent_render.source.reader import (
    MAX_READ,
    UNRESOLVED,
    Listing,
    ReadError,
    checked_size,
    is_listed,
    path_parts,
)
from kagent_render.source.repository import RepositoryError, object_faults, open_repository

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from dulwich.index import ConflictedIndexEntry, IndexEntry
    from dulwich.objects import ObjectID
    from dulwich.repo import Repo

UNREADABLE: Final = "the Git index cannot be read"
"""What is wrong with one that is damaged, or of a sort that dulwich does not know."""

_Entry = tuple[int, "ObjectID"]


class GitIndex:
    """The staged files of one work tree. Raises RepositoryError when opened in vain.

    `index` is another file than the repository's own: Git names one to the hooks of a partial commit.
    """

    def __init__(self, repository: Path, index: Path | None = None) -> None:
        self._repository = open_repository(repository)
        self._entries, self._conflicts = _read_entries(self._repository, index)

    def files(self, folder: str = "", *, hidden: bool = False, without: Collection[str] = ()) -> Listing:
        """Every regular file below `folder`, and those with a merge conflict, which cannot be read."""
        path_parts(folder)
        paths = sorted([*self._entries, *self._conflicts])
        return Listing(
            tuple(path for path in paths if is_listed(path, folder, hidden=hidden, without=without))
        )

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        """A file's bytes."""
        path_parts(path)
        if path in self._conflicts:
            raise ReadError(path, UNRESOLVED)
        if path not in self._entries:
            raise ReadError(path, "is not in the Git index")
        with object_faults(path):
            data = self._repository.object_store[self._entries[path][1]].as_raw_string()
        return checked_size(path, data, limit)

    def exists(self, path: str) -> bool:
        """Whether `path` is a regular file in the index."""
        return path in self._entries

    def mode(self, path: str) -> int | None:
        """The file's mode."""
        if path not in self._entries:
            return None
        return 0o755 if self._entries[path][0] & stat.S_IXUSR else 0o644


def _read_entries(repository: Repo, index: Path | None) -> tuple[dict[str, _Entry], frozenset[str]]:
    """Mode and blob of every regular file, links and submodules left out; and the paths in conflict."""
    from dulwich.index import EXTENDED_FLAG_INTEND_TO_ADD, ConflictedIndexEntry

    entries: dict[str, _Entry] = {}
    conflicts: set[str] = set()
    for raw, entry in _open_index(repository, index):
        path = raw.decode(errors="ignore")
        if path.encode() != raw or not _is_safe(path):
            continue
        if isinstance(entry, ConflictedIndexEntry):
            conflicts.add(path)
        elif stat.S_ISREG(entry.mode) and not entry.extended_flags & EXTENDED_FLAG_INTEND_TO_ADD:
            entries[path] = entry.mode, entry.sha
    return entries, frozenset(conflicts)


def _open_index(
    repository: Repo, index: Path | None
) -> list[tuple[bytes, IndexEntry | ConflictedIndexEntry]]:
    from dulwich.index import Index

    if repository.bare:
        raise RepositoryError("a bare Git repository has no index")
    try:
        # Not `Repo.open_index`: that consults the user's configuration.
        path = repository.index_path() if index is None else str(index)
        return list(Index(path, object_format=repository.object_format).items())
    except Exception as error:
        # dulwich raises assertions and struct errors for a damaged file.
        raise RepositoryError(UNREADABLE) from error


def _is_safe(path: str) -> bool:
    try:
        return bool(path_parts(path))
    except ReadError:
        return False
