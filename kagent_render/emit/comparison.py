"""How an output folder differs from its plan."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.diagnostic import Diagnostic, Severity, SourcePosition
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.folder import EntryKind
from kagent_render.emit.layout import Role, owner_folder, place_of, temporary_target
from kagent_render.emit.plan import HEADER

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.emit.folder import Entry, OutputReader
    from kagent_render.emit.layout import Owner
    from kagent_render.emit.plan import OutputPlan


BLOCKING: Final = "stands where kagent-render writes a file or a folder"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Paths below the output folder, sorted; each in one place.

    `orphaned` are files of ours that should be gone, `leftovers` what a killed run left, `foreign` what is
    not ours and stays, `blocking` what stands where a planned file or its folder should be.
    """

    missing: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    orphaned: tuple[str, ...] = ()
    leftovers: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()
    blocking: tuple[str, ...] = ()
    empty_folders: tuple[str, ...] = ()

    @property
    def stale(self) -> tuple[str, ...]:
        """Every path that writing the plan would change."""
        return tuple(sorted((*self.missing, *self.changed, *self.orphaned)))


def compare(plan: OutputPlan, output: OutputReader) -> Comparison:
    """Hold a folder against its plan; only planned files and shared files of ours are read."""
    entries = sorted(output.entries(), key=lambda entry: entry.path)
    planned = plan.files
    existing = {entry.path for entry in entries if entry.kind is EntryKind.FILE}
    present = [path for path in planned if path in existing]
    unchanged = {path for path in present if _holds(output, path, planned[path])}
    blocking = set(_blocking(plan, planned, entries))
    unplanned = _classify(plan, output, sorted(existing - planned.keys() - blocking))
    others = {entry.path for entry in entries if entry.kind is EntryKind.OTHER} - blocking
    return Comparison(
        missing=tuple(path for path in planned if path not in existing),
        changed=tuple(path for path in present if path not in unchanged),
        unchanged=tuple(path for path in present if path in unchanged),
        orphaned=tuple(unplanned.orphaned),
        leftovers=tuple(unplanned.leftovers),
        foreign=tuple(sorted({*unplanned.foreign, *others})),
        blocking=tuple(sorted(blocking)),
        empty_folders=tuple(entry.path for entry in entries if entry.kind is EntryKind.EMPTY_FOLDER),
    )


def drift(comparison: Comparison, output: str, foreign: Severity = Severity.ERROR) -> list[Diagnostic]:
    """One OutputDrift for each thing in the output folder that is not ours; `output` is the folder's path.

    What stands in the way is an error; the severity of what merely stands there is the caller's.
    """
    beside = [
        _drift(
            f"{output}/{path}", "is not written by kagent-render", "move it out of the output folder", foreign
        )
        for path in comparison.foreign
    ]
    blocking = [_drift(f"{output}/{path}", BLOCKING, "remove it") for path in comparison.blocking]
    return beside + blocking


def _drift(path: str, problem: str, hint: str, severity: Severity = Severity.ERROR) -> Diagnostic:
    place = SourcePosition(path, 1, 1)
    return Diagnostic(
        Reason.OUTPUT_DRIFT, f"`{path}` {problem}", severity=severity, hint=hint, source=place, sensitive=True
    )


@dataclass(frozen=True, slots=True)
class _Unplanned:
    orphaned: list[str]
    leftovers: list[str]
    foreign: list[str]


def _classify(plan: OutputPlan, output: OutputReader, paths: list[str]) -> _Unplanned:
    """Sort out files that no plan names; a file is ours by its shape and by what stands beside it."""
    ours = _owners(plan, paths)
    found = _Unplanned([], [], [])
    for path in paths:
        place = place_of(path)
        if temporary_target(path) is not None:
            found.leftovers.append(path)
        elif place is None:
            found.foreign.append(path)
        elif place.owner is None:
            shared = _holds(output, path, HEADER.encode(), start=True)
            (found.orphaned if shared else found.foreign).append(path)
        elif place.owner not in plan.kept:
            (found.orphaned if place.owner in ours else found.foreign).append(path)
    return found


def _owners(plan: OutputPlan, paths: Iterable[str]) -> set[Owner]:
    """Whose folders are ours: planned, or with a lock or a manifest that is named as ours are."""
    places = [place_of(path) for path in (*plan.locks, *paths)]
    owning = (Role.LOCK, Role.MANIFEST)
    return {place.owner for place in places if place and place.owner and place.role in owning}


def _holds(output: OutputReader, path: str, content: bytes, *, start: bool = False) -> bool:
    return output.read(path, len(content) + (not start)) == content


def _blocking(plan: OutputPlan, planned: dict[str, bytes], entries: list[Entry]) -> Iterator[str]:
    """A link or device at a planned path, anything at a folder of one, and what is below a planned path."""
    files = (*planned, *(f"{owner_folder(owner)}/*" for owner in plan.kept))
    folders = {folder for path in files for folder in _folders(path)}
    for entry in entries:
        if entry.kind is EntryKind.FILE and entry.path in planned:
            continue
        replaces_file = entry.path in planned
        replaces_folder = entry.path in folders and entry.kind is not EntryKind.EMPTY_FOLDER
        if replaces_file or replaces_folder or not planned.keys().isdisjoint(_folders(entry.path)):
            yield entry.path


def _folders(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:length]) for length in range(1, len(parts))]
