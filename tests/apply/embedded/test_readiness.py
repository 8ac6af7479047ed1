"""What counts as an answer to a probe, also of a process that means ill."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from kagent_apply.embedded.free_ports import free_ports
from kagent_apply.embedded.readiness import is_ready


@contextlib.contextmanager
def _answering(*parts: bytes, pause: float = 0.0) -> Iterator[int]:
    """A listener that answers one connection in parts; with `pause`, without end."""
    done = threading.Event()

    def answer() -> None:
        with contextlib.suppress(OSError), listener.accept()[0] as connection:
            connection.recv(4096)
            for part in parts:
                connection.sendall(part)
            while pause and not done.wait(pause):
                connection.sendall(b"x")

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=answer)
        thread.start()
        yield listener.getsockname()[1]
        done.set()
    thread.join(10)


@pytest.mark.parametrize(
    ("parts", "ready"),
    [
        ((b"HTTP/1.1 200 OK\r\n\r\n",), True),
        ((b"HTTP/1.0 200\r\n",), True),
        ((b"HTTP/1.", b"1 20", b"0 OK\r\n"), True),
        ((b"HTTP/1.1 503 no\r\n\r\n",), False),
        ((b"HTTP/1.1 2000 OK\r\n",), False),
        ((b"HTTP/1.1 404 HTTP/1.1 200 OK\r\n",), False),
        ((b"\n",), False),
        ((b"x" * 10_000_000,), False),
        ((), False),
    ],
    ids=range(9),
)
def test_ready_is_who_answers_200(parts: tuple[bytes, ...], ready: bool) -> None:
    with _answering(*parts) as port:
        assert is_ready(port, "/readyz") is ready


def test_nobody_is_not_ready() -> None:
    assert not is_ready(free_ports(1, ())[0], "/readyz")


def test_who_answers_without_end_takes_no_longer_than_who_does_not() -> None:
    began = time.monotonic()
    with _answering(b"HTTP/1.1 ", pause=0.1) as port:
        assert not is_ready(port, "/readyz")
    assert time.monotonic() - began < 3


def test_ports_are_free_and_were_not_given_out() -> None:
    first = free_ports(3, ())
    assert len(set(first)) == 3
    assert not set(free_ports(20, first)) & set(first)
