"""Loopback ports that nobody listens at."""

from __future__ import annotations

import contextlib
import socket
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection


def free_ports(count: int, taken: Collection[int]) -> list[int]:
    """Ports that are free now and none of `taken`, which were given out but may not be listened at yet."""
    found: list[int] = []
    with contextlib.ExitStack() as open_sockets:
        while len(found) < count:
            held = open_sockets.enter_context(socket.socket())
            held.bind(("127.0.0.1", 0))
            if (port := held.getsockname()[1]) not in taken:
                found.append(port)
    return found
