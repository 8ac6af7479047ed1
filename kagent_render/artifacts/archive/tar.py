"""Tar archives (ustar, pax, GNU names) as a stream of 512-byte blocks, read by our own header reader.

Where the dialects' readers disagree on what a header means, the header is refused.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.compression import Compression, expand
from kagent_render.artifacts.archive.limits import Limits, Meter
from kagent_render.artifacts.archive.names import entry_path
from kagent_render.artifacts.archive.pax import Extension, global_header_is_harmless, pax_records
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.archive.stream import ByteStream
from kagent_render.artifacts.archive.tree import Tree
from kagent_render.artifacts.package import PackageFile

if TYPE_CHECKING:
    from kagent_render.artifacts.package import Package

_BLOCK: Final = 512
_ZERO: Final = bytes(_BLOCK)
_EXTENSION_BYTES: Final = 1 << 16
_REGULAR: Final = frozenset({b"0", b"\0"})
# Owner, group, time and device mean nothing here, but some readers end where one is no number.
_UNUSED_NUMBERS: Final = ((108, 116), (116, 124), (136, 148), (329, 337), (337, 345))
_NEGATIVE: Final = 0xFF
_DEVICES: Final = frozenset({b"3", b"4", b"6"})


@dataclass(frozen=True, slots=True)
class Header:
    """One header block; `name` and `link` as they are written, before any extension header counts."""

    name: bytes
    kind: bytes
    mode: int
    size: int
    link: bytes


def read_tar(archive: bytes, limits: Limits, compression: Compression = Compression.NONE) -> Package:
    """The package in a tar archive; raises ArchiveRefused."""
    tree = Tree(limits)
    add_tar(tree, archive, compression, Meter(limits, len(archive)))
    return tree.package()


def add_tar(tree: Tree, archive: bytes, compression: Compression, meter: Meter) -> None:
    """Add every entry of a tar archive to `tree`, with its links unresolved; raises ArchiveRefused."""
    stream = ByteStream(expand(archive, compression, meter))
    block = stream.read(_BLOCK)
    if not _looks_like_tar(block):
        raise ArchiveRefused(Refusal.FORMAT_MISMATCH)
    extension = Extension()
    while block != _ZERO:
        header = _header(block)
        if header.kind in b"xgLK":
            extension = _extended(extension, header, stream)
        else:
            meter.count_entry()
            _add(tree, _completed(header, extension), stream, meter)
            extension = Extension()
        block = _block(stream)
    if extension != Extension():
        raise ArchiveRefused(Refusal.BAD_EXTENSION)
    if any(chunk.strip(b"\0") for chunk in stream.rest()):
        raise ArchiveRefused(Refusal.TRAILING_DATA)


def _looks_like_tar(block: bytes) -> bool:
    """Whether the first block is a header or the end of an empty archive."""
    return len(block) == _BLOCK and (block == _ZERO or _checksum_holds(block))


def _block(stream: ByteStream) -> bytes:
    block = stream.read(_BLOCK)
    if len(block) < _BLOCK:
        raise ArchiveRefused(Refusal.TRUNCATED)
    return block


def _content(stream: ByteStream, size: int) -> bytes:
    data = stream.read(size)
    padding = -size % _BLOCK
    if len(data) < size or len(stream.read(padding)) < padding:
        raise ArchiveRefused(Refusal.TRUNCATED)
    return data


def _header(block: bytes) -> Header:
    if not _checksum_holds(block):
        raise ArchiveRefused(Refusal.BAD_CHECKSUM)
    for start, end in _UNUSED_NUMBERS:
        if block[start] != _NEGATIVE:
            _number(block[start:end])
    name = _text(block[:100])
    prefix = _text(block[345:500])
    if block[257:265] == b"ustar\x0000":
        name = prefix + b"/" + name if prefix else name
    elif block[257:265] != b"ustar  \0" and (block[257:329] + block[345:]).strip(b"\0"):
        # Before ustar only device numbers were written here; readers differ on what they make of the rest.
        raise ArchiveRefused(Refusal.BAD_HEADER)
    return Header(
        name, block[156:157], _number(block[100:108]), _number(block[124:136]), _text(block[157:257])
    )


def _checksum_holds(block: bytes) -> bool:
    try:
        stored = _number(block[148:156])
    except ArchiveRefused:
        return False
    return stored == sum(block) - sum(block[148:156]) + 8 * ord(" ")


def _text(field: bytes) -> bytes:
    return field.partition(b"\0")[0]


def _number(field: bytes) -> int:
    """A non-negative number in octal digits or in GNU's base 256."""
    if field[0] == 0x80:
        return int.from_bytes(field[1:], "big")
    # A zero byte ends the digits for some readers and is skipped by others: none may stand before them.
    digits = field.lstrip(b" ").rstrip(b" \0")
    if digits.strip(b"01234567"):
        raise ArchiveRefused(Refusal.BAD_HEADER)
    return int(digits or b"0", 8)


def _extended(extension: Extension, header: Header, stream: ByteStream) -> Extension:
    """What is known about the next entry after one more extension header."""
    if header.size > _EXTENSION_BYTES:
        raise ArchiveRefused(Refusal.BAD_EXTENSION)
    data = _content(stream, header.size)
    if header.kind == b"x":
        return extension.joined(pax_records(data))
    if header.kind == b"g":
        if not global_header_is_harmless(data):
            raise ArchiveRefused(Refusal.BAD_EXTENSION)
        return extension
    name = _text(data)
    return extension.joined(Extension(path=name) if header.kind == b"L" else Extension(link=name))


def _completed(header: Header, extension: Extension) -> Header:
    completed = header
    if extension.path is not None:
        completed = replace(completed, name=extension.path)
    if extension.link is not None:
        completed = replace(completed, link=extension.link)
    if extension.size not in {None, header.size}:
        # Only needed above 8 GiB; below, a second size moves the next header for some readers.
        raise ArchiveRefused(Refusal.BAD_EXTENSION)
    return completed


def _add(tree: Tree, header: Header, stream: ByteStream, meter: Meter) -> None:
    # Images list their root as `/`, where nothing is placed.
    path = "" if header.kind == b"5" and header.name == b"/" else entry_path(header.name)
    slash = header.name.endswith(b"/")
    if header.kind in _REGULAR and not (slash and header.kind == b"\0"):
        if slash:
            raise ArchiveRefused(Refusal.FILE_AND_DIRECTORY, path)
        meter.count_content(header.size)
        tree.add_file(path, PackageFile(_content(stream, header.size), bool(header.mode & 0o100)))
        return
    _refuse_kind(header, path)
    if header.kind == b"1":
        tree.add_hard_link(path, entry_path(header.link))
    elif header.kind == b"2":
        tree.add_symbolic_link(path, header.link)
    else:
        tree.add_directory(path)


def _refuse_kind(header: Header, path: str) -> None:
    if header.kind in _DEVICES:
        raise ArchiveRefused(Refusal.DEVICE, path)
    if header.kind == b"S":
        raise ArchiveRefused(Refusal.SPARSE, path)
    if header.kind not in {b"1", b"2", b"5", b"\0"}:
        raise ArchiveRefused(Refusal.UNSUPPORTED_KIND, path)
    if header.size:
        # Some readers skip this many bytes and some do not: the next header would be in two places.
        raise ArchiveRefused(Refusal.NOT_EMPTY, path)
