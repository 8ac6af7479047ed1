"""A folder of the cache on disk: files named by digests, reached through the folder's handle."""

from __future__ import annotations

import errno
import os
import re
import stat
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.cache.entry import EntryDamagedError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_NOT_OPENED: Final = (errno.ELOOP, errno.EMLINK, errno.ENXIO)  # a link, told in two ways; a socket
_PARTIAL: Final = ".partial-"
_NAME: Final = re.compile(r"[0-9a-f]{64}|\.partial-[0-9a-f]{16}")


@dataclass(frozen=True, slots=True)
class CacheFile:
    """A file of the cache's own naming: its size in bytes, and when it was last written or touched."""

    name: str
    size: int
    time: float

    @property
    def is_partial(self) -> bool:
        """Whether somebody writes it at this moment, or died when he did."""
        return self.name.startswith(_PARTIAL)


class CacheFiles:
    """The files of one open folder; whatever the system refuses is an OSError."""

    def __init__(self, path: Path, handle: int) -> None:
        self.path = path
        self._handle = handle

    def read(self, name: str, limit: int) -> bytes | None:
        """A file's bytes, None where it is not there; raises EntryDamagedError for what cannot be one."""
        try:
            file = os.open(name, _OLD_FILE, dir_fd=self._handle)
        except FileNotFoundError:
            return None
        except OSError as error:
            if error.errno in _NOT_OPENED:
                raise EntryDamagedError("a regular file", "a link or a socket") from None
            raise
        try:
            return _read(file, limit)
        finally:
            os.close(file)

    def has(self, name: str) -> bool:
        """Whether anything has that name."""
        try:
            os.stat(name, dir_fd=self._handle, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True

    def add(self, name: str, data: bytes) -> None:
        """Write a whole file, or none; what has its name already stays as it is."""
        if self.has(name):
            self.touch(name)
            return
        partial = _PARTIAL + os.urandom(8).hex()
        file = os.open(partial, _NEW_FILE, 0o600, dir_fd=self._handle)
        try:
            _write(file, data)
            os.rename(partial, name, src_dir_fd=self._handle, dst_dir_fd=self._handle)
        except BaseException:
            with suppress(OSError):
                os.unlink(partial, dir_fd=self._handle)
            raise

    def touch(self, name: str) -> None:
        """Make now the time of a file, if that can be done."""
        with suppress(OSError):
            os.utime(name, dir_fd=self._handle, follow_symlinks=False)

    def files(self) -> list[CacheFile]:
        """Every file whose name is one of the cache's, by name; links are not followed."""
        with os.scandir(self._handle) as scan:
            names = sorted(entry.name for entry in scan if _NAME.fullmatch(entry.name))
        return [file for name in names if (file := self._file(name)) is not None]

    def remove(self, name: str) -> None:
        """Remove a file that may be gone already."""
        with suppress(FileNotFoundError):
            os.unlink(name, dir_fd=self._handle)

    def _file(self, name: str) -> CacheFile | None:
        """A file as it is now; None where it is a folder, or gone."""
        try:
            found = os.stat(name, dir_fd=self._handle, follow_symlinks=False)
        except FileNotFoundError:
            return None
        return None if stat.S_ISDIR(found.st_mode) else CacheFile(name, found.st_size, found.st_mtime)


@contextmanager
def open_files(folder: Path, name: str, *, create: bool = False) -> Iterator[CacheFiles]:
    """The files of the folder `name` in `folder`; both are made if wanted. Raises OSError.

    PermissionError where one of the two is not this user's alone.
    """
    with _opened(folder, None, create) as parent, _opened(name, parent, create) as handle:
        yield CacheFiles(folder / name, handle)


@contextmanager
def _opened(path: Path | str, parent: int | None, create: bool) -> Iterator[int]:
    if create:
        with suppress(FileExistsError):
            os.mkdir(path, 0o700, dir_fd=parent)
    handle = os.open(path, _FOLDER, dir_fd=parent)
    try:
        found = os.fstat(handle)
        if found.st_uid != os.geteuid() or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise PermissionError(errno.EPERM, "others may write to it", str(path))
        yield handle
    finally:
        os.close(handle)


def _read(file: int, limit: int) -> bytes:
    found = os.fstat(file)
    if not stat.S_ISREG(found.st_mode):
        raise EntryDamagedError("a regular file", "a folder, a pipe or a device")
    if found.st_size > limit:
        raise EntryDamagedError(f"at most {limit:,} bytes", f"{found.st_size:,}")
    with os.fdopen(file, "rb", closefd=False) as opened:
        return opened.read(found.st_size + 1)


def _write(file: int, data: bytes) -> None:
    """Write and close a new file; its bytes are on the disk before anything names them."""
    try:
        os.fchmod(file, 0o600)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
        os.fsync(file)
    finally:
        os.close(file)
