"""Renders the roots of a revision as they should be on an output branch whose tip is known."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.artifacts.source_identity import shortened
from kagent_render.cli.commit.leftovers import LeftFolder, Leftover, find_leftovers, plan_leftover
from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.cli.isolation import isolated
from kagent_render.cli.plan_report import may_be_planned, planned_report, unplanned_report
from kagent_render.cli.report import RootReport
from kagent_render.cli.run import hold_against_output, prepare_root
from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.diagnostics.text import printable
from kagent_render.emit.layout import lock_path, place_of
from kagent_render.publication.record import LONGEST, Record, read_record, record_path, record_text
from kagent_render.source.reader import MovedFolder, ReadError, Subfolder
from kagent_render.source.roots import config_path, folder_of, likely_origins

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from kagent_render.cli.commit.ends import Source, Tip
    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.roots import Root
    from kagent_render.cli.run import RootRun
    from kagent_render.emit.layout import Owner
    from kagent_render.emit.plan import OutputPlan


@dataclass(frozen=True, slots=True)
class Rendered:
    """What a revision gives on a tip: `changes` are files of the repository, None where one goes.

    `stopped`: an error keeps it from being committed. `subjects` are whose output changed, in words.
    """

    reports: tuple[RootReport, ...]
    changes: Mapping[str, bytes | None]
    subjects: tuple[str, ...]
    stopped: bool


def render_onto(
    tip: Tip,
    source: Source,
    settings: Settings,
    progress: Progress,
    *,
    keep_going: bool,
) -> Rendered:
    """Render every root of the source as it should be on the tip."""
    folders = find_leftovers(tip, source)
    with isolated(wanted=settings.offline):
        planned = [
            _plan(tip, root, _origins(root, tip, folders), settings, progress, keep_going=keep_going)
            for root in source.roots
        ]
    reports = tuple(found.report for found in planned)
    if any(found.plan is None for found in planned):
        return Rendered(reports, {}, (), stopped=True)
    left = [_plan_leftover(found, tip, source, planned) for found in folders]
    return _changes(planned, left, source.commit)


@dataclass(frozen=True, slots=True)
class _Planned:
    """One root: the plan of its output folder and what differs; no plan where nothing may be written.

    `origins` are folders of the branch from which its output may have moved.
    """

    report: RootReport
    tip: Tip
    plan: OutputPlan | None = None
    run: RootRun | None = None
    origins: tuple[str, ...] = ()

    @property
    def folder(self) -> str | None:
        """The output folder as a path of the repository."""
        config = self.report.root.config
        return self.path(config.output) if config is not None else None

    def path(self, path: str) -> str:
        """A path of the root as one of the repository."""
        return f"{self.report.root.place}/{path}" if self.report.root.place else path


def _origins(root: Root, tip: Tip, left: Iterable[LeftFolder]) -> tuple[str, ...]:
    """Folders of the branch from which a root's output may have moved; none where it is there already."""
    if root.config is None or tip.files.files(folder_of(root.place, root.config.output)).paths:
        return ()
    return likely_origins(root.place, [(folder.place, folder.output) for folder in left])


def _plan_leftover(left: LeftFolder, tip: Tip, source: Source, planned: Iterable[_Planned]) -> Leftover:
    if left.folder in {found.folder for found in planned}:
        return Leftover({}, (), dict.fromkeys(left.records))  # another root has it now, and looks after it
    heirs = [found for found in planned if left.folder in found.origins]
    moved = {pair for found in heirs if found.run is not None for pair in found.run.planned.pairs}
    return plan_leftover(left, tip, source, [found.report.root.place for found in heirs], moved)


def _plan(
    tip: Tip,
    root: Root,
    origins: tuple[str, ...],
    settings: Settings,
    progress: Progress,
    *,
    keep_going: bool,
) -> _Planned:
    if root.config is None:
        return _Planned(RootReport(root, (), root.faults, (), halted=True), tip)
    if tip.files.exists(config_path(root.place)):
        raise EnvironmentFailure(
            f"`{printable(config_path(root.place))}` is on the branch: it holds sources, not output alone",
            "choose another branch; one that does not exist is made",
        )
    config = root.config
    folder = folder_of(root.place, config.output)
    files = MovedFolder(tip.files, origins, folder) if origins else tip.files
    # The branch is where the output is, and what a folder of another name retains moves along.
    root = dataclasses.replace(root, written=Subfolder(files, root.place))
    keep_going = keep_going and not origins  # what is kept would not move along
    preparation = prepare_root(root, config, settings, progress)
    progress.say("Comparing with the branch")
    output = tip.folder(folder)
    run = hold_against_output(root, config, settings, preparation, output)
    if not may_be_planned(preparation, keep_going=keep_going):
        return _Planned(unplanned_report(run), tip)
    hindered = run.hindered
    if keep_going and hindered:
        run = hold_against_output(root, config, settings, preparation, output, aside=hindered)
    report = planned_report(run, hindered, run.hindrances, strict=settings.strict)
    return _Planned(report, tip, None if report.halted else run.planned.plan, run, origins)


def _changes(planned: Sequence[_Planned], left: Sequence[Leftover], source: str) -> Rendered:
    """Everything that a commit has to change; records alone are nothing to commit for."""
    changes: dict[str, bytes | None] = {}
    for leftover in left:
        changes.update(leftover.changes)
    for found in planned:
        changes.update(_output_changes(found))
    reports = [found.report for found in planned]
    subjects = [f"{owner} removed" for leftover in left for owner in leftover.owners]
    if changes:
        for leftover in left:
            changes.update(leftover.records)
        for index, found in enumerate(planned):
            records = {found.path(path): text for path, text in _record_changes(found, source)}
            own = [*_output_changes(found), *records]
            start = len(found.path(""))
            reports[index] = dataclasses.replace(found.report, changed=sorted(path[start:] for path in own))
            changes.update(records)
            subjects += _subjects(found)
    return Rendered(tuple(reports), changes, tuple(subjects), stopped=False)


def _output_changes(found: _Planned) -> dict[str, bytes | None]:
    run, plan = found.run, found.plan
    assert run is not None
    assert plan is not None
    comparison, files = run.currency.comparison, plan.files
    changed = {path: files.get(path) for path in (*comparison.stale, *comparison.leftovers)}
    return {found.path(f"{run.config.output}/{path}"): content for path, content in changed.items()}


def _changed_owners(found: _Planned) -> set[Owner]:
    assert found.run is not None
    places = (place_of(path) for path in found.run.currency.comparison.stale)
    return {place.owner for place in places if place is not None and place.owner is not None}


def _record_changes(found: _Planned, source: str) -> Iterator[tuple[str, bytes | None]]:
    """Records of owners whose output changed, of those that have none, and of those that are gone."""
    run, plan = found.run, found.plan
    assert run is not None
    assert plan is not None
    changed = _changed_owners(found)
    owners = _owners(plan)
    for owner in sorted(owners, key=str):
        path = record_path(owner)
        if owner in changed or _known_record(run.root, path) is None:
            yield path, record_text(owner, Record(source, run.config.output, _revision(run, owner)))
    for owner in changed - owners - plan.kept:
        if _known_record(run.root, record_path(owner)) is not None:
            yield record_path(owner), None


def _owners(plan: OutputPlan) -> set[Owner]:
    places = (place_of(path) for path in plan.files)
    return {place.owner for place in places if place is not None and place.owner is not None}


def _known_record(root: Root, path: str) -> Record | None:
    try:
        return read_record(root.written.read(path, LONGEST))
    except ReadError:
        return None


def _revision(run: RootRun, owner: Owner) -> str | None:
    if isinstance(owner, PairRef):
        locked = run.planned.pairs.get(owner)
        return locked.revision if locked is not None else None
    agent = run.agents.get(owner)
    return agent.lock.revision if agent is not None else None


def _subjects(found: _Planned) -> list[str]:
    """Each changed pair and PlatformAgent with its revision, as a commit's message names it."""
    run, plan = found.run, found.plan
    assert run is not None
    assert plan is not None
    return [_subject(run, plan.locks, owner) for owner in sorted(_changed_owners(found), key=str)]


def _subject(run: RootRun, locks: Collection[str], owner: Owner) -> str:
    if lock_path(owner) not in locks:
        return f"{owner} removed"
    return f"{owner} {shortened(_revision(run, owner) or '')}"
