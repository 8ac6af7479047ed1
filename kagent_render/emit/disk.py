"""A folder of ours on disk, reached through folder handles so that no link below the root is followed."""

from __future__ import annotations

import errno
import os
import re
import shutil
import stat
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final, Self

from kagent_render.emit.folder import Entry, EntryKind, OutputBlockedError, OutputError
from kagent_render.emit.layout import DEEPEST

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NEW_FILE: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_OLD_FILE: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FILE_MODE: Final = 0o644
_PROGRAM_MODE: Final = 0o755
_ASIDE: Final = ".kagent-render~"
_NOT_PLAIN: Final = re.compile(r"(?:\A|/)\.{0,2}(?:/|\Z)|\0")
_NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT)
_LINKED: Final = (errno.ELOOP, errno.ENOTDIR, errno.EMLINK)


class DiskOutput:
    """The folder `output` below `root`, which may itself be reached through links; a context manager.

    Folders as deep as `deepest` are listed as they are, and not what is in them.
    """

    def __init__(self, root: Path, output: str, deepest: int = DEEPEST) -> None:
        self.output = output
        self._deepest = deepest
        with self._reporting(output):
            self._root = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        # Handles of the last path's folders, outermost first: neighbouring paths share most of them.
        self._chain: list[tuple[str, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._forget()
        os.close(self._root)

    def handle(self) -> int:
        """A new handle of the output folder itself, which is made if it is missing; the caller closes it."""
        self._forget()
        with self._reporting(""):
            return os.open(".", _FOLDER, dir_fd=self._folder("", create=True))

    def entries(self) -> list[Entry]:
        """Everything below the folder."""
        found: list[Entry] = []
        self._forget()
        with self._reporting(""):
            try:
                folder = os.open(".", _FOLDER, dir_fd=self._folder(""))
            except FileNotFoundError:
                return found
            self._list(folder, "", found)
        return found

    def read(self, path: str, limit: int) -> bytes:
        """The first `limit` bytes of a file."""
        folder, name = _split(path)
        with self._reporting(path):
            return _read(os.open(name, _OLD_FILE, dir_fd=self._folder(folder)), limit)

    def exists(self, path: str) -> bool:
        """Whether anything is at a path."""
        folder, name = _split(path)
        with self._reporting(path):
            try:
                os.stat(name, dir_fd=self._folder(folder), follow_symlinks=False)
            except FileNotFoundError:
                return False
        return True

    def create(self, path: str, data: bytes, *, executable: bool = False) -> None:
        """Write a new file with the folders above it."""
        folder, name = _split(path)
        mode = _PROGRAM_MODE if executable else _FILE_MODE
        with self._reporting(path):
            parent = self._folder(folder, create=True)
            file = os.open(name, _NEW_FILE, mode, dir_fd=parent)
            try:
                _write(file, data, mode)
            except BaseException:
                os.unlink(name, dir_fd=parent)
                raise

    def rewrite(self, path: str, before: bytes, after: bytes) -> bool:
        """Give a file of the user's other bytes in one step, with the mode that it has.

        False, and nothing is written, where it does not hold `before` any more.
        """
        folder, name = _split(path)
        with self._reporting(path):
            parent = self._folder(folder)
            file = os.open(name, _OLD_FILE, dir_fd=parent)
            mode = os.fstat(file).st_mode
            if _read(file, len(before) + 1 if stat.S_ISREG(mode) else 0) != before:
                return False
            _write_aside(after, stat.S_IMODE(mode), parent)
            os.replace(_ASIDE, name, src_dir_fd=parent, dst_dir_fd=parent)
        return True

    def replace(self, source: str, target: str) -> None:
        """Rename a file over another one of the same folder, or a folder to where nothing is."""
        folder, name = _split(source)
        with self._reporting(target):
            parent = self._folder(folder)
            os.replace(name, _split(target)[1], src_dir_fd=parent, dst_dir_fd=parent)

    def remove(self, path: str) -> None:
        """Remove a file."""
        folder, name = _split(path)
        with self._reporting(path):
            os.unlink(name, dir_fd=self._folder(folder))

    def remove_folder(self, path: str) -> bool:
        """Remove a folder if it is there and empty."""
        parent, name = _split(path)
        with self._reporting(path):
            try:
                os.rmdir(name, dir_fd=self._folder(parent))
            except FileNotFoundError:
                return True
            except OSError as error:
                if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                    raise
                return False
        return True

    def remove_tree(self, path: str) -> None:
        """Remove whatever is at a path, with all that is below it."""
        folder, name = _split(path)
        self._forget()
        with self._reporting(path):
            _remove(name, self._folder(folder))

    def _list(self, folder: int, path: str, found: list[Entry]) -> None:
        """Add the entries of an open folder, which is closed afterwards."""
        try:
            with os.scandir(folder) as scan:
                entries = list(scan)
            if not entries and path:
                found.append(Entry(path, EntryKind.EMPTY_FOLDER))
            for entry in entries:
                self._add(entry, folder, _join(path, entry.name), found)
        finally:
            os.close(folder)

    def _add(self, entry: os.DirEntry[str], parent: int, path: str, found: list[Entry]) -> None:
        if entry.is_file(follow_symlinks=False):
            found.append(Entry(path))
        elif not entry.is_dir(follow_symlinks=False) or path.count("/") + 1 >= self._deepest:
            found.append(Entry(path, EntryKind.OTHER))
        else:
            self._list(os.open(entry.name, _FOLDER, dir_fd=parent), path, found)

    def _folder(self, path: str, *, create: bool = False) -> int:
        """A handle of a folder below the output, valid until the next call."""
        segments = [*_segments(self.output), *_segments(path)]
        shared = 0
        while shared < min(len(segments), len(self._chain)) and self._chain[shared][0] == segments[shared]:
            shared += 1
        self._forget(shared)
        for segment in segments[shared:]:
            parent = self._chain[-1][1] if self._chain else self._root
            self._chain.append((segment, _open_folder(segment, parent, create=create)))
        return self._chain[-1][1] if self._chain else self._root

    def _forget(self, kept: int = 0) -> None:
        while len(self._chain) > kept:
            os.close(self._chain.pop()[1])

    @contextmanager
    def _reporting(self, path: str) -> Iterator[None]:
        """Turn what the system says about `path` into our one error."""
        try:
            yield
        except OSError as error:
            shown = "/".join(filter(None, (self.output, path if path != self.output else "")))
            if error.errno in _LINKED:
                problem, hint = "is a symbolic link or no folder", "replace it by a real folder"
                raise OutputBlockedError(shown, problem, hint) from None
            raise OutputError(shown, *_explain(error)) from None


def _join(prefix: str, name: str) -> str:
    """A path to show; a name that is not UTF-8 is no name of ours."""
    readable = os.fsencode(name).decode(errors="replace")
    return f"{prefix}/{readable}" if prefix else readable


def _segments(path: str) -> list[str]:
    if path and _NOT_PLAIN.search(path):
        raise ValueError(f"`{path}` is not a plain relative path")
    return path.split("/") if path else []


def _split(path: str) -> tuple[str, str]:
    *folder, name = _segments(path)
    return "/".join(folder), name


def _open_folder(name: str, parent: int, *, create: bool) -> int:
    try:
        return os.open(name, _FOLDER, dir_fd=parent)
    except FileNotFoundError:
        if not create:
            raise
    with suppress(FileExistsError):
        os.mkdir(name, dir_fd=parent)
    return os.open(name, _FOLDER, dir_fd=parent)


def _read(file: int, limit: int) -> bytes:
    """Read the first `limit` bytes and close the file."""
    parts = []
    try:
        while limit > 0 and (part := os.read(file, limit)):
            parts.append(part)
            limit -= len(part)
    finally:
        os.close(file)
    return b"".join(parts)


def _write_aside(data: bytes, mode: int, parent: int) -> None:
    """Write what is to replace a file, to last, over what a run left that was killed."""
    with suppress(FileNotFoundError):
        os.unlink(_ASIDE, dir_fd=parent)
    file = os.open(_ASIDE, _NEW_FILE, mode, dir_fd=parent)
    try:
        _write(file, data, mode, lasting=True)
    except BaseException:
        os.unlink(_ASIDE, dir_fd=parent)
        raise


def _write(file: int, data: bytes, mode: int, *, lasting: bool = False) -> None:
    """Write and close a new file; its mode is the same under every umask."""
    try:
        os.fchmod(file, mode)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(file, rest) :]
        if lasting:
            os.fsync(file)
    finally:
        os.close(file)


def _remove(name: str, parent: int) -> None:
    """Remove what is at a name; `rmtree` itself would wait for a pipe and not accept a link."""
    if not stat.S_ISDIR(os.lstat(name, dir_fd=parent).st_mode):
        os.unlink(name, dir_fd=parent)
        return
    try:
        shutil.rmtree(name, dir_fd=parent)
    except RecursionError:
        raise OSError(errno.ENAMETOOLONG, "nested too deeply") from None


def _explain(error: OSError) -> tuple[str, str]:
    if error.errno in _NO_SPACE:
        return "cannot be written: the disk is full", "free some space and run again"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "cannot be reached: permission denied", "make the folder writable for this user"
    reason = os.strerror(error.errno).lower() if error.errno else "input or output failed"
    return f"cannot be reached: {reason}", "look at the path and run again"
