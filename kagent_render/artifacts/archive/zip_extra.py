"""The extra fields of zip headers: ZIP64 sizes and Info-ZIP's second name."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_ZIP64: Final = 0x0001
_UNICODE_PATH: Final = 0x7075


def zip64_values(extra: bytes, fields: Sequence[tuple[int, int]]) -> list[int]:
    """The values of `fields`, each (value, unset mark): those that are unset come from the ZIP64 field.

    The field has to hold exactly those, in order; a disk number (mark 0xFFFF) takes four bytes.
    """
    data = _only(extra, _ZIP64)
    values = []
    for value, unset in fields:
        if value != unset or data is None:
            values.append(value)
            continue
        width = 4 if unset == 0xFFFF else 8
        if len(data) < width:
            raise ArchiveRefused(Refusal.ZIP64)
        values.append(int.from_bytes(data[:width], "little"))
        data = data[width:]
    if data:
        raise ArchiveRefused(Refusal.ZIP64)
    return values


def has_zip64(extra: bytes) -> bool:
    """Whether a header carries the ZIP64 field, so that its data descriptor has 8-byte sizes."""
    return _only(extra, _ZIP64) is not None


def unicode_name_agrees(extra: bytes, name: bytes) -> bool:
    """Whether Info-ZIP's Unicode path, which only some readers prefer, is absent or the same name."""
    data = _only(extra, _UNICODE_PATH)
    return data is None or data[5:] == name


def _only(extra: bytes, wanted: int) -> bytes | None:
    found = [data for kind, data in _fields(extra) if kind == wanted]
    if len(found) > 1:
        raise ArchiveRefused(Refusal.BAD_HEADER)
    return found[0] if found else None


def _fields(extra: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(extra):
        if at + 4 > len(extra):
            if extra[at:].strip(b"\0"):
                raise ArchiveRefused(Refusal.BAD_HEADER)
            return  # zipalign pads with one to three zero bytes
        kind, size = struct.unpack_from("<2H", extra, at)
        if at + 4 + size > len(extra):
            raise ArchiveRefused(Refusal.BAD_HEADER)
        yield kind, extra[at + 4 : at + 4 + size]
        at += 4 + size
