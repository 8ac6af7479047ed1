"""Small files of the operator's, read whole, with what tells whether they have changed."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from typing import Final

from kagent_apply.auth.failure import AccessError

MAX_BYTES: Final = 1024 * 1024
"""The largest file that is read."""

_OTHERS: Final = stat.S_IWGRP | stat.S_IRWXO


@dataclass(frozen=True, slots=True)
class FileFault:
    """A file of the operator's and the line in it, from 1; one sentence, and what to do."""

    path: str
    line: int
    message: str
    hint: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.message}; {self.hint}"


class FileFaultError(AccessError):
    """Everything that is wrong with one file."""

    def __init__(self, *faults: FileFault) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = faults


@dataclass(frozen=True, slots=True)
class Stamp:
    """What is different after a file was written, replaced, or given another mode."""

    device: int
    inode: int
    size: int
    modified: int
    changed: int


def read_small(path: str, *, private: bool) -> tuple[bytes, Stamp]:
    """A file's bytes and stamp; raises FileFaultError.

    A private one may be written by its owner alone, and be read by its owner and group; others just may not
    be written by everybody.
    """
    descriptor = _open(path)
    try:
        status = os.fstat(descriptor)
        _check(path, status, private=private)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise _unreadable(path, error) from None
    finally:
        os.close(descriptor)
    if len(data) > MAX_BYTES:
        raise _fault(path, f"the file is larger than {MAX_BYTES // 1024 // 1024} MiB", "make it smaller")
    return data, _stamp(status)


def stamp(path: str) -> Stamp | None:
    """The stamp of a file as it is now, links followed; None where it cannot be asked for."""
    try:
        return _stamp(os.stat(path))  # noqa: PTH116  (a Path for each question costs more than the answer)
    except (OSError, ValueError):
        return None


def _open(path: str) -> int:
    try:
        # A pipe in the place of the file would be waited for.
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from None


def _check(path: str, status: os.stat_result, *, private: bool) -> None:
    if not stat.S_ISREG(status.st_mode):
        raise _fault(path, "this is no regular file", "give the path of a file")
    if private and status.st_mode & _OTHERS:
        message = "others than its owner and group may read the file, or others than its owner write it"
        raise _fault(path, message, "run `chmod 640`; in Kubernetes set `defaultMode: 0440` and `fsGroup`")
    if status.st_mode & stat.S_IWOTH:
        raise _fault(path, "everybody may write the file", "run `chmod o-w`")


def _stamp(status: os.stat_result) -> Stamp:
    return Stamp(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _unreadable(path: str, error: OSError | ValueError) -> FileFaultError:
    told = error.strerror if isinstance(error, OSError) and error.strerror else "not a path"
    return _fault(path, f"the file cannot be read: {told.lower()}", "see to its path and mode")


def _fault(path: str, message: str, hint: str) -> FileFaultError:
    return FileFaultError(FileFault(path, 1, message, hint))
