"""Extension headers of tar: pax records and GNU long names, of which only path, link and size count."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, TypeVar

from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal

_DIGITS: Final = 8
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Extension:
    """What extension headers say about the entry that follows; None where they are silent."""

    path: bytes | None = None
    link: bytes | None = None
    size: int | None = None

    def joined(self, other: Extension) -> Extension:
        """Both together; refuses two that speak of the same thing."""
        return Extension(
            _one(self.path, other.path), _one(self.link, other.link), _one(self.size, other.size)
        )


def pax_records(data: bytes) -> Extension:
    """The extension that a pax header's records make; records that do not name content are ignored."""
    records = _records(data)
    if any(key.startswith(b"GNU.sparse.") for key in records):
        raise ArchiveRefused(Refusal.SPARSE)
    if b"hdrcharset" in records:
        raise ArchiveRefused(Refusal.BAD_EXTENSION)
    size = records.get(b"size")
    return Extension(records.get(b"path"), records.get(b"linkpath"), None if size is None else _size(size))


def global_header_is_harmless(data: bytes) -> bool:
    """Whether a global pax header names no content, as Git's own (a comment with the commit) does not."""
    return pax_records(data) == Extension()


def _records(data: bytes) -> dict[bytes, bytes]:
    records: dict[bytes, bytes] = {}
    at = 0
    while at < len(data):
        length, separator, _ = data[at : at + _DIGITS].partition(b" ")
        if not separator or not length.isdigit():
            raise ArchiveRefused(Refusal.BAD_EXTENSION)
        record = data[at + len(length) + 1 : at + int(length)]
        key, equals, value = record.removesuffix(b"\n").partition(b"=")
        if at + int(length) > len(data) or not record.endswith(b"\n") or not equals or key in records:
            raise ArchiveRefused(Refusal.BAD_EXTENSION)
        records[key] = value
        at += int(length)
    return records


def _size(value: bytes) -> int:
    if not value.isdigit() or len(value) > 2 * _DIGITS:
        raise ArchiveRefused(Refusal.BAD_EXTENSION)
    return int(value)


def _one(first: T | None, second: T | None) -> T | None:
    if first is not None and second is not None:
        raise ArchiveRefused(Refusal.BAD_EXTENSION)
    return second if first is None else first
