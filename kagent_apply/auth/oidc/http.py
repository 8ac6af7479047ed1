"""One GET of a small document: no redirect, no proxy, and an end to it whatever the server does."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from kagent_apply.auth.oidc.issuer import url_fault
from kagent_apply.auth.oidc.key_cache import FetchError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from urllib.parse import SplitResult

_OK = 200


@dataclass(frozen=True, slots=True)
class HttpBounds:
    """Seconds to connect and for all the rest, and bytes of the document."""

    connect: float = 3
    total: float = 5
    size: int = 256 * 1024


def get_document(url: str, trust: ssl.SSLContext, bounds: HttpBounds) -> bytes:
    """The document at an address; raises FetchError, which holds nothing that the server said."""
    if told := url_fault(url):
        raise FetchError(f"an address {told}")
    try:
        with _connected(urlsplit(url), trust, bounds) as connection:
            return _exchange(connection, urlsplit(url), bounds)
    except ssl.SSLCertVerificationError:
        raise FetchError("the certificate of the issuer's server cannot be verified") from None
    except (OSError, HTTPException, ValueError):
        raise FetchError("the issuer's server did not answer as it should, or not in time") from None


@contextlib.contextmanager
def _connected(parts: SplitResult, trust: ssl.SSLContext, bounds: HttpBounds) -> Iterator[HTTPConnection]:
    """A connection that is cut off when its time is over, in the middle of whatever is being read."""
    host, secure = parts.hostname or "", parts.scheme == "https"
    port = parts.port or (443 if secure else 80)
    over = threading.Event()
    with (
        socket.create_connection((host, port), bounds.connect) as plain,
        _wrapped(plain, trust, host) if secure else plain as stream,
    ):
        stream.settimeout(bounds.total)
        cut = threading.Timer(bounds.total, _cut, (stream, over))
        cut.daemon = True
        cut.start()
        try:
            if isinstance(stream, ssl.SSLSocket):
                stream.do_handshake()
            connection = HTTPSConnection(host, port, context=trust) if secure else HTTPConnection(host, port)
            connection.sock = stream
            yield connection
            if over.is_set():  # where an answer has no length, its end looks as good as any
                raise TimeoutError
        finally:
            cut.cancel()


def _wrapped(plain: socket.socket, trust: ssl.SSLContext, host: str) -> ssl.SSLSocket:
    return trust.wrap_socket(plain, server_hostname=host, do_handshake_on_connect=False)


def _cut(stream: socket.socket, over: threading.Event) -> None:
    over.set()
    with contextlib.suppress(OSError):
        # That of SSLSocket would take away what the other thread is reading with.
        socket.socket.shutdown(stream, socket.SHUT_RDWR)


def _exchange(connection: HTTPConnection, parts: SplitResult, bounds: HttpBounds) -> bytes:
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    connection.request("GET", target, headers={"Accept": "application/json", "Connection": "close"})
    answer = connection.getresponse()
    if answer.status != _OK:
        raise FetchError(
            f"the issuer's server answered with status {answer.status}; redirects are not followed"
        )
    data = answer.read(bounds.size + 1)
    if len(data) > bounds.size:
        raise FetchError(f"the document is larger than {bounds.size // 1024} KiB")
    if answer.length:
        raise FetchError("the document ended too soon")
    return data
