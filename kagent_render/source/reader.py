"""Reading a folder's files, wherever they are: the protocol, and readers made out of other readers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

MAX_READ: Final = 32 * 1024 * 1024
"""How many bytes of a file are read unless a caller says otherwise."""

UNRESOLVED: Final = "has an unresolved merge conflict"
"""The problem of a path that Git has in several versions."""

STANDARD_INPUT: Final = "<stdin>"
"""The path of the one file that standard input is."""


class ReadError(Exception):
    """A file or folder that cannot be read; the text says why, in a sentence that starts at the path."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"`{path}` {problem}")
        self.path = path
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Listing:
    """The files below a folder in byte order of their paths, and the folders that could not be read."""

    paths: tuple[str, ...]
    unreadable: tuple[ReadError, ...] = ()


class Reader(Protocol):
    """The files of one root. Paths are relative and use `/`; links are never followed, nor listed."""

    def files(self, folder: str = "", *, hidden: bool = False, without: Collection[str] = ()) -> Listing:
        """Every regular file below `folder`; hidden folders below it only on demand, `without` some folders.

        Names that are not UTF-8 are left out. A folder that does not exist has no files.
        """
        ...

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        """A file's bytes; raises ReadError, also for more than `limit` bytes."""
        ...

    def exists(self, path: str) -> bool:
        """Whether `path` is a regular file."""
        ...

    def mode(self, path: str) -> int | None:
        """0o755 for an executable file, else 0o644; None where no such file is."""
        ...


def path_parts(path: str) -> tuple[str, ...]:
    """A relative path's names; raises ReadError for a path that could lead out of the root."""
    parts = tuple(path.split("/")) if path else ()
    if any(part in ("", ".", "..") or "\0" in part for part in parts):
        raise ReadError(path, "is not a path below the root")
    return parts


def is_listed(path: str, folder: str, *, hidden: bool, without: Collection[str]) -> bool:
    """Whether a flat list of all files would show `path` for `Reader.files` with these arguments."""
    if folder and not path.startswith(f"{folder}/"):
        return False
    folders = path[len(folder) :].lstrip("/").split("/")[:-1]
    if not hidden and any(name.startswith(".") for name in folders):
        return False
    return not any(path.startswith(f"{left_out}/") for left_out in without)


def checked_size(path: str, data: bytes, limit: int) -> bytes:
    """`data`, unless it is longer than `limit` bytes: then ReadError."""
    if len(data) > limit:
        raise ReadError(path, f"is larger than {limit:,} bytes")
    return data


@dataclass(frozen=True, slots=True)
class MemoryFiles:
    """Files held in memory: the twin of the other readers, for tests and for generated input."""

    contents: Mapping[str, bytes]
    executable: frozenset[str] = field(default_factory=frozenset)

    def files(self, folder: str = "", *, hidden: bool = False, without: Collection[str] = ()) -> Listing:
        """Every file below `folder`."""
        path_parts(folder)
        return Listing(
            tuple(
                path
                for path in sorted(self.contents)
                if is_listed(path, folder, hidden=hidden, without=without)
            )
        )

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        """A file's bytes."""
        path_parts(path)
        if path not in self.contents:
            raise ReadError(path, "does not exist")
        return checked_size(path, self.contents[path], limit)

    def exists(self, path: str) -> bool:
        """Whether the file is there."""
        return path in self.contents

    def mode(self, path: str) -> int | None:
        """The file's mode."""
        if path not in self.contents:
            return None
        return 0o755 if path in self.executable else 0o644


@dataclass(frozen=True, slots=True)
class Subfolder:
    """Another reader's folder as a root of its own."""

    base: Reader
    folder: str

    def files(self, folder: str = "", *, hidden: bool = False, without: Collection[str] = ()) -> Listing:
        """Every file below `folder`."""
        start = self._path(folder)
        listing = self.base.files(start, hidden=hidden, without=[self._path(path) for path in without])
        return Listing(
            tuple(self._own(listing.paths)),
            tuple(ReadError(self._inside(error.path), error.problem) for error in listing.unreadable),
        )

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        """A file's bytes."""
        try:
            return self.base.read(self._path(path), limit)
        except ReadError as error:
            raise ReadError(path, error.problem) from None

    def exists(self, path: str) -> bool:
        """Whether the file is there."""
        return self.base.exists(self._path(path))

    def mode(self, path: str) -> int | None:
        """The file's mode."""
        return self.base.mode(self._path(path))

    def _path(self, path: str) -> str:
        path_parts(path)
        return "/".join(part for part in (self.folder, path) if part)

    def _own(self, paths: Iterable[str]) -> Iterable[str]:
        return (self._inside(path) for path in paths)

    def _inside(self, path: str) -> str:
        return path.removeprefix(f"{self.folder}/") if self.folder else path


@dataclass(frozen=True, slots=True)
class MovedFolder:
    """Another reader's files as if its folders `old` were called `new` already: the first that has a file."""

    base: Reader
    old: tuple[str, ...]
    new: str

    def files(self, folder: str = "", *, hidden: bool = False, without: Collection[str] = ()) -> Listing:
        """Every file below `folder`; the moved folders' where that is asked for."""
        if not self._is_moved(folder):
            return self.base.files(folder, hidden=hidden, without=without)
        paths: set[str] = set()
        unreadable: list[ReadError] = []
        for old in self.old:
            start, left_out = self._at(old, folder), [self._at(old, path) for path in without]
            listing = self.base.files(start, hidden=hidden, without=left_out)
            paths.update(folder + path[len(start) :] for path in listing.paths)
            unreadable += listing.unreadable
        return Listing(tuple(sorted(paths)), tuple(unreadable))

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        """A file's bytes."""
        return self.base.read(self._path(path), limit)

    def exists(self, path: str) -> bool:
        """Whether the file is there."""
        return self.base.exists(self._path(path))

    def mode(self, path: str) -> int | None:
        """The file's mode."""
        return self.base.mode(self._path(path))

    def _path(self, path: str) -> str:
        """Where a file is in the other reader."""
        if not self._is_moved(path):
            return path
        places = [self._at(old, path) for old in self.old]
        return next((place for place in places if self.base.exists(place)), places[0])

    def _is_moved(self, path: str) -> bool:
        return path == self.new or path.startswith(f"{self.new}/")

    def _at(self, old: str, path: str) -> str:
        return old + path[len(self.new) :] if self._is_moved(path) else path


@dataclass(frozen=True, slots=True)
class GivenFiles:
    """Files held in memory as the root's only sources; everything else that is named comes from `base`."""

    base: Reader
    contents: Mapping[str, bytes]

    def files(self, folder: str = "", *, hidden: bool = False, without: Collection[str] = ()) -> Listing:
        """The given files for the whole root; another folder's files as they are."""
        if folder:
            return self.base.files(folder, hidden=hidden, without=without)
        return Listing(tuple(sorted(self.contents)))

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        """A file's bytes."""
        if path in self.contents:
            return checked_size(path, self.contents[path], limit)
        return self.base.read(path, limit)

    def exists(self, path: str) -> bool:
        """Whether the file is there."""
        return path in self.contents or self.base.exists(path)

    def mode(self, path: str) -> int | None:
        """The file's mode."""
        return 0o644 if path in self.contents else self.base.mode(path)


@dataclass(frozen=True, slots=True)
class EditedFiles:
    """Another reader's files, some of them with other bytes."""

    base: Reader
    contents: Mapping[str, bytes]

    def files(self, folder: str = "", *, hidden: bool = False, without: Collection[str] = ()) -> Listing:
        """The same files."""
        return self.base.files(folder, hidden=hidden, without=without)

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        """A file's bytes."""
        if path in self.contents:
            return checked_size(path, self.contents[path], limit)
        return self.base.read(path, limit)

    def exists(self, path: str) -> bool:
        """Whether the file is there."""
        return self.base.exists(path)

    def mode(self, path: str) -> int | None:
        """The file's mode."""
        return self.base.mode(path)


class StandardInput(GivenFiles):
    """Standard input's bytes as the root's one source."""

    def __init__(self, base: Reader, data: bytes) -> None:
        super().__init__(base, {STANDARD_INPUT: data})
