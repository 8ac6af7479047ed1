"""The vendored store: artifacts as plain files in the repository, beside `kagent-render.yaml`.

`.kagent/artifacts/index.yaml` maps the identity of each source to the tree digest of its content, which lies
in `.kagent/artifacts/sha256-<hex>/`. Nothing is believed: content is hashed again on every read.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.artifacts.archive.limits import Limits, Meter
from kagent_render.artifacts.archive.refusal import ArchiveRefused
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.package import Package, PackageFile
from kagent_render.artifacts.source_identity import source_key, source_text
from kagent_render.artifacts.store.index import INDEX, STORE, read_entries
from kagent_render.artifacts.store.modes import with_modes_of
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.reader import ReadError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.api.hub import ArtifactSource
    from kagent_render.source.reader import Reader


@dataclass(frozen=True, slots=True)
class VendoredStore:
    """What an index promises, by identity, and the files that have to keep the promise.

    `modes_lost`: whatever put the files here may have reset which of them are programs.
    """

    reader: Reader
    digests: Mapping[str, str]
    modes_lost: bool = False

    def package(self, source: ArtifactSource) -> Package | None:
        """The package at the source's path; None where it is not vendored; raises ArtifactFailure."""
        promised = self.digests.get(source_key(source))
        if promised is None:
            return None
        try:
            package = _content(self.reader, content_directory(promised))
        except ArchiveRefused as refused:
            raise _mismatch(source, promised, f"content that {refused.refusal.text}") from None
        except ReadError as error:
            raise _mismatch(source, promised, str(error)) from None
        found = tree_digest(package)
        if found == promised:
            return package
        restored = with_modes_of(package, promised) if self.modes_lost else None
        if restored is None:
            raise _mismatch(source, promised, f"`{found}`" if package.files else "no file")
        return restored


def open_store(reader: Reader) -> VendoredStore:
    """The vendored store below a root, empty where it has no index; raises ArtifactFailure."""
    if not reader.exists(INDEX):
        return VendoredStore(reader, {})
    try:
        entries = read_entries(reader.read(INDEX))
    except ReadError as error:
        raise ArtifactFailure(Reason.CONFIG_INVALID, str(error), "restore the file from Git") from None
    return VendoredStore(reader, {key: entry.digest for key, entry in entries.items()})


def intact_contents(reader: Reader, digests: Iterable[str]) -> frozenset[str]:
    """Those tree digests whose content is in the store, whole and as it should be."""
    return frozenset(digest for digest in set(digests) if _is_intact(reader, digest))


def hold_against(
    store: VendoredStore, outcomes: Mapping[ArtifactSource, Package | ArtifactFailure]
) -> dict[ArtifactSource, Package | ArtifactFailure]:
    """The outcomes of fetching, but a failure for each package that is vendored with other content."""
    return {source: _held_against(store, source, outcome) for source, outcome in outcomes.items()}


def _held_against(
    store: VendoredStore, source: ArtifactSource, outcome: Package | ArtifactFailure
) -> Package | ArtifactFailure:
    try:
        vendored = store.package(source)
    except ArtifactFailure as failure:
        return failure
    if vendored is None or isinstance(outcome, ArtifactFailure):
        return outcome
    expected, found = tree_digest(vendored), tree_digest(outcome)
    if found == expected:
        return outcome
    return ArtifactFailure(
        Reason.ARTIFACT_DIGEST_MISMATCH,
        f"{source_text(source)} gives other content than `{content_directory(expected)}` holds: "
        f"expected `{expected}`, got `{found}` from the source itself",
        hint="either what serves it was tampered with: find out who changed it; or the vendored content and "
        "its index were: restore them from Git, or remove them to vendor what is served now",
    )


def content_directory(digest: str) -> str:
    """Where content with a tree digest lies: `.kagent/artifacts/sha256-<hex>`."""
    return f"{STORE}/{digest.replace(':', '-')}"


def _is_intact(reader: Reader, digest: str) -> bool:
    try:
        return tree_digest(_content(reader, content_directory(digest))) == digest
    except (ArtifactFailure, ReadError):
        return False


def _content(reader: Reader, directory: str) -> Package:
    """Every file that is there; raises ReadError or ArchiveRefused where it is none that can be pinned."""
    limits = Limits()
    meter = Meter(limits, limits.archive)
    content: dict[str, PackageFile] = {}
    listing = reader.files(directory, hidden=True)
    for error in listing.unreadable:
        raise error
    for path in listing.paths:
        meter.count_entry()
        data = reader.read(path, limits.content)
        meter.count_content(len(data))
        name = unicodedata.normalize("NFC", path[len(directory) + 1 :])
        content[name] = PackageFile(data, reader.mode(path) == 0o755)
    return Package(content)


def _mismatch(source: ArtifactSource, promised: str, found: str) -> ArtifactFailure:
    directory = content_directory(promised)
    return ArtifactFailure(
        Reason.ARTIFACT_DIGEST_MISMATCH,
        f"the vendored content of {source_text(source)} in `{directory}` is not what `{INDEX}` pins: "
        f"expected `{promised}`, got {found}",
        hint="either a file there was changed, added or left out, as Git leaves out what it ignores without "
        "`git add --force`: restore it from Git, or with `kagent-render vendor --repair`; or the index is "
        "wrong: correct it there and review what changes",
    )
