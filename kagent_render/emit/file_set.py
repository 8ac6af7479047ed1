"""Files that are written together below a folder that may hold others, which are left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.emit.layout import temporary_path

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.emit.disk import DiskOutput


def stale_files(files: Mapping[str, bytes], folder: DiskOutput) -> list[str]:
    """The paths of `files` that hold something else in `folder`, or are not there."""
    return [path for path, data in files.items() if not _holds(folder, path, data)]


def write_files(files: Mapping[str, bytes], paths: Iterable[str], folder: DiskOutput) -> None:
    """Replace those of `files` at `paths`, each in one step."""
    for path in paths:
        draft = temporary_path(path)
        if folder.exists(draft):
            folder.remove(draft)
        folder.create(draft, files[path])
        folder.replace(draft, path)


def _holds(folder: DiskOutput, path: str, data: bytes) -> bool:
    return folder.exists(path) and folder.read(path, len(data) + 1) == data
