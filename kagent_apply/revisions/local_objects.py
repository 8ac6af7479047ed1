"""The objects of a repository on this machine, each with a bound and held against its id.

dulwich finds refs and reads the indexes of packs. It would inflate whatever an object claims to be, so that
objects themselves are read by the bounded reader that kagent-render has for packs of servers.
"""

from __future__ import annotations

import mmap
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kagent_apply.revisions.repository import ObjectError, is_id, too_large
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.git.failure import GitFailure
from kagent_render.artifacts.git.inflation import Expansion, applied, inflated
from kagent_render.artifacts.git.object_format import format_of_id
from kagent_render.artifacts.git.pack_entries import read_entry
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dulwich.object_format import ObjectFormat as DulwichFormat
    from dulwich.pack import PackIndex
    from dulwich.repo import Repo

_HEADER: Final = 64
_CHAIN: Final = 4_095  # deltas upon deltas; Git writes no longer chains


class LocalObjects:
    """Loose and packed objects, those of alternates too, as they were when the repository was opened."""

    def __init__(self, repository: Repo) -> None:
        store = repository.object_store
        folders = [store.path, *(getattr(other, "path", None) for other in store.alternates)]
        self._folders = [Path(folder) for folder in folders if folder is not None]
        self._format = repository.object_format
        self._packs: list[_Pack] | None = None

    def read(self, name: str, limit: int) -> tuple[str, bytes]:
        """The kind and the bytes of an object; raises ObjectError, and ValueError beyond `limit` bytes."""
        if not is_id(name):
            raise ObjectError(f"`{name[:80]}` is no id of an object")
        found = self._loose(name, limit) or self._packed(name, limit)
        if found is None:
            raise ObjectError(f"the repository lacks the object `{name}`")
        kind, data = found
        if format_of_id(name).object_id(kind, data) != name:
            raise _damaged(name)
        return kind, data

    def close(self) -> None:
        """Let go of the packs."""
        for pack in self._packs or ():
            pack.close()
        self._packs = None

    def _loose(self, name: str, limit: int) -> tuple[str, bytes] | None:
        for folder in self._folders:
            with suppress(FileNotFoundError, NotADirectoryError):
                try:
                    with (folder / name[:2] / name[2:]).open("rb") as file:
                        packed = file.read(2 * limit + _HEADER)
                except PermissionError:
                    raise ObjectError(f"the object `{name}` may not be read") from None
                return _inflated_loose(name, packed, limit)
        return None

    def _packed(self, name: str, limit: int) -> tuple[str, bytes] | None:
        for pack in self._opened():
            offset = pack.offset(name)
            if offset is None:
                continue
            try:
                kind, data = self._resolved(pack, offset, _expansion(limit))
            except GitFailure as failure:
                if failure.reason is Reason.ARTIFACT_TOO_LARGE:
                    raise too_large(name) from None
                raise _damaged(name) from None
            except (IndexError, ValueError, OSError):
                raise _damaged(name) from None
            if len(data) > limit:
                raise too_large(name)
            return kind, data
        return None

    def _resolved(self, pack: _Pack, offset: int, expansion: Expansion) -> tuple[str, bytes]:
        """An object out of its base and the deltas upon it."""
        deltas: list[bytes] = []
        for _ in range(_CHAIN):
            entry = read_entry(pack.data, offset, format_of_id("0" * 2 * pack.id_size))
            data, _ = inflated(pack.data, entry.data, entry.size, expansion)
            if entry.base is None:
                for delta in reversed(deltas):
                    data = applied(delta, data, expansion)
                return entry.kind, data
            deltas.append(data)
            base = entry.base if isinstance(entry.base, int) else pack.offset(entry.base)
            if base is None or (isinstance(entry.base, int) and not 0 < base < offset):
                break
            offset = base
        raise IndexError

    def _opened(self) -> list[_Pack]:
        if self._packs is None:
            self._packs = list(self._open_packs())
        return self._packs

    def _open_packs(self) -> Iterator[_Pack]:
        """Every pack that can be opened; one that cannot has none of the objects."""
        for folder in self._folders:
            for index in sorted((folder / "pack").glob("*.idx")):
                pack = _open_pack(index, self._format)
                if pack is not None:
                    yield pack


@dataclass(frozen=True, slots=True)
class _Pack:
    index: PackIndex
    data: memoryview
    mapped: mmap.mmap
    id_size: int

    def offset(self, name: str) -> int | None:
        """Where an object is; None where it is not in the pack."""
        try:
            return int(self.index.object_offset(bytes.fromhex(name)))  # type: ignore[arg-type]
        except (KeyError, ValueError, IndexError, AssertionError):
            return None

    def close(self) -> None:
        self.data.release()
        self.mapped.close()
        self.index.close()


def _open_pack(path: Path, object_format: DulwichFormat) -> _Pack | None:
    from dulwich.pack import load_pack_index

    try:
        with path.with_suffix(".pack").open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        index = load_pack_index(path, object_format)
    except (OSError, ValueError, KeyError, IndexError, AssertionError):
        return None
    return _Pack(index, memoryview(mapped), mapped, object_format.oid_length)


def _expansion(limit: int) -> Expansion:
    """What an object may take: its base may be larger than itself, and every delta makes another object."""
    return Expansion(Limits(content=4 * limit, archive=16 * limit))


def _inflated_loose(name: str, packed: bytes, limit: int) -> tuple[str, bytes]:
    inflater = zlib.decompressobj()
    try:
        data = inflater.decompress(packed, limit + _HEADER)
    except zlib.error:
        raise _damaged(name) from None
    head, zero, content = data.partition(b"\0")
    kind, _, size = head.decode("ascii", errors="replace").partition(" ")
    if not zero or not size.isascii() or not size.isdigit():
        raise _damaged(name)
    if int(size[:20]) > limit:
        raise too_large(name)
    return kind, content


def _damaged(name: str) -> ObjectError:
    return ObjectError(f"the object `{name}` is damaged")
