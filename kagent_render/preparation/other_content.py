"""An artifact held against what locks pin of it: an immutable source gives the same content for ever."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.skills.plugin import plugin_selection
from kagent_render.artifacts.source_identity import source_text
from kagent_render.artifacts.tree_digest import tree_digest
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.api.hub import ArtifactSource
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.selection import Selection


def check_locked(source: ArtifactSource, package: Package, locked: Iterable[Selection]) -> None:
    """Raise ArtifactFailure where one of the `locked` selections is of other content (DESIGN 8)."""
    for selection in locked:
        found = _selected_digest(package, selection)
        if found != selection.tree_digest:
            raise other_content(source, selection.tree_digest, found, package.place)


def _selected_digest(package: Package, selection: Selection) -> str:
    """The digest now of what a lock selected: all of a skill, some skills of a plugin."""
    if selection.manifest is None:
        return tree_digest(package)
    return tree_digest(plugin_selection(package, selection.skills))


def other_content(
    source: ArtifactSource, expected: str, found: str, place: str, skill: str | None = None
) -> ArtifactFailure:
    """The failure of an immutable source that gives other content than what is locked."""
    of_skill = f" for the skill `{skill}`" if skill else ""
    place = place or "the source itself"
    return ArtifactFailure(
        Reason.ARTIFACT_DIGEST_MISMATCH,
        f"{source_text(source)} gives other content than the lock pins{of_skill}: expected `{expected}`,"
        f" got `{found}` from {place}",
        hint=f"either what serves it was tampered with, in {place} or on its way there: find out who changed"
        " it; or the lock was edited: restore it from Git, or delete it to pin what is served now",
    )
