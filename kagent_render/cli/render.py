"""`kagent-render render`: prepares every pair and writes what has changed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.options import Settings, shared_options

if TYPE_CHECKING:
    from kagent_render.cli.progress import Progress
    from kagent_render.cli.report import RootReport
    from kagent_render.cli.roots import Root


@click.command()
@shared_options
@click.option("--keep-going", is_flag=True, help="Write the pairs that prepared although others failed.")
@click.option("--exit-code", is_flag=True, help="Exit 1 when anything was written.")
def command(settings: Settings, keep_going: bool, exit_code: bool) -> None:
    """Prepare every pair below PATH and write locks, ActorTemplates and kustomizations.

    All or nothing: where one pair fails, nothing is written unless `--keep-going` is given.
    """
    if settings.locked:
        from kagent_render.cli.check import check

        sys.exit(check(settings))
    if settings.revision is not None or settings.staged:
        raise click.UsageError("`render` writes to the work tree: use `check` with `--rev` or `--staged`")
    sys.exit(render(settings, keep_going=keep_going, exit_code=exit_code))


def render(settings: Settings, *, keep_going: bool = False, exit_code: bool = False) -> Status:
    """Render every root that PATH means; the status is what the program exits with."""
    from kagent_render.cli.progress import showing_progress
    from kagent_render.cli.report import print_json
    from kagent_render.cli.roots import open_roots
    from kagent_render.emit.folder import OutputError

    reports: list[RootReport] = []
    with showing_progress(wanted=settings.format == "text", colour=settings.colour) as progress:
        for root in open_roots(settings):
            try:
                reports.append(_render_root(root, settings, progress, keep_going=keep_going))
            except OutputError as error:
                raise EnvironmentFailure(str(error), error.hint) from None
    if settings.format == "json":
        print_json(reports)
    else:
        _print_text(reports, settings)
    return _status(reports, exit_code=exit_code)


def _render_root(root: Root, settings: Settings, progress: Progress, *, keep_going: bool) -> RootReport:
    from kagent_render.cli.report import RootReport
    from kagent_render.cli.run import hold_against_output, prepare_root, reported_pairs
    from kagent_render.diagnostics.diagnostic import distinct, escalate
    from kagent_render.emit.disk import DiskOutput
    from kagent_render.emit.exclusion import hold
    from kagent_render.emit.writer import write_plan
    from kagent_render.preparation.in_use import knows_what_is_in_use

    if root.config is None:
        return RootReport(root, (), root.faults, ())
    preparation = prepare_root(root, root.config, settings, progress)
    if preparation.failed and not (keep_going and knows_what_is_in_use(preparation.diagnostics)):
        told = distinct([*root.faults, *preparation.diagnostics])
        return RootReport(root, reported_pairs(preparation), told, ())
    with DiskOutput(root.folder, root.config.output) as output:
        run = hold_against_output(root, root.config, settings, preparation, output)
        hindered = run.hindered
        if keep_going and hindered:
            run = hold_against_output(root, root.config, settings, preparation, output, aside=hindered)
        hindrances = escalate(run.hindrances, strict=settings.strict)
        own = [found for findings in hindered.values() for found in findings]
        told = distinct([*root.faults, *run.diagnostics, *own, *hindrances])
        pairs = reported_pairs(preparation, run, hindered)
        if any(found.is_error for found in hindrances):
            return RootReport(root, pairs, told, ())
        changed: tuple[str, ...] = ()
        if run.currency.comparison.stale or run.currency.comparison.leftovers:
            progress.say("Writing")
            with hold(output, lambda: progress.say("Waiting for another kagent-render")):
                changed = write_plan(run.planned.plan, output).paths
    return RootReport(root, pairs, told, [f"{root.config.output}/{path}" for path in changed])


def _print_text(reports: list[RootReport], settings: Settings) -> None:
    from kagent_render.cli.report import print_diagnostics, print_summary
    from kagent_render.cli.tree import print_pairs

    for report in reports:
        print_diagnostics(report, settings)
        failed = any(found.is_error for found in report.diagnostics)
        if failed and not report.changed:
            print_summary("nothing was written", report.diagnostics, settings)
            continue
        print_pairs(report, settings)
        count = len(report.changed)
        written = f"wrote {count} file{'s' if count != 1 else ''}" if count else "nothing to write"
        pairs = sum(pair.revision is not None for pair in report.pairs)
        text = f"{pairs or 'no'} pair{'s' if pairs != 1 else ''} prepared, {written}"
        print_summary(text, report.diagnostics, settings)


def _status(reports: list[RootReport], *, exit_code: bool) -> Status:
    from kagent_render.cli.run import worst_status

    status = worst_status(found for report in reports for found in report.diagnostics)
    if status is Status.CLEAN and exit_code and any(report.changed for report in reports):
        return Status.FINDINGS
    return status
