"""`kagent-render check`: the same as `render`, without writing; says what is stale and why."""

from __future__ import annotations

import sys
from dataclasses import dataclass
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
    from collections.abc import Sequence

    from kagent_render.cli.progress import Progress
    from kagent_render.cli.report import RootReport
    from kagent_render.cli.roots import Root
    from kagent_render.cli.run import RootRun


@click.command()
@shared_options((*FORMATS, *CI_FORMATS))
@max_size_option
@update_images_option
def command(settings: Settings) -> None:
    """Say whether the locks and manifests below PATH are those that `render` would write.

    Exits 1 when anything is stale, missing or edited, and names the input that made it so.
    """
    sys.exit(check(settings))


def check(settings: Settings) -> Status:
    """Check every root that PATH means, afresh or not; the status is what the program exits with."""
    return tell([checked.report for checked in check_roots(settings)], settings)


@dataclass(frozen=True, slots=True)
class CheckedRoot:
    """One root held against its output; `run` is None where it has no valid configuration."""

    report: RootReport
    run: RootRun | None = None


def tell(reports: Sequence[RootReport], settings: Settings) -> Status:
    """Print what checking gave; the status is what the program exits with."""
    from kagent_render.cli.formats import print_reports
    from kagent_render.cli.run import worst_status

    print_reports(reports, settings, partial(checked_text, afresh=settings.afresh))
    return worst_status(found for report in reports for found in report.diagnostics)


def check_roots(settings: Settings) -> list[CheckedRoot]:
    """Check every root that PATH means without a word."""
    from kagent_render.cli.output import naming_folders_of
    from kagent_render.cli.progress import showing_progress
    from kagent_render.cli.roots import open_roots

    with showing_progress(wanted=settings.format == "text", colour=settings.colour) as progress:
        checked = []
        for root in open_roots(settings):
            with naming_folders_of(root):
                checked.append(check_root(root, settings, progress))
    return checked


def check_root(root: Root, settings: Settings, progress: Progress) -> CheckedRoot:
    """Prepare a root and hold it against its output."""
    from kagent_render.cli.output import open_output
    from kagent_render.cli.report import RootReport
    from kagent_render.cli.run import hold_against_output, prepare_root, reported_agents, reported_pairs
    from kagent_render.diagnostics.diagnostic import distinct
    from kagent_render.preparation.currency import changed_paths

    if root.config is None:
        return CheckedRoot(RootReport(root, (), root.faults, ()))
    preparation = prepare_root(root, root.config, settings, progress)
    progress.say("Comparing with the output")
    with open_output(root, root.config.output) as output:
        run = hold_against_output(root, root.config, settings, preparation, output)
    told = distinct([*root.faults, *run.diagnostics, *run.currency.findings, *run.agent_currency.findings])
    report = RootReport(
        root,
        reported_pairs(preparation, run, run.currency.by_pair),
        told,
        changed_paths(run.currency.comparison, root.config.output),
        agents=reported_agents(preparation, run, run.agent_currency.by_agent),
        orphans=preparation.agents.orphans,
    )
    return CheckedRoot(report, run)


def checked_text(report: RootReport, *, afresh: bool) -> str:
    """How current one root is, in words."""
    if report.root.config is None:
        return "nothing was checked"
    from kagent_render.cli.report import counted

    subjects = counted(len(report.pairs), len(report.agents))
    stale = sum(not all(condition.status for condition in item.conditions) for item in report.subjects)
    if not report.subjects:
        return "no pairs"
    if stale:
        return f"{stale} of {subjects} not current"
    if any(found.is_error for found in report.diagnostics):
        return f"{subjects} checked"
    return f"{subjects} verified" if afresh else f"{subjects} current"
