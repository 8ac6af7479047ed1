"""The output folder as the rest of this room sees it, with a twin in memory."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Protocol

from kagent_render.diagnostics.diagnostic import Diagnostic, SourcePosition
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


class EntryKind(Enum):
    """What stands at a path."""

    FILE = "file"
    EMPTY_FOLDER = "empty folder"
    OTHER = "other"
    """A symbolic link, a device, or a folder deeper than any of ours."""


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One thing below the output folder; folders that hold something are not listed."""

    path: str
    kind: EntryKind = EntryKind.FILE


class OutputError(Exception):
    """The output folder cannot be read or written; the files are whole, old or new."""

    def __init__(self, path: str, problem: str, hint: str | None = None) -> None:
        super().__init__(f"`{path}` {problem}")
        self.path = path
        self.problem = problem
        self.hint = hint


class OutputBlockedError(OutputError):
    """A link or something foreign stands in the way of a file; nothing behind it was touched."""

    @property
    def diagnostic(self) -> Diagnostic:
        """The same as a fault of the repository."""
        return Diagnostic(
            Reason.OUTPUT_DRIFT, str(self), hint=self.hint, source=SourcePosition(self.path, 1, 1)
        )


class OutputReader(Protocol):
    """An output folder to compare with: on disk, in the index or at a commit."""

    def entries(self) -> Iterable[Entry]:
        """Everything below the folder in any order."""
        ...

    def read(self, path: str, limit: int) -> bytes:
        """The first `limit` bytes of a file."""
        ...


class OutputFolder(OutputReader, Protocol):
    """An output folder to write; every method raises OutputError."""

    def create(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Write a file that does not exist yet, with the folders above it; on failure it does not exist."""
        ...

    def replace(self, source: str, target: str) -> None:
        """Let a file take the place of another in the same folder, in one step; a folder that of nothing."""
        ...

    def remove(self, path: str) -> None:
        """Remove a file."""
        ...

    def remove_folder(self, path: str) -> bool:
        """Remove a folder if it is there and empty; whether it is gone."""
        ...

    def remove_tree(self, path: str) -> None:
        """Remove whatever is at a path, with all that is below it; links are not followed."""
        ...


class InterruptedRunError(Exception):
    """What MemoryOutput raises in the place of dying."""


class MemoryOutput:
    """An output folder in memory that can be told to die before its n-th change, counted from 0."""

    def __init__(self, files: Mapping[str, bytes] | None = None, dies_before: int | None = None) -> None:
        self.files = dict(files or {})
        self.executable: set[str] = set()
        self.others: set[Entry] = set()
        self.changes = 0
        self.dies_before = dies_before

    def entries(self) -> Iterator[Entry]:
        """Files, and whatever `others` holds."""
        yield from map(Entry, self.files)
        yield from self.others

    def read(self, path: str, limit: int) -> bytes:
        """The first `limit` bytes of a file."""
        return self.files[path][:limit]

    def create(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Add a file; dying leaves half of it, as a real kill may."""
        if path in self.files:
            raise OutputError(path, "exists already")
        self.files[path] = data[: len(data) // 2]
        self._count()
        self.files[path] = data
        if executable:
            self.executable.add(path)

    def replace(self, source: str, target: str) -> None:
        """Move a file or a folder."""
        if source not in self.files and self._below(target):
            raise OutputError(target, "exists already")
        self._count()
        for path in self._below(source):
            moved = target + path[len(source) :]
            self.files[moved] = self.files.pop(path)
            if path in self.executable:
                self.executable.remove(path)
                self.executable.add(moved)

    def remove(self, path: str) -> None:
        """Remove a file."""
        self._count()
        del self.files[path]

    def remove_folder(self, path: str) -> bool:
        """Forget an empty folder."""
        self._count()
        self.others.discard(Entry(path, EntryKind.EMPTY_FOLDER))
        return not any(name.startswith(f"{path}/") for name in self.files)

    def remove_tree(self, path: str) -> None:
        """Remove everything at a path; dying leaves part of it, as a real kill may."""
        for name in self._below(path):
            self._count()
            del self.files[name]

    def _below(self, path: str) -> list[str]:
        return [name for name in self.files if name == path or name.startswith(f"{path}/")]

    def _count(self) -> None:
        if self.changes == self.dies_before:
            raise InterruptedRunError
        self.changes += 1
