"""Plans what has to change in the vendored store so that it holds what the manifests name, and no more."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.source_identity import source_identity, source_key
from kagent_render.artifacts.store.index import IndexEntry, dump_index
from kagent_render.artifacts.tree_digest import tree_digest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.source_identity import Identity

INDEX_NAME: Final = "index.yaml"
ATTRIBUTES_NAME: Final = ".gitattributes"
ATTRIBUTES: Final = b"* -text -filter -ident -working-tree-encoding linguist-vendored\n"
"""Git must keep every byte, whatever line endings or filters the repository's own attributes ask for."""

_CONTENT: Final = r"sha256-[0-9a-f]{64}"
_TEMPORARY: Final = re.compile(rf"\.({_CONTENT}(\.old)?|index\.yaml|\.gitattributes)\.kagent-render~")


class ArtifactState(StrEnum):
    """What becomes of an artifact; REMOVED ones are those that nothing uses any more."""

    ADDED = "added"
    KEPT = "kept"
    RESTORED = "restored"
    REMOVED = "removed"


@dataclass(frozen=True, slots=True)
class VendoredArtifact:
    """One line of what was done; `size` is in bytes, None where the content was not read."""

    identity: Identity
    digest: str
    state: ArtifactState
    size: int | None = None
    line: int = 1


@dataclass(frozen=True, slots=True)
class PresentStore:
    """The store as it is: the `names` in its folder, its two files, and the index's entries by key.

    `intact` are the tree digests whose content is known to be there and right.
    """

    names: frozenset[str] = frozenset()
    index: bytes | None = None
    attributes: bytes | None = None
    entries: Mapping[str, IndexEntry] = field(default_factory=dict)
    intact: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class StorePlan:
    """What has to be done, by the names in the store's folder.

    `contents` are folders to write, `files` what the two files should be (None: not there), of which only
    the `stale` ones are written, `removed` names that go, `foreign` what is not ours and stays.
    """

    contents: Mapping[str, Package]
    replaced: frozenset[str]
    files: Mapping[str, bytes | None]
    stale: tuple[str, ...]
    removed: tuple[str, ...]
    foreign: tuple[str, ...]
    artifacts: tuple[VendoredArtifact, ...]

    @property
    def changed(self) -> tuple[str, ...]:
        """The names that writing would change, sorted; a folder stands for all that is below it."""
        return tuple(sorted({*self.contents, *self.stale, *self.removed}))


def plan_store(
    wanted: Mapping[ArtifactSource, Package], used: Collection[str], present: PresentStore
) -> StorePlan:
    """The plan for a store of `wanted` packages; entries stay whose identity keys are `used`."""
    digests = {source: tree_digest(package) for source, package in wanted.items()}
    sizes = {source_key(source): _size(package) for source, package in wanted.items()}
    entries = {key: entry for key, entry in present.entries.items() if key in used} | _entries(digests)
    contents = _contents({digests[source]: package for source, package in wanted.items()}, present)
    files = _files(entries, used, present)
    found = {ATTRIBUTES_NAME: present.attributes, INDEX_NAME: present.index}
    needed = {content_name(entry.digest) for entry in entries.values()}
    return StorePlan(
        contents=contents,
        replaced=present.names & contents.keys(),
        files=files,
        stale=tuple(name for name, data in files.items() if found[name] != data),
        removed=tuple(sorted(name for name in present.names - needed if _is_ours(name))),
        foreign=tuple(sorted(name for name in present.names - files.keys() if not _is_ours(name))),
        artifacts=tuple(_artifacts(sizes, entries, contents.keys(), present)),
    )


def content_name(digest: str) -> str:
    """The name of the folder of content with a tree digest."""
    return digest.replace(":", "-")


def is_content(name: str) -> bool:
    """Whether a name in the store's folder is that of a content."""
    return re.fullmatch(_CONTENT, name) is not None


def is_leftover(name: str) -> bool:
    """Whether a name in the store's folder is one that only a killed run leaves there."""
    return _TEMPORARY.fullmatch(name) is not None


def _is_ours(name: str) -> bool:
    return is_content(name) or is_leftover(name)


def _size(package: Package) -> int:
    return sum(len(file.data) for file in package.files.values())


def _entries(digests: Mapping[ArtifactSource, str]) -> dict[str, IndexEntry]:
    """The index's entries of what is wanted, by identity key."""
    return {
        source_key(source): IndexEntry(source_identity(source), digest) for source, digest in digests.items()
    }


def _contents(packages: Mapping[str, Package], present: PresentStore) -> dict[str, Package]:
    """The folders that have to be written, by name; a package of nothing has none, in Git neither."""
    return {
        content_name(digest): packages[digest]
        for digest in sorted(packages.keys() - present.intact)
        if packages[digest].files
    }


def _files(
    entries: Mapping[str, IndexEntry], used: Collection[str], present: PresentStore
) -> dict[str, bytes | None]:
    """What the two files should be; while nothing that is used is there yet, attributes may be already."""
    filled = bool(entries) or (bool(used) and present.attributes is not None)
    return {
        ATTRIBUTES_NAME: ATTRIBUTES if filled else None,
        INDEX_NAME: dump_index(entries.values()) if entries else None,
    }


def _artifacts(
    sizes: Mapping[str, int],
    entries: Mapping[str, IndexEntry],
    written: Collection[str],
    present: PresentStore,
) -> Iterator[VendoredArtifact]:
    """Every artifact that is or was in the index, in its order."""
    for key in sorted({*entries, *present.entries}):
        known = present.entries.get(key)
        entry = entries.get(key) or present.entries[key]
        rewritten = content_name(entry.digest) in written
        if key not in entries:
            state = ArtifactState.REMOVED
        elif known is None:
            state = ArtifactState.ADDED
        else:
            state = ArtifactState.RESTORED if rewritten else ArtifactState.KEPT
        line = known.line if known is not None else 1
        yield VendoredArtifact(entry.identity, entry.digest, state, sizes.get(key), line)
