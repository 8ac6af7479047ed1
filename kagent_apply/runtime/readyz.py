"""`/readyz`, as Substrate's wakeup probe asks for it."""

from __future__ import annotations

import http.server
from http import HTTPStatus


class Readyz(http.server.BaseHTTPRequestHandler):
    """Answers 200 to `GET /readyz`, and 404 to everything else."""

    def do_GET(self) -> None:
        """Say that the agent is ready."""
        self.send_response(HTTPStatus.OK if self.path == "/readyz" else HTTPStatus.NOT_FOUND)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
        """Write nothing of probes."""


def readyz_server(host: str, port: int) -> http.server.ThreadingHTTPServer:
    """A server for the probe, which listens but does not answer yet."""
    return http.server.ThreadingHTTPServer((host, port), Readyz)
