"""A repository on this machine: a work tree, a linked one or a bare one, of which only objects are read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_apply.revisions.local_objects import LocalObjects
from kagent_apply.revisions.repository import (
    MAX_BLOB,
    MAX_TREE,
    Commit,
    ObjectError,
    RefError,
    read_commit,
    ref_names,
)
from kagent_render.source.repository import RepositoryError, open_repository

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from dulwich.repo import Repo

_TAGS: Final = 8
"""How many tags of tags are followed."""

_MAX_COMMIT: Final = 1 << 20


class LocalRepository:
    """The repository at or above `path`, opened anew whenever the ref is asked for.

    Raises ValueError where `ref` can be none.
    """

    def __init__(self, path: Path, ref: str) -> None:
        self._path = path
        self._ref = ref
        self._names = ref_names(ref)
        self._objects: LocalObjects | None = None

    @property
    def place(self) -> str:
        """The ref and the folder."""
        return f"`{self._ref}` of `{self._path}`"

    def tip(self) -> Commit:
        """The commit that the ref names now."""
        self.close()
        if not self._path.is_dir():  # a repository above a folder that is not there is another one
            raise RefError(f"there is no folder `{self._path}`")
        try:
            repository = open_repository(self._path)
        except RepositoryError as error:
            raise RefError(str(error)) from None
        with repository:
            self._objects = LocalObjects(repository)
            name = self._target(repository)
        try:
            return self._peeled(name)
        except (ObjectError, ValueError) as error:
            raise RefError(f"{self.place} names no commit that can be read: {error}") from None

    def ancestor(self, commit: str) -> Commit:
        """A commit of the history; in a shallow repository its parents may not be there."""
        return self._peeled(commit)

    def tree(self, name: str) -> bytes:
        """The bytes of a tree."""
        try:
            return self._read(name, "tree", MAX_TREE)
        except ValueError:
            raise ObjectError(f"the tree `{name}` is larger than {MAX_TREE >> 20} MiB") from None

    def gather(self, blobs: Collection[str]) -> None:
        """Nothing: all are at hand."""

    def blob(self, name: str) -> bytes:
        """The bytes of a blob."""
        return self._read(name, "blob", MAX_BLOB)

    def close(self) -> None:
        """Let go of the repository's files."""
        if self._objects is not None:
            self._objects.close()
            self._objects = None

    def _target(self, repository: Repo) -> str:
        from dulwich.refs import Ref

        for name in self._names:
            try:
                found = repository.refs.follow(Ref(name.encode()))[1]
            except (KeyError, ValueError, OSError):
                continue
            if found is not None:
                return found.decode("ascii", errors="replace")
        raise RefError(f"{self.place} does not exist")

    def _peeled(self, name: str) -> Commit:
        """The commit of that name, or the one that a tag leads to."""
        for _ in range(_TAGS):
            kind, data = self._opened.read(name, _MAX_COMMIT)
            if kind == "commit":
                return read_commit(name, data)
            if kind != "tag":
                break
            name = data.partition(b"\n")[0].removeprefix(b"object ").decode("ascii", errors="replace")
        raise ObjectError(f"`{name}` is no commit")

    def _read(self, name: str, kind: str, limit: int) -> bytes:
        found, data = self._opened.read(name, limit)
        if found != kind:
            raise ObjectError(f"the {found} `{name}` stands in the place of a {kind}")
        return data

    @property
    def _opened(self) -> LocalObjects:
        if self._objects is None:
            raise RefError(f"{self.place} has not been read yet")
        return self._objects
