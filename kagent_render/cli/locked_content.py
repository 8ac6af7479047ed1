"""What the locks of an output folder pin of each artifact."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from kagent_render.artifacts.selection import Selection
from kagent_render.artifacts.source_identity import identity_key
from kagent_render.emit.layout import Role, place_of
from kagent_render.revision.lock import Lock
from kagent_render.revision.lock_reading import read_lock

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.emit.folder import OutputReader
    from kagent_render.revision.lock import LockedArtifact

_LONGEST_LOCK = 64 * 1024 * 1024
_SECTION = b"\n  artifacts:\n"
"""How a valid lock that pins artifacts begins to list them; the others need not be parsed."""


def locked_selections(*outputs: OutputReader) -> dict[str, tuple[Selection, ...]]:
    """Every selection that valid locks pin, by the identity key of its source."""
    found: defaultdict[str, list[Selection]] = defaultdict(list)
    for artifact in (artifact for output in outputs for artifact in _locked_artifacts(output)):
        key, selection = identity_key(dict(artifact.source)), _selection(artifact)
        if selection not in found[key]:
            found[key].append(selection)
    return {key: tuple(selections) for key, selections in found.items()}


def _locked_artifacts(output: OutputReader) -> Iterator[LockedArtifact]:
    for path in sorted(entry.path for entry in output.entries()):
        place = place_of(path)
        if place is None or place.pair is None or place.role is not Role.LOCK:
            continue
        text = output.read(path, _LONGEST_LOCK)
        lock = read_lock(text, path) if _SECTION in text else None
        if isinstance(lock, Lock):
            yield from lock.artifacts


def _selection(artifact: LockedArtifact) -> Selection:
    manifest = artifact.manifest
    return Selection(
        artifact.tree_digest,
        {skill.name: skill.digest for skill in artifact.skills},
        (manifest.name, manifest.version) if manifest is not None else None,
    )
