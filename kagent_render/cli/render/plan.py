"""What `render` would write to one root, and what keeps it from that; nothing is written yet."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.cli.output import open_output
from kagent_render.cli.plan_report import may_be_planned, planned_report, unplanned_report
from kagent_render.cli.report import RootReport
from kagent_render.cli.roots import Root, require_work_tree
from kagent_render.cli.run import RootRun, hold_against_output, hold_plan_against, prepare_root
from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.layout import LOCK
from kagent_render.emit.tracked import TrackedOutput
from kagent_render.preparation.currency import changed_paths

if TYPE_CHECKING:
    from collections.abc import Collection

    from kagent_render.cli.options import Settings
    from kagent_render.cli.progress import Progress
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.emit.layout import Owner
    from kagent_render.emit.plan import OutputPlan
    from kagent_render.preparation.flow import Preparation
    from kagent_render.source.config import RenderConfig


@dataclass(frozen=True, slots=True)
class PlannedRoot:
    """One root before anything is written; `plan` is None where nothing may be written.

    `staged` are the paths of its output in the index; None where the index is not what is read.
    """

    report: RootReport
    plan: OutputPlan | None = None
    differs: bool = False
    staged: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class _Held:
    """One plan, held against the output that it was made for and against the one on disk.

    They are the same but for `--staged`, where the first is the index.
    """

    planned: RootRun
    disk: RootRun
    staged: frozenset[str] | None = None
    beside_others: bool = False

    @property
    def hindered(self) -> dict[Owner, list[Diagnostic]]:
        """What must be overwritten neither in the index nor on disk, and why."""
        return {**self.disk.hindered, **self.planned.hindered}

    @property
    def hindrances(self) -> list[Diagnostic]:
        """What keeps the plan from being written."""
        return [*self.planned.hindrances, *self.disk.hindrances]

    @property
    def unstaged(self) -> list[str] | None:
        """What the index has otherwise than planned, as paths from the root."""
        if self.staged is None:
            return None
        return changed_paths(self.planned.currency.comparison, self.planned.config.output)


def plan_root(
    root: Root, settings: Settings, progress: Progress, *, keep_going: bool, allow_empty: bool
) -> PlannedRoot:
    """Prepare a root, and decide what `render` with these flags makes of it."""
    if root.config is None:
        return PlannedRoot(RootReport(root, (), root.faults, (), halted=True))
    require_work_tree(root)
    preparation = prepare_root(root, root.config, settings, progress)
    held = _hold(root, root.config, settings, preparation)
    run = held.planned
    if not may_be_planned(preparation, keep_going=keep_going):
        return PlannedRoot(unplanned_report(run))
    if settings.stdin is not None and not allow_empty:
        _refuse_to_empty(run)
    hindered = held.hindered
    if keep_going and hindered:
        held = _hold(root, root.config, settings, preparation, aside=hindered)
        run = held.planned
    report = planned_report(run, hindered, held.hindrances, strict=settings.strict)
    if report.halted:
        return PlannedRoot(report)
    comparison = held.disk.currency.comparison
    report = dataclasses.replace(report, unstaged=held.unstaged, beside_others=held.beside_others)
    differs = bool(comparison.stale or comparison.leftovers)
    return PlannedRoot(report, run.planned.plan, differs, held.staged)


def _hold(
    root: Root,
    config: RenderConfig,
    settings: Settings,
    preparation: Preparation,
    aside: Collection[Owner] = (),
) -> _Held:
    """Plan the output for what is read, and hold the plan against what is there."""
    if not settings.staged:
        with DiskOutput(root.folder, config.output) as disk:
            run = hold_against_output(root, config, settings, preparation, disk, aside)
        return _Held(run, run)
    with open_output(root, config.output) as index:
        run = hold_against_output(root, config, settings, preparation, index, aside)
        staged = frozenset(entry.path for entry in index.entries())
    with TrackedOutput(root.folder, config.output, staged, run.planned.plan.files) as tracked:
        return _Held(run, hold_plan_against(run, tracked, settings), staged, tracked.has_others())


def _refuse_to_empty(run: RootRun) -> None:
    """A stream asks for no pair, but there are some: more often the program before it failed."""
    locks = sum(path.endswith(f"/{LOCK}") for path in run.currency.comparison.orphaned)
    if locks and not run.preparation.pairs and not run.preparation.agents.outcomes:
        raise EnvironmentFailure(
            f"stdin asks for no pair, and `{run.config.output}` holds {locks}: they would all be removed",
            "look at what wrote the stream, or pass `--allow-empty` if that is meant",
        )
