"""Whether a process answers its probe."""

from __future__ import annotations

import contextlib
import re
import socket
import time
from typing import Final

_PATIENCE: Final = 1.0
"""Seconds that an answer may take in all, however slowly it comes."""

_READY: Final = re.compile(rb"HTTP/1\.[01] 200[ \r]")
_LONGEST: Final = 64


def is_ready(port: int, path: str) -> bool:
    """Whether `GET path` at a loopback port is answered with 200."""
    until = time.monotonic() + _PATIENCE
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), _PATIENCE) as connection:
        connection.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
        return _READY.match(_status_line(connection, until)) is not None
    return False


def _status_line(connection: socket.socket, until: float) -> bytes:
    line = b""
    while len(line) < _LONGEST and b"\n" not in line and (left := until - time.monotonic()) > 0:
        connection.settimeout(left)
        if not (data := connection.recv(_LONGEST)):
            break
        line += data
    return line
