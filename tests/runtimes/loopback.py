"""Ports of the loopback interface that a runtime's configuration fixes, one test after the other."""

from __future__ import annotations

import contextlib
import fcntl
import tempfile
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def held_port(port: int) -> Iterator[int]:
    """Keep a fixed port to this test, whichever process the others run in."""
    with open(Path(tempfile.gettempdir()) / f"kagent-port-{port}.lock", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield port
