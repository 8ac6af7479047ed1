"""A small HTTP server for Prometheus and for the probes of Kubernetes: `/metrics`, `/livez`, `/readyz`."""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOGGER: Final = logging.getLogger(__name__)

MOST_CONNECTIONS: Final = 16
LONGEST_CONNECTION: Final = 10.0
_LOOK_EVERY: Final = 0.25
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a path answers with."""

    body: bytes
    media_type: str
    status: HTTPStatus = HTTPStatus.OK


Pages = Mapping[str, Callable[[str], Page]]
"""By path, what makes the page of an `Accept` header."""


class ProbeServer:
    """Serves its pages from threads of its own until it is closed; OSError where it cannot listen."""

    def __init__(self, host: str, port: int, pages: Pages) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._server = _server(family)((host, port), pages)
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_LOOK_EVERY,), name="probe-server", daemon=True
        )
        self._thread.start()

    @property
    def port(self) -> int:
        """Where it listens, also where any port was asked for."""
        return int(self._server.server_address[1])

    def close(self) -> None:
        """Stop listening; answers under way are not waited for."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 32

    def __init__(self, address: tuple[str, int], pages: Pages) -> None:
        self.pages = pages
        self._open: dict[socket.socket, float] = {}
        self._guard = threading.Lock()
        super().__init__(address, _Handler)

    def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ARG002
        """Whether one more connection is answered; the oldest makes room, so that a probe gets through."""
        with self._guard:
            if len(self._open) >= MOST_CONNECTIONS:
                self._end(min(self._open, key=self._open.__getitem__))
            self._open[request] = time.monotonic()
        return True

    def service_actions(self) -> None:
        """End connections whose time is over: their own time-outs begin again with every byte."""
        with self._guard:
            begun_before = time.monotonic() - LONGEST_CONNECTION
            for request in [found for found, since in self._open.items() if since < begun_before]:
                self._end(request)

    def close_request(self, request: Any) -> None:
        """A connection is over."""
        with self._guard:
            self._open.pop(request, None)
        super().close_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        """What a client does to its own connection is no news."""
        _LOGGER.debug("a request for metrics or a probe was not answered", exc_info=True)

    def _end(self, request: socket.socket) -> None:
        self._open.pop(request, None)
        with contextlib.suppress(OSError):
            request.shutdown(socket.SHUT_RDWR)


def _server(family: socket.AddressFamily) -> type[_Server]:
    return type("_FamilyServer", (_Server,), {"address_family": family})


class _Handler(BaseHTTPRequestHandler):
    """Answers one GET of a known path; the base answers everything else with 501 and closes."""

    timeout = 5
    server: _Server
    server_version = "kagent-apply"
    sys_version = ""
    error_message_format = "%(code)d %(message)s\n"
    error_content_type = "text/plain; charset=utf-8"

    def do_GET(self) -> None:
        """The page of the path, without its query."""
        make = self.server.pages.get(self._path())
        if make is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            page = make(self.headers.get("Accept", ""))
        except Exception:
            _LOGGER.exception("a page could not be made", extra={"path": self._path()})
            self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR)
            return
        self._send(page)

    def _path(self) -> str:
        with contextlib.suppress(ValueError):
            return urlsplit(self.path).path
        return ""

    def _send(self, page: Page) -> None:
        self.send_response(page.status)
        for name, value in self._headers(page):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(page.body)

    def _headers(self, page: Page) -> Iterator[tuple[str, str]]:
        yield "Content-Type", page.media_type
        yield "Content-Length", str(len(page.body))
        yield "Cache-Control", "no-store"
        yield "X-Content-Type-Options", "nosniff"

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing: a line for every probe would be most of the log."""
