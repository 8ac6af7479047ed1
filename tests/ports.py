"""Ports for servers that tests start again where they were."""

from __future__ import annotations

import random
import socket

_BELOW_THOSE_OF_CLIENTS = range(20_000, 32_000)
"""Linux gives connections that go out a port from 32768 on, and so none of them takes that of a server."""


def lasting_port() -> int:
    """A port of 127.0.0.1 that is free now, and that nobody is given by chance."""
    while True:
        port = random.choice(_BELOW_THOSE_OF_CLIENTS)
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
