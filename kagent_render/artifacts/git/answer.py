"""The body of an HTTP answer as a bounded stream of bytes."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.stream import ByteStream
from kagent_render.artifacts.git.failure import Interrupted, not_git, too_large
from kagent_render.artifacts.git.http_failure import unanswered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from urllib3 import BaseHTTPResponse

_CHUNK: Final = 1 << 16
_GZIP: Final = 16 + zlib.MAX_WBITS


class Allowance:
    """How many bytes some answers may have together."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._left = limit

    def take(self, size: int) -> None:
        """Count bytes that came; raises GitFailure at the first one too many."""
        self._left -= size
        if self._left < 0:
            raise too_large(f"the server sends more than {self._limit >> 20:,} MiB")


def body_of(response: BaseHTTPResponse, allowance: Allowance, received: Callable[[int], None]) -> ByteStream:
    """The bytes of an answer, as many as are allowed; `received` is told of each piece."""
    chunks = _arriving(response, received)
    encoding = response.headers.get("Content-Encoding", "identity").strip().lower()
    if encoding in {"gzip", "x-gzip"}:
        chunks = _inflated(chunks)
    elif encoding not in {"", "identity"}:
        raise not_git("the server's answer is encoded in a way that was not asked for")
    return ByteStream(_bounded(chunks, allowance))


def _arriving(response: BaseHTTPResponse, received: Callable[[int], None]) -> Iterator[bytes]:
    from urllib3.exceptions import HTTPError, ReadTimeoutError

    try:
        for chunk in response.stream(_CHUNK, decode_content=False):
            received(len(chunk))
            yield chunk
    except ReadTimeoutError:
        raise unanswered() from None
    except (HTTPError, OSError):
        raise Interrupted from None


def _inflated(chunks: Iterator[bytes]) -> Iterator[bytes]:
    inflater = zlib.decompressobj(_GZIP)
    try:
        for chunk in chunks:
            rest = chunk
            while rest:
                yield inflater.decompress(rest, _CHUNK)
                if inflater.eof:
                    return
                rest = inflater.unconsumed_tail
        while piece := inflater.decompress(b"", _CHUNK):
            yield piece
    except zlib.error:
        raise not_git("the server's answer is not the gzip that it says") from None


def _bounded(chunks: Iterator[bytes], allowance: Allowance) -> Iterator[bytes]:
    for chunk in chunks:
        allowance.take(len(chunk))
        yield chunk
