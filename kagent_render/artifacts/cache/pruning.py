"""What lies in the cache, and what of it may go.

Safe beside processes that read and write: a file that goes away under them counts as not held.
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.cache.disk import CONTENTS, SOURCES
from kagent_render.artifacts.cache.entry import ENTRY_BYTES, EntryDamagedError, SourceEntry, decode_entry
from kagent_render.artifacts.cache.files import open_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kagent_render.artifacts.cache.files import CacheFile, CacheFiles

LEFTOVER_SECONDS: Final = 3600
"""How long a file that no entry names may still be one that a slow process is about to name."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What the cache holds; times of use are seconds since 1970, None where nothing is held."""

    artifacts: int
    size: int
    oldest_use: float | None
    newest_use: float | None


@dataclass(frozen=True, slots=True)
class Age:
    """What goes: entries last used before `unused`, and what no entry names, written before `leftover`."""

    unused: float
    leftover: float


EVERYTHING: Final = Age(math.inf, math.inf)


@dataclass(frozen=True, slots=True)
class Removal:
    """A file that goes; `entry` is what it says where it is an entry that can be read.

    A leftover is a file that belongs to no artifact.
    """

    folder: str
    file: CacheFile
    entry: SourceEntry | None = None
    is_leftover: bool = False

    @property
    def is_entry(self) -> bool:
        """Whether an artifact is no longer held without this file."""
        return self.folder == SOURCES and not self.is_leftover


def survey(folder: Path) -> Survey:
    """Count what is held in a folder; raises OSError."""
    sources = _listed(folder, SOURCES)
    used = [file.time for file in sources if not file.is_partial]
    size = sum(file.size for file in [*sources, *_listed(folder, CONTENTS)])
    return Survey(len(used), size, min(used, default=None), max(used, default=None))


def prune(folder: Path, age: Age, *, dry_run: bool = False) -> Sequence[Removal]:
    """Remove what is old enough, and say what; with `dry_run` only say it. Raises OSError."""
    # Listed in this order, a content that is placed at this moment is seen before its entry is missed.
    entries = _entries(folder)
    removals = list(_removals(entries, _listed(folder, CONTENTS), age))
    if not dry_run:
        for removal in removals:
            with open_files(folder, removal.folder) as files:
                files.remove(removal.file.name)
    return removals


def _listed(folder: Path, name: str) -> Sequence[CacheFile]:
    with suppress(FileNotFoundError), open_files(folder, name) as opened:
        return opened.files()
    return ()


def _entries(folder: Path) -> Sequence[tuple[CacheFile, SourceEntry | None]]:
    """Every file of the sources with what it says where it is an entry that can be read."""
    with suppress(FileNotFoundError), open_files(folder, SOURCES) as sources:
        return [(file, _decoded(sources, file.name)) for file in sources.files()]
    return ()


def _decoded(sources: CacheFiles, name: str) -> SourceEntry | None:
    try:
        data = sources.read(name, ENTRY_BYTES)
        return decode_entry(data) if data is not None else None
    except EntryDamagedError:
        return None


def _removals(
    entries: Sequence[tuple[CacheFile, SourceEntry | None]], contents: Sequence[CacheFile], age: Age
) -> Iterator[Removal]:
    """Entries come first: a reader that finds one finds its content, too, or does without both."""
    present = {file.name for file in contents}
    named: set[str] = set()
    freed: set[str] = set()
    for file, entry in entries:
        gone = entry is not None and entry.content not in present
        goes = gone or file.time < (age.leftover if file.is_partial else age.unused)
        if entry is not None:
            (freed if goes else named).add(entry.content)
        if goes:
            yield Removal(SOURCES, file, entry, is_leftover=file.is_partial)
    for file in contents:
        if file.name not in named and (file.name in freed or file.time < age.leftover):
            yield Removal(CONTENTS, file, is_leftover=file.name not in freed)
