"""A forward-only reader over the bytes that come out of an archive's outer compression."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


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
