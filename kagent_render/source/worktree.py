"""Reads files from a folder on disk without following links."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Final

from kagent_render.source.reader import MAX_READ, Listing, ReadError, path_parts

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

# A pipe that lies about being a file must not block; on Windows neither flag exists.
_OPEN: Final = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)


class WorkTree:
    """The files below a folder on disk; the folder itself may be reached through a link."""

    def __init__(self, root: Path) -> None:
        self._root = os.fspath(root)
        self._folders = {""}

    def files(self, folder: str = "", *, hidden: bool = False, without: Collection[str] = ()) -> Listing:
        """Every regular file below `folder`."""
        paths: list[str] = []
        unreadable: list[ReadError] = []
        pending = [folder] if self._is_folder(path_parts(folder)) else []
        while pending:
            current = pending.pop()
            try:
                found, folders = self._scan(current, hidden=hidden)
            except FileNotFoundError:
                continue
            except OSError as error:
                unreadable.append(ReadError(current, f"cannot be read: {_cause(error)}"))
                continue
            paths += found
            pending += [path for path in folders if path not in without]
        return Listing(tuple(sorted(paths)), tuple(sorted(unreadable, key=lambda error: error.path)))

    def read(self, path: str, limit: int = MAX_READ) -> bytes:
        """A file's bytes."""
        parts = path_parts(path)
        if not parts or not self._is_folder(parts[:-1]):
            raise ReadError(path, "does not exist")
        try:
            return self._read(path, limit)
        except OSError as error:
            raise ReadError(path, f"cannot be read: {_cause(error)}") from None

    def exists(self, path: str) -> bool:
        """Whether `path` is a regular file."""
        return self.mode(path) is not None

    def mode(self, path: str) -> int | None:
        """The file's mode."""
        parts = path_parts(path)
        if not parts or not self._is_folder(parts[:-1]):
            return None
        try:
            status = os.lstat(self._on_disk(path))
        except OSError:
            return None
        if not stat.S_ISREG(status.st_mode):
            return None
        return 0o755 if status.st_mode & stat.S_IXUSR else 0o644

    def _on_disk(self, path: str) -> str:
        return f"{self._root}/{path}" if path else self._root

    def _is_folder(self, parts: tuple[str, ...]) -> bool:
        """Whether every step is a folder rather than a link to one."""
        for length in range(1, len(parts) + 1):
            path = "/".join(parts[:length])
            if path in self._folders:
                continue
            try:
                if not stat.S_ISDIR(os.lstat(self._on_disk(path)).st_mode):
                    return False
            except OSError:
                return False
            self._folders.add(path)
        return True

    def _scan(self, folder: str, *, hidden: bool) -> tuple[list[str], list[str]]:
        files: list[str] = []
        folders: list[str] = []
        prefix = f"{folder}/" if folder else ""
        with os.scandir(self._on_disk(folder)) as entries:
            for entry in entries:
                if not _is_text(entry.name):
                    continue
                if entry.is_file(follow_symlinks=False):
                    files.append(prefix + entry.name)
                elif entry.is_dir(follow_symlinks=False) and (hidden or not entry.name.startswith(".")):
                    folders.append(prefix + entry.name)
        return files, folders

    def _read(self, path: str, limit: int) -> bytes:
        descriptor = os.open(self._on_disk(path), _OPEN)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise ReadError(path, "is not a regular file")
            if status.st_size > limit:
                raise ReadError(path, f"is larger than {limit:,} bytes")
            data = file.read(status.st_size + 1)
            if len(data) != status.st_size:
                raise ReadError(path, "changed while it was read")
            return data


def _is_text(name: str) -> bool:
    if name.isascii():
        return True
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _cause(error: OSError) -> str:
    return (error.strerror or "it vanished").lower()
