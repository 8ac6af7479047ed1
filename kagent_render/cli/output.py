"""Opens the output folder to compare with, on disk, in the index or at a revision; tells one that fails."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.diagnostics.text import printable
from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.folder import Entry, OutputError
from kagent_render.source.reader import UNRESOLVED, ReadError
from kagent_render.source.worktree import WorkTree

if TYPE_CHECKING:
    from kagent_render.cli.roots import Root
    from kagent_render.emit.folder import OutputReader
    from kagent_render.source.reader import Reader

_MARKER: Final = b"<<<<<<< "


@dataclass(frozen=True, slots=True)
class CommittedFolder:
    """An output folder among files that are no folder on disk."""

    reader: Reader
    output: str

    def entries(self) -> Iterator[Entry]:
        """Every file below the folder."""
        start = len(self.output) + 1
        for path in self.reader.files(self.output, hidden=True).paths:
            yield Entry(path[start:])

    def read(self, path: str, limit: int) -> bytes:
        """The first `limit` bytes of a file; of one in conflict, the marker that Git writes to disk."""
        full = f"{self.output}/{path}"
        try:
            return self.reader.read(full)[:limit]
        except ReadError as error:
            if error.problem == UNRESOLVED:
                return _MARKER[:limit]
            raise OutputError(full, error.problem) from None


@contextmanager
def open_output(root: Root, output: str) -> Iterator[OutputReader]:
    """The output folder beside the manifests that are read."""
    if not isinstance(root.written, WorkTree):
        yield CommittedFolder(root.written, output)
        return
    with DiskOutput(root.folder, output) as folder:
        yield folder


@contextmanager
def open_outputs(root: Root, output: str) -> Iterator[list[OutputReader]]:
    """The output folder, and those of the sides of a merge: whoever asks locks for pins asks them all."""
    with open_output(root, output) as folder:
        yield [folder, *(CommittedFolder(side, output) for side in root.sides)]


@contextmanager
def naming_folders_of(root: Root) -> Iterator[None]:
    """End the command where a folder of a root cannot be used, with its path from the working directory."""
    try:
        yield
    except OutputError as error:
        place = printable(os.path.relpath(root.folder / error.path))
        raise EnvironmentFailure(f"`{place}` {error.problem}", error.hint) from None
