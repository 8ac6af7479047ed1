"""`kagent-render render`: prepares every pair and writes what has changed."""

from __future__ import annotations

import dataclasses
import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from kagent_render.cli.failure import Status
from kagent_render.cli.options import (
    CI_FORMATS,
    FORMATS,
    Settings,
    max_size_option,
    shared_options,
    update_images_option,
)

if TYPE_CHECKING:
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.render.plan import PlannedRoot
    from kagent_render.cli.report import RootReport


@click.command()
@shared_options((*FORMATS, *CI_FORMATS))
@max_size_option
@update_images_option
@click.option("--keep-going", is_flag=True, help="Write the pairs that prepared although others failed.")
@click.option("--exit-code", is_flag=True, help="Exit 1 when anything was written, or is not staged.")
@click.option("--allow-empty", is_flag=True, help="Remove every pair where stdin asks for none.")
def command(settings: Settings, keep_going: bool, exit_code: bool, allow_empty: bool) -> None:
    """Prepare every pair and platform agent below PATH and write locks, manifests and kustomizations.

    All or nothing: where one pair of any root fails, nothing is written unless `--keep-going` is given. With
    `--staged`, the index is rendered into the work tree, and what the index lacks of the result is named.
    """
    if settings.locked:
        from kagent_render.cli.check import check

        sys.exit(check(settings))
    sys.exit(render(settings, keep_going=keep_going, exit_code=exit_code, allow_empty=allow_empty))


def render(
    settings: Settings, *, keep_going: bool = False, exit_code: bool = False, allow_empty: bool = False
) -> Status:
    """Render every root that PATH means; the status is what the program exits with."""
    reports, stopped = render_roots(settings, keep_going=keep_going, allow_empty=allow_empty)
    _print(reports, settings, stopped=stopped, exit_code=exit_code)
    return _status(reports, exit_code=exit_code)


def render_roots(
    settings: Settings, *, keep_going: bool = False, allow_empty: bool = False
) -> tuple[list[RootReport], bool]:
    """Render every root without a word; gives too whether a failure kept every root from being written."""
    from kagent_render.cli.output import naming_folders_of
    from kagent_render.cli.progress import showing_progress
    from kagent_render.cli.render.plan import plan_root
    from kagent_render.cli.roots import open_roots

    with showing_progress(wanted=settings.format == "text", colour=settings.colour) as progress:
        plans = []
        for root in open_roots(settings):
            with naming_folders_of(root):
                plan = plan_root(root, settings, progress, keep_going=keep_going, allow_empty=allow_empty)
                plans.append(plan)
        stopped = not keep_going and any(planned.plan is None for planned in plans)
        return [plan.report if stopped else _write_root(plan, progress) for plan in plans], stopped


def _write_root(planned: PlannedRoot, progress: Progress) -> RootReport:
    from kagent_render.cli.output import naming_folders_of
    from kagent_render.emit.disk import DiskOutput
    from kagent_render.emit.exclusion import hold
    from kagent_render.emit.tracked import TrackedOutput
    from kagent_render.emit.writer import write_plan

    root, plan = planned.report.root, planned.plan
    if root.config is None or plan is None or not planned.differs:
        return planned.report
    progress.say("Writing")
    name, staged = root.config.output, planned.staged
    with (
        naming_folders_of(root),
        DiskOutput(root.folder, name)
        if staged is None
        else TrackedOutput(root.folder, name, staged, plan.files) as output,
        hold(output, lambda: progress.say("Waiting for another kagent-render")),
    ):
        written = write_plan(plan, output)
    changed = [f"{root.config.output}/{path}" for path in written.paths]
    return dataclasses.replace(planned.report, changed=changed, removed=len(written.removed))


def _print(reports: list[RootReport], settings: Settings, *, stopped: bool, exit_code: bool) -> None:
    from kagent_render.cli.formats import print_reports
    from kagent_render.cli.render.staged import print_next_step, print_unstaged
    from kagent_render.cli.tree import print_agents, print_pairs

    def show(report: RootReport) -> None:
        if not _is_untouched(report, stopped=stopped):
            print_pairs(report, settings)
            print_agents(report, settings)
            print_unstaged(report, settings)

    print_reports(
        reports,
        settings,
        partial(rendered_text, stopped=stopped),
        fails=lambda report: stopped or (exit_code and bool(report.unstaged)),
        show=show,
    )
    for report in reports if settings.format == "text" and not stopped else ():
        print_next_step(report, settings)


def _is_untouched(report: RootReport, *, stopped: bool) -> bool:
    """Whether a failure kept a root from being written."""
    return stopped or (_has_failed(report) and not report.changed and not report.unstaged)


def _has_failed(report: RootReport) -> bool:
    return report.halted or any(subject.revision is None for subject in report.subjects)


def rendered_text(report: RootReport, *, stopped: bool) -> str:
    """What was done to one root, in words; `stopped` as `render_roots` gives it."""
    from kagent_render.cli.render.staged import staging_text
    from kagent_render.cli.report import counted

    if _is_untouched(report, stopped=stopped):
        return "nothing was written" + ("" if _has_failed(report) else ", because another root failed")
    written = _written(len(report.changed) - report.removed, report.removed)
    pairs = sum(pair.revision is not None for pair in report.pairs)
    agents = sum(agent.revision is not None for agent in report.agents)
    return f"{counted(pairs, agents)} prepared, {staging_text(report) if report.unstaged else written}"


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
    if status is Status.CLEAN and exit_code and any(report.changed or report.unstaged for report in reports):
        return Status.FINDINGS
    return status
