"""The bytes of an answer, as the server sent them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from requests import Response

_CHUNK: Final = 1 << 16


def read_body(answer: Response, limit: int, beyond: Exception, received: Callable[[int], None]) -> bytes:
    """The body, told to `received` piece by piece; raises `beyond` where it has more than `limit` bytes."""
    data = bytearray()
    try:
        while piece := answer.raw.read(_CHUNK, decode_content=False):
            data += piece
            received(len(piece))
            if len(data) > limit:
                raise beyond
    finally:
        answer.close()
    return bytes(data)
