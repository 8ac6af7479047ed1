"""Addresses that a runtime's configuration fixes, brought to servers of a test."""

from __future__ import annotations

import contextlib
import fcntl
import socket
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from tests.servers import Request, ScriptedServer, serving


@contextlib.contextmanager
def held_port(port: int) -> Iterator[int]:
    """Keep a fixed port to this test, whichever process the others run in."""
    with open(Path(tempfile.gettempdir()) / f"kagent-port-{port}.lock", "w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield port


@contextlib.contextmanager
def tunnelling(port: int) -> Iterator[ScriptedServer]:
    """A proxy that leads every CONNECT, whichever host it names, to one port of the loopback interface."""

    def lead(request: Request) -> None:
        request.send_response(200)
        request.end_headers()
        with socket.create_connection(("127.0.0.1", port)) as server:
            back = threading.Thread(target=_pump, args=(server, request.connection), daemon=True)
            back.start()
            _pump(request.connection, server)
            back.join()
        request.close_connection = True

    with serving(lead) as proxy:
        yield proxy


def _pump(source: socket.socket, target: socket.socket) -> None:
    """Hand on what one side says until it has said all."""
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
