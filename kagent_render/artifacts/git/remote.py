"""Git's smart protocol over HTTP: the two requests, with redirects, credentials, retries and time-outs."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import urlsplit

from kagent_render import __version__
from kagent_render.artifacts.deadline import within
from kagent_render.artifacts.git.answer import Allowance, body_of
from kagent_render.artifacts.git.failure import GitFailure, not_git, unfetched
from kagent_render.artifacts.git.http_failure import (
    asks_for_basic,
    connection_failure,
    is_transient,
    is_transient_status,
    status_failure,
    unanswered,
)
from kagent_render.artifacts.git.packets import Packets
from kagent_render.artifacts.git.repository_url import is_repository_url, redirected

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from urllib3 import BaseHTTPResponse

    from kagent_render.artifacts.archive.stream import ByteStream
    from kagent_render.artifacts.git.connections import Connections
    from kagent_render.artifacts.port import FetchContext

T = TypeVar("T")

_ADVERTISEMENT_BYTES: Final = 16 << 20
_REDIRECTS: Final = 5
_REDIRECTING: Final = frozenset({301, 302, 303, 307, 308})
_REFS: Final = "/info/refs?service=git-upload-pack"
_HEADERS: Final = {
    # Some servers show web pages to whoever does not call itself Git.
    "User-Agent": f"git/kagent-render-{__version__}",
    "Git-Protocol": "version=2",
    "Accept-Encoding": "identity",
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True, slots=True)
class _Question:
    """One request below the repository's URL, and the type that its answer must have."""

    method: str
    tail: str
    answer_type: str
    body: bytes | None = None
    headers: Mapping[str, str] = field(default_factory=dict)


class Remote:
    """One repository behind its URL; where a redirect leads and credentials hold for the next request."""

    def __init__(self, url: str, connections: Connections, context: FetchContext) -> None:
        self._base = url.rstrip("/")
        if not is_repository_url(url):
            raise not_git("the URL is none that a repository can have")
        self._connections = connections
        self._context = context
        self._authorizations: dict[tuple[str, str], str] = {}
        self._allowance = Allowance(context.limits.archive)
        self._seconds = context.bounds.body

    def advertisement(self, read: Callable[[Packets], T]) -> T:
        """What `read` makes of the server's capabilities and, before protocol version 2, refs."""
        question = _Question("GET", _REFS, "application/x-git-upload-pack-advertisement")
        return self._exchange(question, Allowance(_ADVERTISEMENT_BYTES), read)

    def refs(self, request: bytes, read: Callable[[Packets], T]) -> T:
        """What `read` makes of the refs that a server of protocol version 2 tells of when it is asked."""
        return self._upload_pack(request, Allowance(_ADVERTISEMENT_BYTES), read)

    def upload_pack(self, request: bytes, read: Callable[[Packets], T]) -> T:
        """What `read` makes of the answer to one request of `git-upload-pack` for objects."""
        return self._upload_pack(request, self._allowance, read)

    def _upload_pack(self, request: bytes, allowance: Allowance, read: Callable[[Packets], T]) -> T:
        kind = "application/x-git-upload-pack-request"
        question = _Question(
            "POST",
            "/git-upload-pack",
            "application/x-git-upload-pack-result",
            request,
            {"Content-Type": kind},
        )
        return self._exchange(question, allowance, read)

    def _exchange(self, question: _Question, allowance: Allowance, read: Callable[[Packets], T]) -> T:
        """What `read` makes of an answer; all answers together have the seconds of one artifact."""
        response = self._authorized_answer(question)
        started = time.monotonic()
        try:
            if _type_of(response) != question.answer_type:
                raise _another_type(_type_of(response))
            stream = body_of(response, allowance, self._context.received)
            return within(self._seconds, partial(_read_to_end, stream, read))
        except TimeoutError:
            _hang_up(response)
            raise unanswered() from None
        finally:
            self._seconds -= time.monotonic() - started
            response.close()

    def _authorized_answer(self, question: _Question) -> BaseHTTPResponse:
        """The answer with status 200; each server that asks for credentials is given its own, once."""
        while (response := self._answer(question)).status != 200:
            response.close()
            authorized = self._server in self._authorizations
            if response.status != 401 or authorized:
                raise status_failure(response.status, authorized=authorized)
            self._authorize(response)
        return response

    def _authorize(self, refusal: BaseHTTPResponse) -> None:
        """Find what the server that refused asks for."""
        from kagent_render.artifacts.git.credentials import find_credentials

        if not asks_for_basic(refusal.headers):
            raise unfetched(
                "the server asks for another kind of credentials than a user name and password",
                "offer `Basic` authentication, with a token as its password, on the server",
            )
        found = find_credentials(self._base, self._context.bounds.answer)
        if found is None:
            raise status_failure(401, authorized=False)
        self._authorizations[self._server] = found.header

    def _answer(self, question: _Question) -> BaseHTTPResponse:
        try:
            return within(self._context.bounds.answer, partial(self._followed, question))
        except TimeoutError:
            raise unanswered() from None

    def _followed(self, question: _Question) -> BaseHTTPResponse:
        """The head of the answer behind redirects, which as in Git only the first request follows."""
        for _ in range(_REDIRECTS + 1):
            response = self._sent(question)
            if response.status not in _REDIRECTING or question.body is not None:
                return response
            location = response.headers.get("Location", "")
            response.close()
            self._base = redirected(self._base, question.tail, location)
        raise unfetched(f"the server redirects more than {_REDIRECTS} times", "set `url` to where it leads")

    def _sent(self, question: _Question) -> BaseHTTPResponse:
        """The head of one answer; what may pass is tried again for a few seconds."""
        from urllib3.exceptions import HTTPError

        bounds = self._context.bounds
        started = time.monotonic()
        while True:
            last = time.monotonic() - started > bounds.retry
            try:
                response = self._requested(question)
            except (HTTPError, OSError) as error:
                if last or not is_transient(error):
                    raise connection_failure(error) from None
            else:
                if last or not is_transient_status(response.status):
                    return response
                response.close()
            time.sleep(bounds.pause)

    def _requested(self, question: _Question) -> BaseHTTPResponse:
        from urllib3 import Timeout

        bounds = self._context.bounds
        headers = {**_HEADERS, **question.headers, "Accept": question.answer_type}
        if authorization := self._authorizations.get(self._server):
            headers["Authorization"] = authorization
        return self._connections.to(self._base).urlopen(
            question.method,
            self._base + question.tail,
            body=question.body,
            headers=headers,
            redirect=False,
            retries=False,
            timeout=Timeout(connect=bounds.connect, read=bounds.read),
            preload_content=False,
            decode_content=False,
        )

    @property
    def _server(self) -> tuple[str, str]:
        """Scheme, host and port: what credentials belong to."""
        parts = urlsplit(self._base)
        return parts.scheme, parts.netloc


def _read_to_end(stream: ByteStream, read: Callable[[Packets], T]) -> T:
    result = read(Packets(stream))
    stream.read(1)  # a connection whose answer was read to its end is used again
    return result


def _hang_up(response: BaseHTTPResponse) -> None:
    """End the connection below whoever still reads: closing the answer would wait for the reader."""
    # Between the time-out and now, the reader may have come to the end and given the connection back.
    with suppress(OSError, RuntimeError, ValueError):
        response.shutdown()


def _type_of(response: BaseHTTPResponse) -> str:
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower()


def _another_type(found: str) -> GitFailure:
    if found in {"text/plain", "application/octet-stream", ""}:
        return not_git("the server does not speak Git's smart protocol")
    return not_git("the server answered with something else than Git's protocol, such as a web page")
