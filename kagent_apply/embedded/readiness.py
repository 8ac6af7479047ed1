"""Whether a process answers its probe."""

from __future__ import annotations

import http.client
from typing import Final

_PATIENCE: Final = 1.0
"""Seconds that one answer may take."""


def is_ready(port: int, path: str) -> bool:
    """Whether `GET path` at a loopback port is answered with 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException, ValueError):
        return False
    finally:
        connection.close()
