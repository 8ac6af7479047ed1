"""What is in a folder that Argo CD asks about: manifests of ours, or those of another application."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kagent_render.source.discovery import holds_own_object
from kagent_render.source.reader import ReadError
from kagent_render.source.worktree import WorkTree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_MANIFESTS: Final = (".yaml", ".yml", ".json")
_PROGRAMS: Final = (".jsonnet",)
"""What Argo CD makes manifests of by itself."""

_WORDS: Final = tuple(re.compile(rb"\b%s\b" % word) for word in (b"apiVersion", b"kind"))


def holds_own(folder: Path) -> bool:
    """Whether any manifest in a folder or below it is ours."""
    paths = WorkTree(folder).files().paths
    return any(holds_own_object(path, data) for path, data in _read(folder, paths))


def holds_foreign_alone(folder: Path) -> bool:
    """Whether there are manifests in the folder itself, and none of them is ours."""
    paths = [path for path in WorkTree(folder).files().paths if "/" not in path]
    manifests = [(path, data) for path, data in _read(folder, paths) if _is_manifest(data)]
    found = bool(manifests) or any(path.endswith(_PROGRAMS) for path in paths)
    return found and not any(holds_own_object(path, data) for path, data in manifests)


def _read(folder: Path, paths: Iterable[str]) -> Iterator[tuple[str, bytes]]:
    reader = WorkTree(folder)
    for path in paths:
        if path.endswith(_MANIFESTS):
            try:
                yield path, reader.read(path)
            except ReadError:
                continue


def _is_manifest(data: bytes) -> bool:
    return all(word.search(data) for word in _WORDS)
