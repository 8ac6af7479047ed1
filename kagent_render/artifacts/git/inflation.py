"""Bounded work on a pack: inflating its objects and applying its deltas."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.git.failure import malformed, too_large

if TYPE_CHECKING:
    from kagent_render.artifacts.archive.limits import Limits

_CHUNK: Final = 1 << 16
_SLACK: Final = 128  # what zlib may add to data that it cannot compress, for all but large objects
_TIMES: Final = 8  # how often what may be downloaded may be expanded to
_STEP: Final = 1_024  # what one step counts for, so that steps without any output are bounded too


class Expansion:
    """Counts the bytes that come out of the packs of one commit, and bounds each object and all together."""

    def __init__(self, limits: Limits) -> None:
        self._largest = limits.content
        self._left = _TIMES * limits.archive

    def count(self, size: int) -> None:
        """Count one object of a declared size, before any of it is there."""
        if size > self._largest:
            raise too_large(f"an object of the repository is larger than {self._largest >> 20:,} MiB")
        self._left -= size + _STEP
        if self._left < 0:
            raise too_large("the objects that came expand beyond what is read")


def inflated(data: memoryview, at: int, size: int, expansion: Expansion) -> tuple[bytes, int]:
    """The `size` bytes of the zlib stream at an offset, and where it ends."""
    expansion.count(size)
    inflater = zlib.decompressobj()
    output = bytearray()
    while not inflater.eof:
        piece = data[at : at + min(_CHUNK, size + _SLACK)]
        try:
            # One byte more than is declared shows that there are more.
            output += inflater.decompress(piece, size - len(output) + 1)
        except zlib.error:
            raise malformed("an object whose compressed data is damaged") from None
        if len(output) > size or not piece:
            break
        at += len(piece) - len(inflater.unconsumed_tail) - len(inflater.unused_data)
    if not inflater.eof or len(output) != size:
        raise malformed("an object whose size is not the declared one")
    return bytes(output), at


def applied(delta: bytes, base: bytes, expansion: Expansion) -> bytes:
    """What a delta makes of its base."""
    from dulwich.errors import ApplyDeltaError
    from dulwich.pack import apply_delta

    # dulwich allocates what the delta claims before it looks at the rest of it.
    expansion.count(_claimed_size(delta))
    try:
        return b"".join(apply_delta(base, delta))
    except (ApplyDeltaError, AssertionError, IndexError, ValueError):
        raise malformed("a delta that does not fit its base") from None


def _claimed_size(delta: bytes) -> int:
    """The second of the two numbers that a delta starts with: 7 bits a byte, the least significant first."""
    at = 0
    while at < len(delta) and delta[at] & 0x80:
        at += 1
    size = shift = 0
    for byte in delta[at + 1 : at + 11]:
        size |= (byte & 0x7F) << shift
        shift += 7
        if not byte & 0x80:
            return size
    raise malformed("a delta without a size")
