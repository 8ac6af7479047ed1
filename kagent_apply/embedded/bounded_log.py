"""A log that is never larger than its bound, whatever is written to it."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

LARGEST: Final = 1 << 20
"""Bytes of the log; as many are kept of what was before."""

LOG_NAME: Final = "actor.log"
"""The file of it."""

_LONGEST_LINE: Final = 512


class BoundedLog:
    """Appends to `actor.log`, which becomes `actor.log.1` when it is full; both have mode 0600."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / LOG_NAME
        self._file = -1
        self._size = 0
        self._tail = b""
        with contextlib.suppress(OSError):  # an actor without a log is better than none
            self._open()

    def write(self, data: bytes) -> None:
        """Append; what cannot be written is lost, so that the actor can go on."""
        self._tail = (self._tail + data)[-2 * _LONGEST_LINE :]
        with contextlib.suppress(OSError):
            if self._size + len(data) > LARGEST:
                self.close()
                self._path.replace(self._path.with_name(f"{LOG_NAME}.1"))
                self._open()
            if self._file >= 0:
                self._size += os.write(self._file, data[-LARGEST:])

    def last_line(self) -> str:
        """The last line that says something, of printable characters, at most 512 of them."""
        for line in reversed(self._tail.decode(errors="replace").splitlines()):
            shown = "".join(character if character.isprintable() else " " for character in line).strip()
            if shown:
                return shown[:_LONGEST_LINE]
        return ""

    def close(self) -> None:
        """Let go of the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _open(self) -> None:
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        self._file = os.open(self._path, flags, 0o600)
        self._size = os.fstat(self._file).st_size
