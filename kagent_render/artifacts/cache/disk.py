"""The cache: what was fetched once, on the user's disk, shared by all roots, threads and processes.

`sources/<key>` says which content belongs to a source, `contents/<sha256>` holds it. Nothing is believed: all
is hashed and compared again on every read; what is not as it was kept is a failure, never a reason to fetch.
Files are whole or not there, and none is ever replaced.
"""

from __future__ import annotations

import hashlib
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.cache.content import content_bytes, decode_content, encode_content
from kagent_render.artifacts.cache.entry import (
    ENTRY_BYTES,
    EntryDamagedError,
    SourceEntry,
    Subject,
    check_subject,
    decode_entry,
    encode_entry,
)
from kagent_render.artifacts.cache.files import open_files
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.source_identity import source_text
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.reasons import Reason
from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.cache.files import CacheFiles
    from kagent_render.artifacts.package import Package

SOURCES: Final = "sources"
CONTENTS: Final = "contents"


class NoCache:
    """A cache that holds nothing."""

    def package(self, source: ArtifactSource, settings: Mapping[str, str]) -> Package | None:  # noqa: ARG002
        """Nothing."""
        return None

    def keep(self, source: ArtifactSource, settings: Mapping[str, str], package: Package) -> None:
        """Forget the package at once."""


class DiskCache:
    """A cache in a folder; one that cannot be read or written, or is not the user's alone, holds nothing."""

    def __init__(self, folder: Path, limits: Limits | None = None) -> None:
        self._folder = folder
        self._limits = limits or Limits()

    def package(self, source: ArtifactSource, settings: Mapping[str, str]) -> Package | None:
        """The package that was kept; raises ArtifactFailure where a file is not what was kept."""
        subject = Subject(source, settings)
        with suppress(OSError), open_files(self._folder, SOURCES) as sources:
            entry = _entry(sources, subject)
            if entry is not None:
                package = self._content(entry)
                if package is not None:
                    sources.touch(subject.key)
                return package
        return None

    def keep(self, source: ArtifactSource, settings: Mapping[str, str], package: Package) -> None:
        """Keep a package that is not there yet: its content first, then the entry that names it."""
        subject = Subject(source, settings)
        try:
            content = encode_content(subject, package, self._limits)
        except ValueError:
            return
        digest = hashlib.sha256(content).hexdigest()
        entry = encode_entry(SourceEntry(subject, digest, tree_digest(package)))
        if len(entry) <= ENTRY_BYTES:
            with suppress(OSError, EntryDamagedError):
                self._add(subject.key, entry, digest, content)

    def _content(self, entry: SourceEntry) -> Package | None:
        limit = content_bytes(self._limits)
        with (
            open_files(self._folder, CONTENTS) as contents,
            _reporting_damage(entry.subject.source, contents.path / entry.content),
        ):
            data = contents.read(entry.content, limit)
            if data is None:
                return None
            subject, package = decode_content(data, entry.content, self._limits)
            check_subject(subject, entry.subject)
            found = tree_digest(package)
            if found != entry.tree_digest:
                raise EntryDamagedError(f"tree digest `{entry.tree_digest}`", f"`{found}`")
            return package

    def _add(self, key: str, entry: bytes, digest: str, content: bytes) -> None:
        with (
            open_files(self._folder, SOURCES, create=True) as sources,
            open_files(self._folder, CONTENTS, create=True) as contents,
        ):
            # An entry that says something else stays, and its content, which is gone, is not this one.
            # A content that was damaged is never named again.
            if sources.read(key, ENTRY_BYTES) not in (None, entry):
                return
            contents.add(digest, content)
            if contents.read(digest, len(content)) == content:
                sources.add(key, entry)


def _entry(sources: CacheFiles, subject: Subject) -> SourceEntry | None:
    with _reporting_damage(subject.source, sources.path / subject.key):
        data = sources.read(subject.key, ENTRY_BYTES)
        if data is None:
            return None
        entry = decode_entry(data)
        check_subject(entry.subject, subject)
        return entry


@contextmanager
def _reporting_damage(source: ArtifactSource, place: Path) -> Iterator[None]:
    """Turn what is wrong with the file at `place` into a failure of `source`."""
    try:
        yield
    except EntryDamagedError as damage:
        shown = printable(str(place)).replace("`", "'")
        raise ArtifactFailure(
            Reason.ARTIFACT_DIGEST_MISMATCH,
            f"what is cached of {source_text(source)} in `{shown}` is not what was kept: {damage}",
            hint="either the disk damaged the file, or somebody tampered with it: find out which, then run "
            "`kagent-render cache prune --all`, or delete the file",
        ) from None
