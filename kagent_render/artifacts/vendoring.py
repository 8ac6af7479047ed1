"""Plans what has to change in the vendored store so that it holds what the manifests name, and no more."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.source_identity import identity_key, source_identity
from kagent_render.artifacts.store_index import IndexEntry, dump_index
from kagent_render.artifacts.tree_digest import tree_digest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

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
    ours = {identity_key(source_identity(source)): source for source in wanted}
    digests = {source: tree_digest(package) for source, package in wanted.items()}
    entries = {key: entry for key, entry in present.entries.items() if key in used}
    entries |= {key: IndexEntry(source_identity(source), digests[source]) for key, source in ours.items()}
    contents = {
        content_name(digests[source]): package
        for source, package in wanted.items()
        if digests[source] not in present.intact and package.files
    }
    filled = bool(entries) or (bool(used) and present.attributes is not None)
    files = {
        ATTRIBUTES_NAME: ATTRIBUTES if filled else None,
        INDEX_NAME: dump_index(entries.values()) if entries else None,
    }
    found = {ATTRIBUTES_NAME: present.attributes, INDEX_NAME: present.index}
    needed = {content_name(entry.digest) for entry in entries.values()}
    return StorePlan(
        contents=dict(sorted(contents.items())),
        replaced=present.names & contents.keys(),
        files=files,
        stale=tuple(name for name, data in files.items() if found[name] != data),
        removed=tuple(
            sorted(name for name in present.names - needed if is_content(name) or is_leftover(name))
        ),
        foreign=tuple(sorted(_foreign(present.names))),
        artifacts=tuple(_artifacts(_sizes(wanted), entries, contents.keys(), present)),
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


def _foreign(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        if name not in (INDEX_NAME, ATTRIBUTES_NAME) and not is_content(name) and not is_leftover(name):
            yield name


def _sizes(wanted: Mapping[ArtifactSource, Package]) -> dict[str, int]:
    """The bytes of each package by its source's identity key."""
    return {
        identity_key(source_identity(source)): sum(len(file.data) for file in package.files.values())
        for source, package in wanted.items()
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
        entry = entries.get(key, known)
        assert entry is not None
        if key not in entries:
            state = ArtifactState.REMOVED
        elif known is None:
            state = ArtifactState.ADDED
        else:
            rewritten = content_name(entry.digest) in written
            state = ArtifactState.RESTORED if rewritten else ArtifactState.KEPT
        line = known.line if known is not None else 1
        yield VendoredArtifact(entry.identity, entry.digest, state, sizes.get(key), line)
