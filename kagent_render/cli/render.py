"""`kagent-render render`: prepares every pair and writes what has changed."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.options import Settings, shared_options, update_images_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.cli.progress import Progress
    from kagent_render.cli.report import RootReport
    from kagent_render.cli.roots import Root
    from kagent_render.cli.run import RootRun
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.emit.layout import Owner
    from kagent_render.emit.plan import OutputPlan


@click.command()
@shared_options()
@update_images_option
@click.option("--keep-going", is_flag=True, help="Write the pairs that prepared although others failed.")
@click.option("--exit-code", is_flag=True, help="Exit 1 when anything was written.")
@click.option("--allow-empty", is_flag=True, help="Remove every pair where stdin asks for none.")
def command(settings: Settings, keep_going: bool, exit_code: bool, allow_empty: bool) -> None:
    """Prepare every pair and platform agent below PATH and write locks, manifests and kustomizations.

    All or nothing: where one pair of any root fails, nothing is written unless `--keep-going` is given.
    """
    if settings.locked:
        from kagent_render.cli.check import check

        sys.exit(check(settings))
    sys.exit(render(settings, keep_going=keep_going, exit_code=exit_code, allow_empty=allow_empty))


def render(
    settings: Settings, *, keep_going: bool = False, exit_code: bool = False, allow_empty: bool = False
) -> Status:
    """Render every root that PATH means; the status is what the program exits with."""
    from kagent_render.cli.report import print_json

    reports, stopped = render_roots(settings, keep_going=keep_going, allow_empty=allow_empty)
    if settings.format == "json":
        print_json(reports)
    else:
        _print_text(reports, settings, stopped=stopped)
    return _status(reports, exit_code=exit_code)


def render_roots(
    settings: Settings, *, keep_going: bool = False, allow_empty: bool = False
) -> tuple[list[RootReport], bool]:
    """Render every root without a word; gives too whether a failure kept every root from being written."""
    from kagent_render.cli.output import naming_folders_of
    from kagent_render.cli.progress import showing_progress
    from kagent_render.cli.roots import open_roots

    with showing_progress(wanted=settings.format == "text", colour=settings.colour) as progress:
        plans = []
        for root in open_roots(settings):
            with naming_folders_of(root):
                plan = _plan_root(root, settings, progress, keep_going=keep_going, allow_empty=allow_empty)
                plans.append(plan)
        stopped = not keep_going and any(planned.plan is None for planned in plans)
        return [plan.report if stopped else _write_root(plan, progress) for plan in plans], stopped


@dataclass(frozen=True, slots=True)
class _PlannedRoot:
    """One root before anything is written; `plan` is None where nothing may be written."""

    report: RootReport
    plan: OutputPlan | None = None
    differs: bool = False


def _plan_root(
    root: Root, settings: Settings, progress: Progress, *, keep_going: bool, allow_empty: bool
) -> _PlannedRoot:
    from kagent_render.cli.report import RootReport
    from kagent_render.cli.roots import require_work_tree
    from kagent_render.cli.run import hold_against_output, prepare_root
    from kagent_render.diagnostics.diagnostic import distinct, escalate
    from kagent_render.emit.disk import DiskOutput
    from kagent_render.preparation.in_use import knows_what_is_in_use

    if root.config is None:
        return _PlannedRoot(RootReport(root, (), root.faults, (), halted=True))
    require_work_tree(root)
    preparation = prepare_root(root, root.config, settings, progress)
    with DiskOutput(root.folder, root.config.output) as output:
        run = hold_against_output(root, root.config, settings, preparation, output)
        if preparation.failed and not (keep_going and knows_what_is_in_use(preparation.diagnostics)):
            told = distinct([*root.faults, *preparation.told])
            return _PlannedRoot(_report(run, told, {}, halted=True))
        if settings.stdin is not None and not allow_empty:
            _refuse_to_empty(run)
        hindered = run.hindered
        if keep_going and hindered:
            run = hold_against_output(root, root.config, settings, preparation, output, aside=hindered)
    hindrances = escalate(run.hindrances, strict=settings.strict)
    own = [found for findings in hindered.values() for found in findings]
    told = distinct([*root.faults, *run.diagnostics, *own, *hindrances])
    halted = any(found.is_error for found in hindrances)
    report = _report(run, told, hindered, halted=halted)
    if halted:
        return _PlannedRoot(report)
    comparison = run.currency.comparison
    return _PlannedRoot(report, run.planned.plan, differs=bool(comparison.stale or comparison.leftovers))


def _report(
    run: RootRun,
    told: Sequence[Diagnostic],
    hindered: Mapping[Owner, Sequence[Diagnostic]],
    *,
    halted: bool,
) -> RootReport:
    """The report of a root before it is written; `hindered` must stay as they are."""
    from kagent_render.cli.report import RootReport
    from kagent_render.cli.run import reported_agents, reported_pairs
    from kagent_render.diagnostics.diagnostic import PairRef

    pairs = {owner: found for owner, found in hindered.items() if isinstance(owner, PairRef)}
    agents = {owner: found for owner, found in hindered.items() if not isinstance(owner, PairRef)}
    return RootReport(
        run.root,
        reported_pairs(run.preparation, run, pairs),
        told,
        (),
        agents=reported_agents(run.preparation, run, agents),
        orphans=run.preparation.agents.orphans,
        halted=halted,
    )


def _refuse_to_empty(run: RootRun) -> None:
    """A stream asks for no pair, but there are some: more often the program before it failed."""
    from kagent_render.emit.layout import LOCK

    locks = sum(path.endswith(f"/{LOCK}") for path in run.currency.comparison.orphaned)
    if locks and not run.preparation.pairs and not run.preparation.agents.outcomes:
        raise EnvironmentFailure(
            f"stdin asks for no pair, and `{run.config.output}` holds {locks}: they would all be removed",
            "look at what wrote the stream, or pass `--allow-empty` if that is meant",
        )


def _write_root(planned: _PlannedRoot, progress: Progress) -> RootReport:
    from kagent_render.cli.output import naming_folders_of
    from kagent_render.emit.disk import DiskOutput
    from kagent_render.emit.exclusion import hold
    from kagent_render.emit.writer import write_plan

    root, plan = planned.report.root, planned.plan
    if root.config is None or plan is None or not planned.differs:
        return planned.report
    progress.say("Writing")
    with (
        naming_folders_of(root),
        DiskOutput(root.folder, root.config.output) as output,
        hold(output, lambda: progress.say("Waiting for another kagent-render")),
    ):
        written = write_plan(plan, output)
    changed = [f"{root.config.output}/{path}" for path in written.paths]
    return dataclasses.replace(planned.report, changed=changed, removed=len(written.removed))


def _print_text(reports: list[RootReport], settings: Settings, *, stopped: bool) -> None:
    from kagent_render.cli.report import print_diagnostics, print_summary
    from kagent_render.cli.tree import print_agents, print_pairs

    for report in reports:
        print_diagnostics(report, settings)
        if not _is_untouched(report, stopped=stopped):
            print_pairs(report, settings)
            print_agents(report, settings)
        text = rendered_text(report, stopped=stopped)
        print_summary(text, report, settings, named=len(reports) > 1, stopped=stopped)


def _is_untouched(report: RootReport, *, stopped: bool) -> bool:
    """Whether a failure kept a root from being written."""
    return stopped or (_has_failed(report) and not report.changed)


def _has_failed(report: RootReport) -> bool:
    return report.halted or any(subject.revision is None for subject in report.subjects)


def rendered_text(report: RootReport, *, stopped: bool) -> str:
    """What was done to one root, in words; `stopped` as `render_roots` gives it."""
    from kagent_render.cli.report import counted

    if _is_untouched(report, stopped=stopped):
        return "nothing was written" + ("" if _has_failed(report) else ", because another root failed")
    written = _written(len(report.changed) - report.removed, report.removed)
    pairs = sum(pair.revision is not None for pair in report.pairs)
    agents = sum(agent.revision is not None for agent in report.agents)
    return f"{counted(pairs, agents)} prepared, {written}"


def _written(count: int, removed: int) -> str:
    parts = [
        f"{verb} {number} file{'s' if number != 1 else ''}"
        for verb, number in (("wrote", count), ("removed", removed))
        if number
    ]
    return ", ".join(parts) or "nothing to write"


def _status(reports: list[RootReport], *, exit_code: bool) -> Status:
    from kagent_render.cli.run import worst_status

    status = worst_status(found for report in reports for found in report.diagnostics)
    if status is Status.CLEAN and exit_code and any(report.changed for report in reports):
        return Status.FINDINGS
    return status
