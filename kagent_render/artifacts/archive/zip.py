"""Zip archives: the central directory and every local header have to tell the same story.

Entries have to fill the space before the directory exactly, so that a reader that goes from header to header
sees what a reader of the directory sees.
"""

from __future__ import annotations

import stat
import struct
import zlib
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.limits import Limits, Meter
from kagent_render.artifacts.archive.names import decoded, entry_path
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.archive.tree import Tree
from kagent_render.artifacts.archive.zip_directory import MAX32, Entry, central_directory
from kagent_render.artifacts.archive.zip_extra import has_zip64, unicode_name_agrees, zip64_values
from kagent_render.artifacts.package import PackageFile

if TYPE_CHECKING:
    from kagent_render.artifacts.package import Package

_STARTS: Final = frozenset({b"PK\x03\x04", b"PK\x05\x06"})  # an entry, or the end of an empty archive
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_DESCRIPTOR_MAGIC: Final = b"PK\x07\x08"
_STORED: Final = 0
_DEFLATED: Final = 8
_ENCRYPTED: Final = 0x2041  # encrypted, strongly encrypted, masked headers
_DESCRIPTOR: Final = 0x0008
_KNOWN_FLAGS: Final = 0x0806 | _DESCRIPTOR | _ENCRYPTED  # deflate effort, UTF-8


def read_zip(archive: bytes, limits: Limits) -> Package:
    """The package in a zip archive; raises ArchiveRefused."""
    if not archive:
        raise ArchiveRefused(Refusal.TRUNCATED)
    if archive[:4] not in _STARTS:
        raise ArchiveRefused(Refusal.FORMAT_MISMATCH)
    meter = Meter(limits, len(archive))
    directory = central_directory(archive, meter)
    for entry in directory.entries:
        _check_features(entry)
        meter.count_content(entry.size)
        meter.count_expanded(entry.size)
    tree = Tree(limits)
    at = 0
    for entry in sorted(directory.entries, key=lambda entry: entry.offset):
        if entry.offset != at:
            raise ArchiveRefused(Refusal.LAYOUT)
        start, wide = _data_start(archive, entry, directory.start)
        _add(tree, entry, archive[start : start + entry.packed])
        at = _entry_end(archive, entry, start + entry.packed, directory.start, wide=wide)
    if at != directory.start:
        raise ArchiveRefused(Refusal.LAYOUT)
    return tree.package()


def _check_features(entry: Entry) -> None:
    name = decoded(entry.name)
    if entry.flags & _ENCRYPTED:
        raise ArchiveRefused(Refusal.ENCRYPTED, name)
    if entry.flags & ~_KNOWN_FLAGS:
        raise ArchiveRefused(Refusal.ZIP_FEATURE, name)
    if entry.method not in {_STORED, _DEFLATED}:
        raise ArchiveRefused(Refusal.COMPRESSION, name)


def _data_start(archive: bytes, entry: Entry, end: int) -> tuple[int, bool]:
    """Where the entry's data starts, and whether its descriptor has 8-byte sizes."""
    name = decoded(entry.name)
    if entry.offset + _LOCAL.size > end:
        raise ArchiveRefused(Refusal.LAYOUT, name)
    magic, _, flags, method, _, _, crc, packed, size, names, extras = _LOCAL.unpack_from(
        archive, entry.offset
    )
    start = entry.offset + _LOCAL.size + names + extras
    if magic != b"PK\x03\x04" or start + entry.packed > end:
        raise ArchiveRefused(Refusal.LAYOUT, name)
    local_name = archive[entry.offset + _LOCAL.size : start - extras]
    extra = archive[start - extras : start]
    size, packed = zip64_values(extra, ((size, MAX32), (packed, MAX32)))
    told = (local_name, flags, method, crc, packed, size)
    known = (entry.name, entry.flags, entry.method, entry.crc, entry.packed, entry.size)
    later = (*known[:3], 0, 0, 0)
    if told != known and not (entry.flags & _DESCRIPTOR and told == later):
        raise ArchiveRefused(Refusal.HEADERS_DISAGREE, name)
    if not unicode_name_agrees(extra, entry.name):
        raise ArchiveRefused(Refusal.HEADERS_DISAGREE, name)
    return start, has_zip64(extra)


def _entry_end(archive: bytes, entry: Entry, at: int, end: int, *, wide: bool) -> int:
    """Where the entry ends, its data descriptor included, which has to repeat the directory."""
    if not entry.flags & _DESCRIPTOR:
        return at
    if archive[at : at + 4] == _DESCRIPTOR_MAGIC:
        at += 4
    form = struct.Struct("<L2Q" if wide else "<3L")
    if at + form.size > end:
        raise ArchiveRefused(Refusal.LAYOUT, decoded(entry.name))
    if form.unpack_from(archive, at) != (entry.crc, entry.packed, entry.size):
        raise ArchiveRefused(Refusal.HEADERS_DISAGREE, decoded(entry.name))
    return at + form.size


def _content(entry: Entry, packed: bytes) -> bytes:
    data = packed
    if entry.method == _DEFLATED:
        inflater = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            data = inflater.decompress(packed, entry.size + 1)
        except zlib.error:
            raise ArchiveRefused(Refusal.BAD_COMPRESSION, decoded(entry.name)) from None
        if not inflater.eof or inflater.unused_data:
            raise ArchiveRefused(Refusal.BAD_COMPRESSION, decoded(entry.name))
    if len(data) != entry.size:
        raise ArchiveRefused(Refusal.BAD_COMPRESSION, decoded(entry.name))
    if zlib.crc32(data) != entry.crc:
        raise ArchiveRefused(Refusal.BAD_CHECKSUM, decoded(entry.name))
    return data


def _add(tree: Tree, entry: Entry, packed: bytes) -> None:
    path = entry_path(entry.name)
    kind = stat.S_IFMT(entry.mode)
    if entry.name.endswith(b"/"):
        if kind not in {0, stat.S_IFDIR}:
            raise ArchiveRefused(Refusal.FILE_AND_DIRECTORY, path)
        if _content(entry, packed):
            raise ArchiveRefused(Refusal.NOT_EMPTY, path)
        tree.add_directory(path)
    elif kind == stat.S_IFLNK:
        tree.add_symbolic_link(path, _content(entry, packed))
    elif kind in {0, stat.S_IFREG}:
        tree.add_file(path, PackageFile(_content(entry, packed), bool(entry.mode & 0o100)))
    else:
        raise ArchiveRefused(Refusal.FILE_AND_DIRECTORY if kind == stat.S_IFDIR else Refusal.DEVICE, path)
