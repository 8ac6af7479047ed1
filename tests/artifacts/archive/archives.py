"""Archives built byte by byte, so that a test can make any field lie."""

from __future__ import annotations

import gzip
import importlib
import io
import stat
import struct
import sys
import tarfile
import zipfile
import zlib
from dataclasses import dataclass, field, replace
from typing import Any

BLOCK = 512
END = bytes(2 * BLOCK)


@dataclass(frozen=True)
class ZipEntry:
    """One entry; `local` and `descriptor` override fields of the local header and data descriptor.

    `system` is that of the writer, 3 being Unix.
    """

    name: bytes = b"a"
    data: bytes = b"text"
    method: int = 8
    flags: int = 0
    mode: int = stat.S_IFREG | 0o644
    system: int = 3
    attributes: int = 0
    extra: bytes = b""
    local_extra: bytes = b""
    size: int | None = None
    crc: int | None = None
    local: dict[str, bytes | int] = field(default_factory=dict)
    descriptor: bytes | None = None
    packed: bytes | None = None

    @property
    def stored(self) -> bytes:
        if self.packed is not None:
            return self.packed
        if self.method != 8:
            return self.data
        deflate = zlib.compressobj(9, zlib.DEFLATED, -15)
        return deflate.compress(self.data) + deflate.flush()

    @property
    def fields(self) -> dict[str, bytes | int]:
        return {
            "name": self.name,
            "flags": self.flags,
            "method": self.method,
            "crc": zlib.crc32(self.data) if self.crc is None else self.crc,
            "packed": len(self.stored),
            "size": len(self.data) if self.size is None else self.size,
        }


def streamed(entry: ZipEntry, form: str = "<4s3L", magic: tuple[bytes, ...] = (b"PK\x07\x08",)) -> ZipEntry:
    """The entry as a writer that cannot seek writes it: sizes follow the data in a descriptor."""
    known = entry.fields
    descriptor = struct.pack(form, *magic, known["crc"], known["packed"], known["size"])
    return replace(
        entry, flags=entry.flags | 8, local={"crc": 0, "packed": 0, "size": 0}, descriptor=descriptor
    )


def local_part(entry: ZipEntry) -> bytes:
    told = {**entry.fields, **entry.local}
    name = told["name"]
    assert isinstance(name, bytes)
    header = struct.pack(
        "<4s5H3L2H",
        b"PK\x03\x04",
        20,
        told["flags"],
        told["method"],
        0,
        0,
        told["crc"],
        told["packed"],
        told["size"],
        len(name),
        len(entry.local_extra),
    )
    return header + name + entry.local_extra + entry.stored + (entry.descriptor or b"")


def central_part(entry: ZipEntry, offset: int) -> bytes:
    told = entry.fields
    header = struct.pack(
        "<4s6H3L5H2L",
        b"PK\x01\x02",
        entry.system << 8 | 20,
        20,
        told["flags"],
        told["method"],
        0,
        0,
        told["crc"],
        told["packed"],
        told["size"],
        len(entry.name),
        len(entry.extra),
        0,
        0,
        0,
        entry.mode << 16 | entry.attributes,
        offset,
    )
    return header + entry.name + entry.extra


def zip_end(entries: int, size: int, start: int, comment: bytes = b"", disk: int = 0) -> bytes:
    return (
        struct.pack("<4s4H2LH", b"PK\x05\x06", disk, 0, entries, entries, size, start, len(comment)) + comment
    )


def zip_of(*entries: ZipEntry, between: bytes = b"", tail: bytes = b"", comment: bytes = b"") -> bytes:
    """A zip archive; `between` goes before the central directory, `tail` after everything."""
    body, directory = b"", b""
    for entry in entries:
        directory += central_part(entry, len(body))
        body += local_part(entry)
    body += between
    return body + directory + zip_end(len(entries), len(directory), len(body), comment) + tail


def zip64_of(entry: ZipEntry, **lies: int) -> bytes:
    """A zip archive whose end records are ZIP64, with some of their fields replaced."""
    body, directory = local_part(entry), central_part(entry, 0)
    told = {"entries": 1, "size": len(directory), "start": len(body), "length": 44, "at": 0, "plain": 0xFFFF}
    told.update(lies)
    at = len(body) + len(directory)
    end64 = struct.pack(
        "<4sQ2H2L4Q",
        b"PK\x06\x06",
        told["length"],
        45,
        45,
        0,
        0,
        1,
        told["entries"],
        told["size"],
        told["start"],
    )
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, at + told["at"], 1)
    end = struct.pack(
        "<4s4H2LH", b"PK\x05\x06", 0, 0, told["plain"], told["plain"], 0xFFFFFFFF, 0xFFFFFFFF, 0
    )
    return body + directory + end64 + locator + end


def tar_entry(
    name: bytes,
    data: bytes = b"",
    kind: bytes = b"0",
    *,
    mode: int = 0o644,
    link: bytes = b"",
    size: bytes | None = None,
    magic: bytes = b"ustar\x0000",
    prefix: bytes = b"",
    checksum: int | None = None,
    patch: tuple[int, bytes] = (0, b""),
) -> bytes:
    """One tar member: its header block and its padded data; `patch` puts bytes at a place of the header."""
    number = b"%011o\0" % len(data) if size is None else size
    block = bytearray(BLOCK)
    for at, value in ((0, name), (100, b"%07o\0" % mode), (124, number), (156, kind), (157, link)):
        block[at : at + len(value)] = value
    block[257 : 257 + len(magic)] = magic
    block[345 : 345 + len(prefix)] = prefix
    block[patch[0] : patch[0] + len(patch[1])] = patch[1]
    block[148:156] = b" " * 8
    block[148:155] = b"%06o\0" % (sum(block) if checksum is None else checksum)
    return bytes(block) + data + bytes(-len(data) % BLOCK)


def pax(**records: str) -> bytes:
    """The data of a pax extension header; `__` in a key stands for a dot."""
    data = b""
    for key, value in records.items():
        record = f" {key.replace('__', '.')}={value}\n".encode()
        length = len(record) + len(str(len(record) + 2))
        data += str(length).encode() + record if length >= 10 else f"{len(record) + 1}".encode() + record
    return data


def tar_of(*members: bytes, end: bytes = END) -> bytes:
    return b"".join(members) + end


def gzip_of(data: bytes) -> bytes:
    return gzip.compress(data, mtime=0)


def zstd_of(data: bytes, **options: int) -> bytes:
    """One zstd frame; `options` are compression parameters by name."""
    zstd = zstd_module()
    chosen = {zstd.CompressionParameter[name]: value for name, value in options.items()}
    return bytes(zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1, **chosen}))


def zstd_module() -> Any:
    """Python's own zstd module, or its backport."""
    return importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


def skippable(data: bytes, kind: int = 0) -> bytes:
    """A zstd frame that readers skip."""
    return struct.pack("<2L", 0x184D2A50 + kind, len(data)) + data


def ordinary_zip(files: dict[str, bytes]) -> bytes:
    """A zip archive as Python's own writer makes it."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def ordinary_tar(files: dict[str, bytes], mode: str = "w:gz", form: int = tarfile.PAX_FORMAT) -> bytes:
    """A tar archive as Python's own writer makes it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode, format=form) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return buffer.getvalue()
