"""Artifacts held against the locks that pin them, by what each lock selected of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.plugins import plugin_selection
from kagent_render.artifacts.source_identity import source_identity, source_text
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.layout import Role, place_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.package import Package
    from kagent_render.emit.folder import OutputReader
    from kagent_render.revision.lock import LockedArtifact

_LONGEST_LOCK: Final = 64 * 1024 * 1024
_SECTION: Final = b"\n  artifacts:\n"
"""How a lock that pins artifacts begins to list them, wherever its text is canonical."""


def locked_artifacts(output: OutputReader) -> Iterator[LockedArtifact]:
    """Every artifact that a lock of the output folder pins; locks without one are not parsed."""
    from kagent_render.revision.lock_reading import LockProblem, read_lock

    for path in sorted(entry.path for entry in output.entries()):
        place = place_of(path)
        if place is None or place.role is not Role.LOCK:
            continue
        text = output.read(path, _LONGEST_LOCK)
        found = read_lock(text, path) if _SECTION in text else None
        lock = found.lock if isinstance(found, LockProblem) else found
        yield from lock.artifacts if lock is not None else ()


def check_locked(source: ArtifactSource, package: Package, locked: Iterable[LockedArtifact]) -> None:
    """Raise ArtifactFailure where a lock pins other content of the source (DESIGN 8)."""
    identity = source_identity(source)
    for artifact in locked:
        if artifact.source == identity:
            found = _selected_digest(package, artifact)
            if found != artifact.tree_digest:
                raise other_content(source, artifact.tree_digest, found)


def _selected_digest(package: Package, artifact: LockedArtifact) -> str:
    """The digest now of what a lock selected: all of a skill, some skills of a plugin."""
    if artifact.manifest is None:
        return tree_digest(package)
    return tree_digest(plugin_selection(package, {skill.name for skill in artifact.skills}))


def other_content(
    source: ArtifactSource, expected: str, found: str, skill: str | None = None
) -> ArtifactFailure:
    """The failure of an immutable source that gives other content than what is locked."""
    of_skill = f" for the skill `{skill}`" if skill else ""
    return ArtifactFailure(
        Reason.ARTIFACT_DIGEST_MISMATCH,
        f"{source_text(source)} gives other content than the lock pins{of_skill}: expected `{expected}`,"
        f" got `{found}`",
        hint="either what serves it was tampered with: find out who changed it; or the lock was edited:"
        " restore it from Git, or delete it to pin what is served now",
    )
