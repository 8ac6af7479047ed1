"""What was committed before: locks and manifests at HEAD, or on disk where there is no Git."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.revision.lock_history import read_history
from kagent_render.source.reader import MemoryFiles, ReadError, Subfolder
from kagent_render.source.repository import RepositoryError

if TYPE_CHECKING:
    from kagent_render.cli.options import Settings
    from kagent_render.cli.roots import Root
    from kagent_render.revision.lock_history import LockHistory
    from kagent_render.source.reader import Reader


class CommittedOutput:
    """The output folder at HEAD, or at the revision that is read; opened when it is first asked."""

    def __init__(self, root: Root, output: str, settings: Settings) -> None:
        self._root = root
        self._output = output
        self._settings = settings
        self._reader: Reader | None = None

    def lock(self, path: str) -> LockHistory | None:
        """The history in the lock at a path below the output folder."""
        data = self._read(self._committed(), path)
        return read_history(data) if data is not None else None

    def manifest(self, path: str) -> bytes | None:
        """A manifest, from history or from the output as it is."""
        data = self._read(self._committed(), path)
        return data if data is not None else self._read(self._root.committed, path)

    def _committed(self) -> Reader:
        if self._reader is None:
            self._reader = self._open()
        return self._reader

    def _open(self) -> Reader:
        if self._root.repository is None or self._settings.revision is not None:
            return self._root.committed
        from kagent_render.source.revision import GitRevision

        try:
            head = GitRevision(self._root.repository, "HEAD")
        except RepositoryError:
            return MemoryFiles({})  # nothing was committed yet
        return Subfolder(head, self._root.place)

    def _read(self, reader: Reader, path: str) -> bytes | None:
        try:
            return reader.read(f"{self._output}/{path}")
        except ReadError:
            return None
