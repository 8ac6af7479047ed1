"""Writes a plan so that a kill at any point leaves every lock with its manifests.

Manifests come first, then locks, each in one step; then kustomizations from the deepest up, so that none
ever names a folder that is not there; then what is no longer listed goes. The next run finds the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.emit.comparison import BLOCKING, compare
from kagent_render.emit.folder import OutputBlockedError
from kagent_render.emit.layout import Role, place_of, temporary_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.emit.comparison import Comparison
    from kagent_render.emit.folder import OutputFolder
    from kagent_render.emit.plan import OutputPlan

# A folder is known as ours by its lock or its manifests, so these last ones go last.
_REMOVAL_ORDER: Final = (Role.LOCK, Role.KUSTOMIZATION, Role.MANIFEST, Role.ATTRIBUTES)


@dataclass(frozen=True, slots=True)
class Written:
    """What a run changed, as sorted paths."""

    created: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        """Every path that was created, changed or removed."""
        return tuple(sorted((*self.created, *self.changed, *self.removed)))


def write_plan(plan: OutputPlan, output: OutputFolder) -> Written:
    """Make the folder hold what the plan says; only files that differ are written.

    Raises OutputBlockedError before anything is written where something stands in the way, and OutputError at
    the first failure of the folder itself.
    """
    comparison = compare(plan, output)
    if comparison.blocking:
        raise OutputBlockedError(comparison.blocking[0], BLOCKING, "remove it")
    for path in comparison.leftovers:
        output.remove(path)
    _write_files(plan, comparison, output)
    _remove_files(comparison, output)
    return Written(comparison.missing, comparison.changed, comparison.orphaned)


def _write_files(plan: OutputPlan, comparison: Comparison, output: OutputFolder) -> None:
    differing = {*comparison.missing, *comparison.changed}
    for files in (plan.manifests, plan.locks, plan.kustomizations, plan.attributes):
        for path in sorted(differing & files.keys(), key=_deepest_first):
            temporary = temporary_path(path)
            output.create(temporary, files[path])
            output.replace(temporary, path)


def _deepest_first(path: str) -> tuple[int, str]:
    return -path.count("/"), path


def _remove_files(comparison: Comparison, output: OutputFolder) -> None:
    for path in sorted(comparison.orphaned, key=_removal_order):
        output.remove(path)
    _remove_folders((*comparison.orphaned, *comparison.leftovers), comparison.empty_folders, output)


def _removal_order(path: str) -> tuple[int, int, str]:
    place = place_of(path)
    return _REMOVAL_ORDER.index(place.role) if place else 0, path.count("/"), path


def _remove_folders(removed: Iterable[str], empty: Iterable[str], output: OutputFolder) -> None:
    """Remove what became empty, deepest first; Git knows no empty folders, so none of them is anyone's."""
    folders = {*empty}
    for path in (*removed, *empty):
        parts = path.split("/")
        folders.update("/".join(parts[:length]) for length in range(1, len(parts)))
    for folder in sorted(folders, key=_deepest_first):
        output.remove_folder(folder)
