"""The outer compression of a tar archive: plain, gzip or zstd, expanded piece by piece under a meter."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.frames import Frame, GzipMember, ZstdFrame
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.artifacts.archive.limits import Meter

_PIECE: Final = 1 << 16


class Compression(Enum):
    """How a tar archive is packed, with the bytes that a gzip member or a zstd frame may begin with."""

    NONE = ()
    GZIP = (b"\x1f\x8b",)
    # A frame, and the sixteen kinds of frames that a reader skips (RFC 8878 §3.1).
    ZSTD = (b"\x28\xb5\x2f\xfd", *(bytes([low]) + b"\x2a\x4d\x18" for low in range(0x50, 0x60)))

    def begins(self, data: bytes) -> bool:
        """Whether `data`, cut off anywhere, may begin a member or frame; everything may begin NONE."""
        return self is Compression.NONE or any(magic.startswith(data[: len(magic)]) for magic in self.value)


def expand(archive: bytes, compression: Compression, meter: Meter) -> Iterator[bytes]:
    """What `archive` expands to, in small pieces; checksums are verified; raises ArchiveRefused."""
    pieces = (archive[start : start + _PIECE] for start in range(0, len(archive), _PIECE))
    if not archive:
        raise ArchiveRefused(Refusal.TRUNCATED)
    if compression is Compression.NONE:
        return pieces
    if not compression.begins(archive):
        raise ArchiveRefused(Refusal.FORMAT_MISMATCH)
    return _expand(pieces, compression, meter)


def _expand(pieces: Iterator[bytes], compression: Compression, meter: Meter) -> Iterator[bytes]:
    kind = GzipMember if compression is Compression.GZIP else ZstdFrame
    frame: Frame = kind()
    meter.count_frame()
    for piece in pieces:
        rest = piece
        while rest:
            if frame.ended:
                if not compression.begins(rest):
                    raise ArchiveRefused(Refusal.TRAILING_DATA)
                meter.count_frame()
                frame = kind()
            for chunk in frame.expand(rest):
                meter.count_expanded(len(chunk))
                yield chunk
            rest = frame.unused
    if not frame.ended:
        raise ArchiveRefused(Refusal.TRUNCATED)
