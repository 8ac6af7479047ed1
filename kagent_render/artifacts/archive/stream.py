"""A forward-only reader over the bytes that come out of an archive's outer compression."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.artifacts.archive.limits import Limits, Meter

_CHUNK: Final = 1 << 16
_GZIP: Final = 16 + zlib.MAX_WBITS
_MEMBER: Final = b"\x1f\x8b"


def plain_chunks(archive: bytes) -> Iterator[bytes]:
    """An archive without outer compression, piece by piece."""
    for start in range(0, len(archive), _CHUNK):
        yield archive[start : start + _CHUNK]


def gzip_chunks(archive: bytes, meter: Meter, limits: Limits) -> Iterator[bytes]:
    """The contents of a gzip file, its members one after another; checksums and sizes are verified."""
    member = zlib.decompressobj(_GZIP)
    members = 1
    for piece in plain_chunks(archive):
        rest = piece
        while rest:
            if member.eof:
                if not _MEMBER.startswith(rest[:2]):
                    raise ArchiveRefused(Refusal.TRAILING_DATA)
                members += 1
                if members > 2 * limits.entries:
                    raise ArchiveRefused(Refusal.TOO_MANY_ENTRIES)
                member = zlib.decompressobj(_GZIP)
            chunk = _inflated(member, rest)
            meter.count_expanded(len(chunk))
            yield chunk
            rest = member.unused_data if member.eof else member.unconsumed_tail
    while not member.eof:
        # After the last input byte the decompressor may still hold output back.
        chunk = _inflated(member, b"")
        if not chunk:
            raise ArchiveRefused(Refusal.TRUNCATED)
        meter.count_expanded(len(chunk))
        yield chunk


def _inflated(member: zlib._Decompress, data: bytes) -> bytes:
    try:
        return member.decompress(data, _CHUNK)
    except zlib.error as error:
        checksum = "incorrect" in str(error) and "check" in str(error)
        raise ArchiveRefused(Refusal.BAD_CHECKSUM if checksum else Refusal.BAD_COMPRESSION) from None


class ByteStream:
    """Reads exact amounts from an iterator of chunks."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        self._chunks = chunks
        self._held = b""
        self._at = 0

    def read(self, size: int) -> bytes:
        """The next `size` bytes; fewer only at the end of the stream."""
        parts = []
        while size > 0:
            if self._at == len(self._held):
                self._held, self._at = next(self._chunks, b""), 0
                if not self._held and not self._refill():
                    break
            part = self._held[self._at : self._at + size]
            self._at += len(part)
            size -= len(part)
            parts.append(part)
        return b"".join(parts)

    def rest(self) -> Iterator[bytes]:
        """Everything that is left, in chunks."""
        yield self._held[self._at :]
        self._held, self._at = b"", 0
        yield from self._chunks

    def _refill(self) -> bool:
        """Skip empty chunks, which a decompressor gives while it fills its window."""
        for chunk in self._chunks:
            if chunk:
                self._held = chunk
                return True
        return False
