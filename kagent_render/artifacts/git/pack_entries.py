"""The entries of a pack file: where each begins, what it is, and what a delta is based on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.git.failure import malformed, mismatch, too_large

if TYPE_CHECKING:
    from kagent_render.artifacts.git.object_format import ObjectFormat

KINDS: Final = {1: "commit", 2: "tree", 3: "blob", 4: "tag"}
HEADER: Final = 12
_MAGIC: Final = b"PACK"
_VERSIONS: Final = (2, 3)
_OBJECTS: Final = 200_000
_OFFSET_DELTA: Final = 6
_ID_DELTA: Final = 7
_NUMBER_BYTES: Final = 10


@dataclass(frozen=True, slots=True)
class Entry:
    """One object or delta: offset, `kind` of an object, declared size, where its zlib stream starts.

    A delta has a base: an entry by its offset, or an object by its id.
    """

    offset: int
    kind: str
    size: int
    data: int
    base: int | str | None


def count_entries(pack: memoryview, object_format: ObjectFormat) -> int:
    """The number of entries in a pack whose header and checksum are right."""
    header, end = bytes(pack[:HEADER]), len(pack) - object_format.size
    version = int.from_bytes(header[4:8], "big")
    if header[:4] != _MAGIC or end < HEADER or version not in _VERSIONS:
        raise malformed("what is not a pack of a known version")
    got, expected = object_format.hash(pack[:end]).hexdigest(), bytes(pack[end:]).hex()
    if got != expected:
        raise mismatch("the checksum of the pack that came does not match", expected, got)
    count = int.from_bytes(header[8:], "big")
    if count > _OBJECTS:
        raise too_large(f"the pack that came holds more than {_OBJECTS:,} objects")
    return count


def read_entry(pack: memoryview, at: int, object_format: ObjectFormat) -> Entry:
    """The entry at an offset."""
    try:
        first, position = pack[at], at + 1
        size, shift = first & 0x0F, 4
        while pack[position - 1] & 0x80:
            size |= (pack[position] & 0x7F) << shift
            shift += 7
            position += 1
            _bound(position - at)
        number = first >> 4 & 0x07
        if number in KINDS:
            return Entry(at, KINDS[number], size, position, None)
        if number == _OFFSET_DELTA:
            distance, position = _distance(pack, position)
            return Entry(at, "", size, position, at - distance)
        if number == _ID_DELTA:
            end = position + object_format.size
            return Entry(at, "", size, end, bytes(pack[position:end]).hex())
    except IndexError:
        pass
    raise malformed("a pack with a malformed entry")


def _distance(pack: memoryview, at: int) -> tuple[int, int]:
    """How far before a delta its base begins: 7 bits a byte, the most significant first, without gaps."""
    start, distance = at, pack[at] & 0x7F
    while pack[at] & 0x80:
        at += 1
        distance = (distance + 1) << 7 | pack[at] & 0x7F
        _bound(at - start)
    return distance, at + 1


def _bound(bytes_of_number: int) -> None:
    if bytes_of_number > _NUMBER_BYTES:
        raise malformed("a pack with a malformed entry")
