"""`--offline` as a wall: while it stands, nothing in this process gets a socket or starts a program.

It is an audit hook of the interpreter (PEP 578), so that no library can go around it by mistake.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager

_FORBIDDEN = frozenset(
    {
        "socket.__new__",
        "socket.getaddrinfo",
        "socket.gethostbyaddr",
        "socket.gethostbyname",
        "socket.getnameinfo",
        "subprocess.Popen",
        "os.exec",
        "os.fork",
        "os.forkpty",
        "os.posix_spawn",
        "os.system",
    }
)


class NetworkForbidden(Exception):  # noqa: N818  (named for the rule)
    """Something asked for the network in a run that may not use it: a bug, since nothing should."""


class _Wall:
    """How many isolated stretches of work are under way in this process."""

    standing = 0

    def watch(self, event: str, _: object) -> None:
        if self.standing and event in _FORBIDDEN:
            raise NetworkForbidden(event)


@functools.cache
def _wall() -> _Wall:
    """The process's wall: a hook cannot be taken away again, so there is one."""
    wall = _Wall()
    sys.addaudithook(wall.watch)
    return wall


@contextmanager
def isolated(*, wanted: bool) -> Iterator[None]:
    """Work without network where that is `wanted`; raises NetworkForbidden inside at the first try."""
    if not wanted:
        yield
        return
    wall = _wall()
    wall.standing += 1
    try:
        yield
    finally:
        wall.standing -= 1
