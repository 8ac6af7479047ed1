"""The audit log: a line for every call, in a file or a stream."""

from __future__ import annotations

import os
import stat
import threading
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol

from kagent_apply.auth.audit_record import audit_line, json_line
from kagent_apply.auth.failure import AccessError

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_apply.auth.audit_record import AuditRecord
    from kagent_apply.auth.watched_file import Told

_OTHERS: Final = stat.S_IWGRP | stat.S_IRWXO


class AuditFileError(AccessError):
    """The file of the log cannot be opened: one sentence, and what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(f"{message}; {hint}")
        self.message = message
        self.hint = hint


class Audit(Protocol):
    """Where records go."""

    @property
    def lost(self) -> int:
        """How many records could not be written since the start."""
        ...

    def write(self, record: AuditRecord) -> None:
        """Keep a record; a call never fails for it."""
        ...


class NoAudit:
    """Keeps nothing, and loses nothing."""

    lost = 0

    def write(self, record: AuditRecord) -> None:
        """Let a record go."""


def open_audit_file(path: str) -> int:
    """A descriptor that appends to a file, made with mode 0600 where there is none; raises AuditFileError."""
    flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        descriptor = os.open(path, flags, 0o600)
    except (OSError, ValueError) as error:
        told = (isinstance(error, OSError) and error.strerror) or "not a path"
        message = f"the audit log cannot be opened: {told.lower()}"
        raise AuditFileError(message, "see to its folder and mode; links are not followed") from None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or status.st_mode & _OTHERS:
        os.close(descriptor)
        message = "the audit log is no regular file, or others may read or write it"
        raise AuditFileError(message, "give the path of a file, and run `chmod 640` on it")
    return descriptor


class AuditLog:
    """Writes each record at once, whole lines in the order of the calls' ends.

    `open_descriptor` gives where to; it is called again by `reopen`, after the file was renamed. A record
    that cannot be written is lost: `told` hears of the first, and the log itself says how many there were.
    """

    def __init__(self, open_descriptor: Callable[[], int], told: Told) -> None:
        self._open_descriptor = open_descriptor
        self._told = told
        self._lock = threading.Lock()
        self._descriptor = open_descriptor()
        self._lost = self._lost_since = 0
        self._torn = _is_torn(self._descriptor)

    @property
    def lost(self) -> int:
        """How many records could not be written since the start."""
        return self._lost

    def write(self, record: AuditRecord) -> None:
        """Write a record; a full disk does not stop the call."""
        line = audit_line(record)
        with self._lock:
            if self._put(self._pending() + line):
                self._recovered()
            else:
                self._lose()

    def reopen(self) -> None:
        """Go on in the file that has the name now; in the old one where that cannot be opened."""
        try:
            descriptor = self._open_descriptor()
        except AuditFileError as error:
            self._told(f"the audit log goes on in its old file: {error.message}; {error.hint}")
            return
        with self._lock:
            before, self._descriptor, self._torn = self._descriptor, descriptor, _is_torn(descriptor)
        os.close(before)

    def close(self) -> None:
        """Let go of the file; nothing may be written afterwards."""
        with self._lock:
            os.close(self._descriptor)

    def _pending(self) -> bytes:
        """The end of a line of which only a part could be written, and how many records are missing."""
        end = b"\n" if self._torn else b""
        if not self._lost_since:
            return end
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        return end + json_line({"time": now, "lost": self._lost_since})

    def _put(self, data: bytes) -> bool:
        try:
            written = os.write(self._descriptor, data)
        except OSError:
            return False
        if 0 < written < len(data):
            self._torn = data[:written][-1:] != b"\n"
        return written == len(data)

    def _lose(self) -> None:
        if not self._lost_since:
            self._told("the audit log cannot be written to, and calls go on without it; make room for it")
        self._lost += 1
        self._lost_since += 1

    def _recovered(self) -> None:
        if self._lost_since:
            self._told(f"the audit log is written to again; {self._lost_since} records are missing")
        self._lost_since, self._torn = 0, False


def _is_torn(descriptor: int) -> bool:
    """Whether a file ends within a line, as after a full disk; False for a stream."""
    try:
        size = os.fstat(descriptor).st_size
        return size > 0 and os.pread(descriptor, 1, size - 1) != b"\n"
    except OSError:
        return False
