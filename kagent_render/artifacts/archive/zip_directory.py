"""The central directory of a zip archive and the records that lead to it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.archive.zip_extra import unicode_name_agrees, zip64_values

if TYPE_CHECKING:
    from kagent_render.artifacts.archive.limits import Meter

_END: Final = struct.Struct("<4s4H2LH")
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR64: Final = struct.Struct("<4sLQL")
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_END_MAGIC: Final = b"PK\x05\x06"
_COMMENT_BYTES: Final = 0xFFFF
MAX16: Final = 0xFFFF
MAX32: Final = 0xFFFFFFFF
_UNIX: Final = frozenset({3, 19})  # the systems whose writers put a Unix mode in the attributes
_DOS_DIRECTORY: Final = 0x10


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry as the central directory lists it; `mode` is its Unix mode, 0 where its writer has none."""

    name: bytes
    flags: int
    method: int
    crc: int
    packed: int
    size: int
    mode: int
    dos_directory: bool
    offset: int


@dataclass(frozen=True, slots=True)
class CentralDirectory:
    """Every entry in listed order, and where the directory starts in the archive."""

    entries: tuple[Entry, ...]
    start: int


@dataclass(frozen=True, slots=True)
class _End:
    entries: int
    size: int
    start: int
    at: int


def central_directory(archive: bytes, meter: Meter) -> CentralDirectory:
    """Read the directory; it has to fill the space up to the end records exactly."""
    end = _end_of_directory(archive)
    if end.start + end.size != end.at:
        raise ArchiveRefused(Refusal.LAYOUT)
    entries, at = [], end.start
    for _ in range(end.entries):
        meter.count_entry()
        entry, at = _entry(archive, at, end.at)
        entries.append(entry)
    if at != end.at:
        raise ArchiveRefused(Refusal.LAYOUT)
    return CentralDirectory(tuple(entries), end.start)


def _end_of_directory(archive: bytes) -> _End:
    at = _end_record(archive)
    _, disk, first, here, total, size, start, _ = _END.unpack_from(archive, at)
    end64 = _zip64_end(archive, at)
    if end64 is not None:
        agrees = (
            total in {MAX16, end64.entries} and size in {MAX32, end64.size} and start in {MAX32, end64.start}
        )
        if not agrees:
            raise ArchiveRefused(Refusal.ZIP64)
        return end64
    if disk or first or here != total:
        raise ArchiveRefused(Refusal.SPANNED)
    return _End(total, size, start, at)


def _end_record(archive: bytes) -> int:
    """Where the end record stands, which the archive ends with, its comment included."""
    first = max(0, len(archive) - _COMMENT_BYTES - _END.size)
    at = archive.rfind(_END_MAGIC, first)
    if at < 0 or at + _END.size > len(archive):
        raise ArchiveRefused(Refusal.TRUNCATED)
    beyond = _record_end(archive, at)
    if beyond != len(archive):
        raise ArchiveRefused(Refusal.TRUNCATED if beyond > len(archive) else Refusal.TRAILING_DATA)
    earlier = archive.rfind(_END_MAGIC, first, at)
    while earlier >= 0:
        if _record_end(archive, earlier) == len(archive):
            # Its comment holds the later one: readers differ on which of the two ends the archive.
            raise ArchiveRefused(Refusal.LAYOUT)
        earlier = archive.rfind(_END_MAGIC, first, earlier)
    return at


def _record_end(archive: bytes, at: int) -> int:
    comment: int = _END.unpack_from(archive, at)[-1]
    return at + _END.size + comment


def _zip64_end(archive: bytes, end: int) -> _End | None:
    """The ZIP64 end record, which stands right before its locator, which stands right before the end."""
    locator = end - _LOCATOR64.size
    if locator < 0 or archive[locator : locator + 4] != b"PK\x06\x07":
        return None
    at = locator - _END64.size
    _, disk, offset, disks = _LOCATOR64.unpack_from(archive, locator)
    if offset != at or at < 0 or disk or disks > 1:
        raise ArchiveRefused(Refusal.ZIP64)
    magic, length, _, _, disk, first, here, total, size, start = _END64.unpack_from(archive, at)
    if magic != b"PK\x06\x06" or length != _END64.size - 12 or disk or first or here != total:
        raise ArchiveRefused(Refusal.ZIP64)
    return _End(total, size, start, at)


def _entry(archive: bytes, at: int, end: int) -> tuple[Entry, int]:
    if at + _CENTRAL.size > end:
        raise ArchiveRefused(Refusal.TRUNCATED)
    fields = _CENTRAL.unpack_from(archive, at)
    (
        magic,
        writer,
        _,
        flags,
        method,
        _,
        _,
        crc,
        packed,
        size,
        names,
        extras,
        comments,
        disk,
        _,
        attributes,
        offset,
    ) = fields
    after = at + _CENTRAL.size + names + extras + comments
    if magic != b"PK\x01\x02" or after > end:
        raise ArchiveRefused(Refusal.BAD_HEADER)
    name = archive[at + _CENTRAL.size : at + _CENTRAL.size + names]
    extra = archive[after - comments - extras : after - comments]
    size, packed, offset, disk = zip64_values(
        extra, ((size, MAX32), (packed, MAX32), (offset, MAX32), (disk, MAX16))
    )
    if disk:
        raise ArchiveRefused(Refusal.SPANNED)
    if not unicode_name_agrees(extra, name):
        raise ArchiveRefused(Refusal.HEADERS_DISAGREE)
    mode = attributes >> 16 if writer >> 8 in _UNIX else 0
    dos_directory = bool(attributes & _DOS_DIRECTORY)
    return Entry(name, flags, method, crc, packed, size, mode, dos_directory, offset), after
