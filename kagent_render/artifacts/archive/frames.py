"""The parts that compressed files consist of: gzip members and zstd frames, each with its own checksum."""

from __future__ import annotations

import sys
import zlib
from typing import TYPE_CHECKING, Final, Protocol

from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

_CHUNK: Final = 1 << 16
_GZIP: Final = 16 + zlib.MAX_WBITS
_GZIP_CHECKSUMS: Final = ("incorrect data check", "incorrect length check")
_WINDOW_LOG: Final = 27  # 128 MiB, what the zstd program itself takes without being asked for more
_ZSTD_FAULTS: Final = {
    "checksum": Refusal.BAD_CHECKSUM,
    "Dictionary": Refusal.DICTIONARY,
    "too much memory": Refusal.WINDOW,
}


class Frame(Protocol):
    """A member or frame that takes its data piece by piece."""

    @property
    def ended(self) -> bool:
        """Whether it is complete."""
        ...

    @property
    def unused(self) -> bytes:
        """What follows it in the piece that completed it."""
        ...

    def expand(self, data: bytes) -> Iterator[bytes]:
        """All content that `data` adds, in small pieces; raises ArchiveRefused."""
        ...


class GzipMember:
    """One member of a gzip file."""

    def __init__(self) -> None:
        self._inflater = zlib.decompressobj(_GZIP)

    @property
    def ended(self) -> bool:
        """Whether the member is complete."""
        return self._inflater.eof

    @property
    def unused(self) -> bytes:
        """What follows the member."""
        return self._inflater.unused_data

    def expand(self, data: bytes) -> Iterator[bytes]:
        """Everything that `data` adds to the content."""
        full = True
        while full:
            try:
                chunk = self._inflater.decompress(data, _CHUNK)
            except zlib.error as error:
                checksum = str(error).endswith(_GZIP_CHECKSUMS)
                raise ArchiveRefused(Refusal.BAD_CHECKSUM if checksum else Refusal.BAD_COMPRESSION) from None
            yield chunk
            full = len(chunk) == _CHUNK and not self.ended
            data = self._inflater.unconsumed_tail


class ZstdFrame:
    """One frame of a zstd file, a skippable one included."""

    def __init__(self) -> None:
        zstd = _zstd()
        self._error = zstd.ZstdError
        options = {zstd.DecompressionParameter.window_log_max: _WINDOW_LOG}
        self._decompressor = zstd.ZstdDecompressor(options=options)

    @property
    def ended(self) -> bool:
        """Whether the frame is complete."""
        return bool(self._decompressor.eof)

    @property
    def unused(self) -> bytes:
        """What follows the frame."""
        return bytes(self._decompressor.unused_data)

    def expand(self, data: bytes) -> Iterator[bytes]:
        """Everything that `data` adds to the content."""
        more = True
        while more:
            try:
                yield self._decompressor.decompress(data, _CHUNK)
            except self._error as error:
                raise ArchiveRefused(_zstd_refusal(str(error))) from None
            more = not (self.ended or self._decompressor.needs_input)
            data = b""


def _zstd() -> ModuleType:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return zstd


def _zstd_refusal(message: str) -> Refusal:
    found = (refusal for text, refusal in _ZSTD_FAULTS.items() if text in message)
    return next(found, Refusal.BAD_COMPRESSION)
