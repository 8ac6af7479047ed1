"""How much an archive may hold, counted while it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal

MIB: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Upper bounds of one archive; sizes in bytes, `ratio` as expanded to packed.

    `entries` counts what the archive lists, and again what the tree holds. `ratio` is only checked above
    `ratio_from` expanded bytes, because small files of one character compress well and harm nobody.
    """

    entries: int = 10_000
    content: int = 100 * MIB
    archive: int = 128 * MIB
    ratio: int = 200
    ratio_from: int = MIB


class Meter:
    """Counts what flows out of one archive of `packed` bytes and refuses at the first limit crossed."""

    def __init__(self, limits: Limits, packed: int) -> None:
        self._limits = limits
        self._packed = packed
        self._frames = 0
        self._entries = 0
        self._content = 0
        self._expanded = 0

    def count_frame(self) -> None:
        """Count one gzip member or zstd frame, which may be empty and still takes time."""
        self._frames += 1
        if self._frames > 2 * self._limits.entries:
            raise ArchiveRefused(Refusal.TOO_MANY_FRAMES)

    def count_entry(self) -> None:
        """Count one listed entry."""
        self._entries += 1
        if self._entries > self._limits.entries:
            raise ArchiveRefused(Refusal.TOO_MANY_ENTRIES)

    def count_content(self, size: int) -> None:
        """Count `size` bytes of files, declared or read."""
        self._content += size
        if self._content > self._limits.content:
            raise ArchiveRefused(Refusal.TOO_LARGE)

    def count_expanded(self, size: int) -> None:
        """Count `size` bytes that came, or are declared to come, out of decompression."""
        self._expanded += size
        if self._expanded > max(self._limits.ratio_from, self._limits.ratio * self._packed):
            raise ArchiveRefused(Refusal.RATIO)
        if self._expanded > self._limits.archive:
            raise ArchiveRefused(Refusal.TOO_LARGE)
