"""Writing the vendored store: content first, then the index that names it."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.names import entry_path
from kagent_render.artifacts.failure import ArtifactFailure, printable
from kagent_render.artifacts.source_identity import source_identity, source_text
from kagent_render.artifacts.store import content_directory
from kagent_render.artifacts.store_index import INDEX, STORE, index_with
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.package import Package

# Git must keep every byte, whatever line endings or filters the repository's own attributes ask for.
_ATTRIBUTES: Final = b"* -text -filter -ident -working-tree-encoding linguist-vendored\n"


def vendor_package(root: Path, source: ArtifactSource, package: Package) -> str:
    """Write the package at a source's path into the store below `root`; gives its tree digest.

    Raises ArtifactFailure for a package that is not complete without its surroundings.
    """
    if package.outside:
        raise ArtifactFailure(
            Reason.ARTIFACT_UNSAFE,
            f"{source_text(source)} cannot be vendored: `{printable(package.outside[0])}` is a link that "
            "leaves the source's path",
            hint="replace the link with a regular file, or set `source.path` to a directory that holds both",
        )
    store = _store_directory(root)
    digest = tree_digest(package)
    _write_content(store, root / content_directory(digest), package)
    _replace(store / ".gitattributes", _ATTRIBUTES)
    index = root / INDEX
    _replace(
        index, index_with(index.read_bytes() if index.exists() else None, source_identity(source), digest)
    )
    return digest


def _store_directory(root: Path) -> Path:
    directory = root
    for name in STORE.split("/"):
        directory = directory / name
        if directory.is_symlink():
            raise ArtifactFailure(
                Reason.CONFIG_INVALID, f"`{name}` of `{STORE}` is a link", "make it a folder"
            )
        directory.mkdir(exist_ok=True)
    return directory


def _write_content(store: Path, target: Path, package: Package) -> None:
    """Write beside the target and rename, so that a directory under its digest is always complete."""
    partial = Path(tempfile.mkdtemp(prefix=".partial-", dir=store))
    try:
        partial.chmod(0o755)
        for path, file in package.files.items():
            place = partial / entry_path(path.encode())
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(file.data)
            place.chmod(file.mode)
        if target.is_symlink():
            target.unlink()
        elif target.exists():
            shutil.rmtree(target)
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)


def _replace(path: Path, data: bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=".partial-", dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    Path(name).chmod(0o644)
    Path(name).replace(path)
