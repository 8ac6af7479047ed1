"""HTTP servers for tests that say exactly what they are told to, whatever the protocol above."""

from __future__ import annotations

import copy
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[["Request"], None]
"""Writes one answer to a request, or something that is none."""


class Request(BaseHTTPRequestHandler):
    """One request as a test sees it: `path`, `headers`, `body`; answers are written to `wfile`."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # an answer's head and body would wait for each other
    body = b""

    def _answer(self) -> None:
        self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        assert isinstance(self.server, ScriptedServer)
        self.server.requests.append(copy.copy(self))  # one handler serves all requests of a connection
        self.server.answer(self)

    do_CONNECT = do_GET = do_HEAD = do_POST = do_PUT = _answer  # noqa: N815  (the names that http.server calls)

    def reply(self, body: bytes = b"", status: int = 200, length: int | None = None, **headers: str) -> None:
        """Send an answer; `length` lies about the body's, `_` in a header's name is `-`."""
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)
        self.wfile.flush()
        if length is not None:
            self.close_connection = True

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


class ScriptedServer(ThreadingHTTPServer):
    """Gives every request to `answer`, on a free port of the loopback interface."""

    daemon_threads = True

    def __init__(self, answer: Answer, context: ssl.SSLContext | None = None) -> None:
        self.answer = answer
        self.requests: list[Request] = []
        self.scheme = "https" if context else "http"
        super().__init__(("127.0.0.1", 0), Request)
        if context:
            self.socket = context.wrap_socket(self.socket, server_side=True)

    @property
    def host(self) -> str:
        """`127.0.0.1:PORT`."""
        return f"127.0.0.1:{self.server_address[1]}"

    @property
    def url(self) -> str:
        """The server's address without a path."""
        return f"{self.scheme}://{self.host}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is what these tests are about."""


@contextmanager
def serving(answer: Answer, context: ssl.SSLContext | None = None) -> Iterator[ScriptedServer]:
    """A scripted server while the test runs."""
    with ScriptedServer(answer, context) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


def stall(seconds: float) -> Answer:
    """Take the request and say nothing for a while."""

    def answer(request: Request) -> None:
        threading.Event().wait(seconds)
        request.close_connection = True

    return answer


def drip(head: bytes, piece: bytes, pause: float, times: int) -> Answer:
    """Send a raw head, then one piece after another with pauses that no single read ever notices."""

    def answer(request: Request) -> None:
        request.wfile.write(head)
        for _ in range(times):
            request.wfile.write(piece)
            request.wfile.flush()
            threading.Event().wait(pause)
        request.close_connection = True

    return answer
