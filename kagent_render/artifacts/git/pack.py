"""The objects of one pack by their ids, which are computed here and never taken from anybody."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.git.failure import malformed
from kagent_render.artifacts.git.inflation import Expansion, applied, inflated
from kagent_render.artifacts.git.pack_entries import HEADER, Entry, count_entries, read_entry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.artifacts.git.object_format import ObjectFormat

_HELD: Final = 32 << 20  # bytes of objects that are kept rather than expanded again
_CHAIN: Final = 4_095  # deltas upon deltas; Git writes no longer chains


@dataclass(frozen=True, slots=True)
class Located:
    """An object of the pack: its id and kind, its entry, and the object that a delta is based on."""

    name: str
    kind: str
    entry: Entry
    base: Located | None
    chain: int


@dataclass(frozen=True, slots=True)
class GitObject:
    """One object whose id was computed from these very bytes."""

    name: str
    kind: str
    data: bytes


class Pack:
    """The objects of one pack; raises GitFailure where anything in it is not what it should be.

    Contents that are not held in memory are expanded again when they are read.
    """

    def __init__(self, data: bytes | bytearray, object_format: ObjectFormat, expansion: Expansion) -> None:
        self._data = memoryview(data)
        self._format = object_format
        self._expansion = expansion
        self._held: dict[int, bytes] = {}
        self._held_bytes = 0
        self._located: dict[str, Located] = {}
        self._identify()

    def __contains__(self, name: str) -> bool:
        return name in self._located

    def __iter__(self) -> Iterator[tuple[str, str]]:
        """Each object's id and kind."""
        return ((found.name, found.kind) for found in self._located.values())

    def read(self, name: str) -> GitObject:
        """One object that is in the pack."""
        found = self._located[name]
        return GitObject(name, found.kind, self._content(found))

    def _identify(self) -> None:
        """Find the id of every object: first those that stand alone, then deltas from their bases upwards."""
        waiting: dict[int | str, list[Entry]] = defaultdict(list)
        ready = []
        for entry, data in self._entries():
            if entry.base is None:
                ready.append(self._locate(entry, data, None))
            else:
                waiting[entry.base].append(entry)
        while ready:
            base = ready.pop()
            based = (*waiting.pop(base.entry.offset, ()), *waiting.pop(base.name, ()))
            ready.extend(
                self._locate(entry, self._applied(entry, self._content(base)), base) for entry in based
            )
        if waiting:
            raise malformed("deltas whose base is missing, or that lead into each other")

    def _entries(self) -> Iterator[tuple[Entry, bytes]]:
        """Every entry with its inflated data; nothing may follow the last one but the checksum."""
        at, end = HEADER, len(self._data) - self._format.size
        for _ in range(count_entries(self._data, self._format)):
            entry = read_entry(self._data[:end], at, self._format)
            data, at = inflated(self._data[:end], entry.data, entry.size, self._expansion)
            yield entry, data
        if at != end:
            raise malformed("a pack with something after its last object")

    def _locate(self, entry: Entry, data: bytes, base: Located | None) -> Located:
        kind = base.kind if base else entry.kind
        name = self._format.object_id(kind, data)
        located = Located(name, kind, entry, base, base.chain + 1 if base else 0)
        if located.chain > _CHAIN:
            raise malformed(f"more than {_CHAIN:,} deltas upon each other")
        self._hold(entry.offset, data)
        self._located.setdefault(name, located)
        return located

    def _content(self, found: Located) -> bytes:
        deltas = []
        at: Located = found
        while at.entry.offset not in self._held and at.base is not None:
            deltas.append(at.entry)
            at = at.base
        data = self._held.get(at.entry.offset)
        if data is None:
            data = self._inflated(at.entry)
        for entry in reversed(deltas):
            data = self._applied(entry, data)
        return data

    def _applied(self, entry: Entry, base: bytes) -> bytes:
        return applied(self._inflated(entry), base, self._expansion)

    def _inflated(self, entry: Entry) -> bytes:
        return inflated(self._data, entry.data, entry.size, self._expansion)[0]

    def _hold(self, offset: int, data: bytes) -> None:
        """Keep what was expanded last, as the next delta is likely based on it."""
        self._held[offset] = data
        self._held_bytes += len(data)
        while self._held_bytes > _HELD:
            self._held_bytes -= len(self._held.pop(next(iter(self._held))))
