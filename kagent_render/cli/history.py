"""What was committed before: locks and manifests at HEAD, or on disk where there is no Git."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.cli.memory import program_identity
from kagent_render.emit.layout import AGENT_PLUGINS, LOCK
from kagent_render.preparation.memo import digest_key
from kagent_render.revision.lock_history import decode_histories, encode_histories, read_history
from kagent_render.source.head import head_commit
from kagent_render.source.reader import MemoryFiles, ReadError, Subfolder
from kagent_render.source.repository import RepositoryError, is_unborn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.cli.options import Settings
    from kagent_render.cli.roots import Root
    from kagent_render.preparation.memo import Memo
    from kagent_render.revision.lock_history import LockHistory
    from kagent_render.source.reader import Reader


class CommittedOutput:
    """The output folder at HEAD, or where a revision's output is kept; opened when it is first asked.

    What a commit holds never changes, so `memo` keeps the histories of all locks by the commit's id.
    """

    def __init__(self, root: Root, output: str, settings: Settings, memo: Memo) -> None:
        self._root = root
        self._output = output
        self._memo = memo
        self._at_head = root.repository is not None and settings.revision is None

    def lock(self, path: str) -> LockHistory | None:
        """The history in the lock at a path below the output folder."""
        if self._at_head:
            return self._histories.get(path)
        data = self._read(self._root.written, path)
        return read_history(data) if data is not None else None

    def manifest(self, path: str) -> bytes | None:
        """A manifest, from history or from the output as it is."""
        full = f"{self._output}/{path}"
        if self._at_head and self._committed.exists(full):
            return self._recorded(full)
        return self._read(self._root.written, path)

    @cached_property
    def _histories(self) -> dict[str, LockHistory]:
        """Every lock's history at HEAD, by its path below the output folder."""
        assert self._root.repository is not None
        commit = head_commit(self._root.repository)
        key = digest_key(["histories", commit, self._root.place, self._output, program_identity()])
        known = self._memo.recall([key]).get(key) if commit is not None else None
        if known is not None:
            return decode_histories(known)
        found = dict(self._read_histories())
        if commit is not None:
            self._memo.remember(key, encode_histories(found))
        return found

    def _read_histories(self) -> Iterator[tuple[str, LockHistory]]:
        start = len(self._output) + 1
        for path in self._committed.files(self._output).paths:
            if _is_of_pair(path[start:]) and (history := read_history(self._recorded(path))) is not None:
                yield path[start:], history

    @cached_property
    def _committed(self) -> Reader:
        from kagent_render.source.revision import GitRevision

        assert self._root.repository is not None
        try:
            if is_unborn(self._root.repository):
                return MemoryFiles({})
            return Subfolder(GitRevision(self._root.repository, "HEAD"), self._root.place)
        except (RepositoryError, ReadError) as error:
            raise _unknown(error) from None

    def _recorded(self, path: str) -> bytes:
        """A file that HEAD has; without it nobody can tell what has to be retained."""
        try:
            return self._committed.read(path)
        except ReadError as error:
            raise _unknown(error) from None

    def _read(self, reader: Reader, path: str) -> bytes | None:
        try:
            return reader.read(f"{self._output}/{path}")
        except ReadError:
            return None


def _is_of_pair(path: str) -> bool:
    """Whether a path below the output folder is the lock of a pair."""
    return path.endswith(f"/{LOCK}") and path.split("/", 2)[1] != AGENT_PLUGINS


def _unknown(error: Exception) -> EnvironmentFailure:
    return EnvironmentFailure(
        f"what HEAD retains cannot be read: {error}",
        "run `git fsck` and repair the repository, or fetch the objects that it lacks",
    )
