"""Prints what a command found in the format that was asked for: one summary, whoever reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from kagent_render.cli.report import (
    RootReport,
    print_diagnostics,
    print_json,
    print_summary,
    shown_diagnostics,
    summary_line,
)
from kagent_render.diagnostics.style import Style
from kagent_render.source.roots import config_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kagent_render.cli.options import Settings
    from kagent_render.diagnostics.finding import Finding

_DISTRIBUTION: Final = "kagent-gitops"


def print_reports(
    reports: Sequence[RootReport],
    settings: Settings,
    summarize: Callable[[RootReport], str],
    *,
    fails: Callable[[RootReport], bool] = lambda report: False,  # noqa: ARG005
    show: Callable[[RootReport], None] = lambda report: None,  # noqa: ARG005
) -> None:
    """What was found in every root, and a summary of each on stderr.

    A root may fail for another reason than its diagnostics. A text shows more of each before its summary.
    """
    if settings.format == "json":
        print_json(reports)
        return
    named = len(reports) > 1
    if settings.format != "text":
        _print_findings(reports, settings, summarize, fails)
    for report in reports:
        if settings.format == "text":
            print_diagnostics(report, settings)
            show(report)
        if settings.format == "github":
            _print_inert(summarize(report), report, settings, named=named, stopped=fails(report))
        else:
            print_summary(summarize(report), report, settings, named=named, stopped=fails(report))


def _print_inert(text: str, report: RootReport, settings: Settings, *, named: bool, stopped: bool) -> None:
    """A summary in which a runner of GitHub Actions, which reads stderr too, finds no command."""
    from kagent_render.diagnostics.github import without_commands

    line = summary_line(text, report, settings, Style(), named=named, stopped=stopped)
    click.echo(without_commands(line), err=True)


def _print_findings(
    reports: Sequence[RootReport],
    settings: Settings,
    summarize: Callable[[RootReport], str],
    fails: Callable[[RootReport], bool],
) -> None:
    findings = [finding for report in reports for finding in _findings(report, settings)]
    if settings.format == "markdown":
        from kagent_render.diagnostics.markdown import COMMENT_SIZE, write_markdown

        named = len(reports) > 1
        lines = [
            summary_line(summarize(report), report, settings, Style(), named=named, stopped=fails(report))
            for report in reports
        ]
        text = write_markdown(findings, lines, settings.max_size or COMMENT_SIZE)
    else:
        text = _written(findings, settings.format)
    click.echo(text, nl=False)


def _written(findings: Sequence[Finding], format: str) -> str:  # noqa: A002
    match format:
        case "github":
            from kagent_render.diagnostics.github import write_github

            return write_github(findings)
        case "gitlab":
            from kagent_render.diagnostics.gitlab import write_gitlab

            return write_gitlab(findings)
        case _:
            from kagent_render import __version__
            from kagent_render.diagnostics.explanations import load_explanations
            from kagent_render.diagnostics.sarif import write_sarif

            return write_sarif(findings, load_explanations(), __version__, _pages())


def _findings(report: RootReport, settings: Settings) -> Iterator[Finding]:
    """What is shown of a root; what is in no file of the repository is told of the root's configuration."""
    from kagent_render.diagnostics.finding import Finding

    for found in shown_diagnostics(report, settings):
        source = found.source
        if source is None or source.path.startswith("<"):
            yield Finding(found, _in_repository(config_path(""), report))
        else:
            yield Finding(found, _in_repository(source.path, report), source.line, source.column)


def _in_repository(path: str, report: RootReport) -> str:
    """A path of a root from the top of its repository; outside of any, from PATH or from the root itself."""
    root = report.root
    if root.repository is not None:
        place = "" if root.place == "." else root.place
    else:
        place = "" if root.prefix.startswith("..") else root.prefix
    return "/".join(part for part in (place, path) if part)


def _pages() -> str | None:
    """Where the distribution says that its documentation is."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        urls = metadata(_DISTRIBUTION).get_all("Project-URL") or []
    except PackageNotFoundError:
        return None
    named = (url.partition(", ") for url in urls)
    return next((address.rstrip("/") for name, _, address in named if name == "Documentation"), None)
