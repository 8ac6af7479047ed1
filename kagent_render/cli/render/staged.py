"""What `render --staged` says of the index: which of the files that it planned the next commit lacks."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kagent_render.diagnostics.style import Style
from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.cli.options import Settings
    from kagent_render.cli.report import RootReport

_LISTED: Final = 20
"""Paths up to which each is named; the others are only counted unless asked for."""

_PARTIAL_INDEX: Final = "next-index-"
"""How Git names the index of `git commit PATH`, which has HEAD and those paths alone."""


def staging_text(report: RootReport) -> str:
    """What was written and what is not staged, for the summary line."""
    rewritten = len(set(report.unstaged or ()) & set(report.changed))
    waiting = len(report.unstaged or ()) - rewritten
    parts = [f"{_files(rewritten)} rewritten"] if rewritten else []
    parts += [f"{_files(waiting)} not staged"] if waiting else []
    return f"{' and '.join(parts)}: git add them"


def print_unstaged(report: RootReport, settings: Settings) -> None:
    """Name every file that the index lacks, has otherwise or still has."""
    paths = report.unstaged or ()
    shown = paths if settings.verbose or len(paths) <= _LISTED else paths[:_LISTED]
    style = Style(settings.colour)
    for path in shown:
        verb = "rewritten" if path in report.changed else "not staged"
        click.echo(f"  {style.dim(f'{verb:<10}')}  {_place(report, path)}", err=True, color=settings.colour)
    if len(shown) < len(paths):
        click.echo(f"  and {len(paths) - len(shown):,} more, named with -v", err=True)


def print_next_step(report: RootReport, settings: Settings) -> None:
    """How to get the files into the commit."""
    if not report.unstaged or report.root.config is None:
        return
    output = _place(report, report.root.config.output)
    step = _adding(report, report.unstaged, output)
    if Path(os.environ.get("GIT_INDEX_FILE", "")).name.startswith(_PARTIAL_INDEX):
        step += f" and commit without naming paths, or name `{output}`, too"
    hint = Style(settings.colour).hint("hint")
    click.echo(f"  {hint}: {step}", err=True, color=settings.colour)


def _adding(report: RootReport, paths: Sequence[str], output: str) -> str:
    """Which command stages the paths; the whole folder is too much where others are in it."""
    if not report.beside_others:
        return f"run `git add {shlex.quote(output)}`"
    if len(paths) > _LISTED:
        return f"add these files and not all of `{output}`, which holds output of what is not staged, too"
    return f"run `git add {shlex.join(_place(report, path) for path in paths)}`"


def _files(count: int) -> str:
    return f"{count:,} file{'s' if count != 1 else ''}"


def _place(report: RootReport, path: str) -> str:
    return printable(os.path.relpath(report.root.folder / path))
