"""The difference of two skills, file by file."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.size import size_text
from kagent_render.review.change import Kind, Patch
from kagent_render.review.hunks import unified

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.artifacts.package import Package, PackageFile

LARGEST_TEXT: Final = 256 * 1024
"""Bytes of a file up to which its lines are compared."""

NOT_AT_HAND: Final = "its content is not at hand, so digests alone are compared"
"""Why a skill's files are not told."""


def compare_files(before: Package | None, after: Package | None) -> tuple[Patch, ...]:
    """Every file that differs; a side without the skill has none."""
    old, new = (package.files if package is not None else {} for package in (before, after))
    return tuple(
        _patch(path, old.get(path), new.get(path))
        for path in sorted(old.keys() | new.keys())
        if old.get(path) != new.get(path)
    )


def _patch(path: str, was: PackageFile | None, now: PackageFile | None) -> Patch:
    kind = Kind.CHANGED if was and now else Kind.ADDED if now else Kind.REMOVED
    texts = [_text(file) for file in (was, now)]
    note = "; ".join((*_modes(was, now), *(() if None not in texts else _digests(was, now))))
    before, after = texts
    lines = unified(before, after) if before is not None and after is not None else ()
    return Patch(path, kind, lines, note)


def _text(file: PackageFile | None) -> str | None:
    """A file's text; None where it is none, or too long."""
    if file is None:
        return ""
    if len(file.data) > LARGEST_TEXT or b"\0" in file.data:
        return None
    try:
        return file.data.decode()
    except UnicodeDecodeError:
        return None


def _modes(was: PackageFile | None, now: PackageFile | None) -> Iterator[str]:
    if now is not None and now.executable and (was is None or not was.executable):
        yield "can be executed"
    if was is not None and was.executable and now is not None and not now.executable:
        yield "can be executed no longer"


def _digests(was: PackageFile | None, now: PackageFile | None) -> Iterator[str]:
    for side, file in (("before", was), ("after", now)):
        if file is not None:
            digest = hashlib.sha256(file.data).hexdigest()[:12]
            yield f"{side}: {size_text(len(file.data))}, sha256:{digest}"
