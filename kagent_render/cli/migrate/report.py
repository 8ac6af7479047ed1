"""Prints what `migrate` did or would do: diffs, files with their objects, the next step."""

from __future__ import annotations

import os
import shlex
import sys
from typing import TYPE_CHECKING, Final

import click

from kagent_render.cli.options import wants_colour
from kagent_render.cli.report import (
    RootReport,
    path_from_start,
    print_diagnostics,
    print_document,
    print_summary,
)
from kagent_render.diagnostics.diagnostic import Severity
from kagent_render.diagnostics.style import Style
from kagent_render.diagnostics.text import inert, printable
from kagent_render.migration.objects import read_source
from kagent_render.migration.secrecy import hidden_lines
from kagent_render.review.hunks import unified

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kagent_render.cli.migrate.planned import MigratedRoot
    from kagent_render.cli.options import Settings
    from kagent_render.diagnostics.diagnostic import ObjectRef
    from kagent_render.migration.files import FilePlan
    from kagent_render.migration.objects import SourceText

_WITHHELD: Final = "(not shown, because it may hold a credential)"
_LISTED: Final = 20
"""Files up to which each is named; the others are only counted unless asked for."""


def print_migrated(
    roots: Sequence[MigratedRoot], settings: Settings, *, dry_run: bool, stopped: bool
) -> None:
    """One JSON object on stdout; or a diff there where nothing is written, and the rest on stderr."""
    reports = [_report(root, stopped=stopped) for root in roots]
    if settings.format == "json":
        files = {
            path_from_start(file.path, root.root): "\n".join([*_diff(file), ""])
            for root in roots
            for file in (() if stopped else root.migration.files)
        }
        print_document({"files": files}, reports)
        return
    for root, report in zip(roots, reports, strict=True):
        print_diagnostics(report, settings)
        if dry_run and not stopped:
            _print_diff(root, settings)
        elif not stopped:
            _print_files(root, settings)
        _print_staying(root, settings)
        text = _summary(root, dry_run=dry_run, stopped=stopped)
        print_summary(text, report, settings, named=len(roots) > 1, stopped=stopped)
        if root.written:
            _print_next_step(root, settings)


def _report(root: MigratedRoot, *, stopped: bool) -> RootReport:
    changed = [] if stopped else [file.path for file in root.migration.files]
    return RootReport(root.root, (), root.diagnostics, changed)


def _diff(file: FilePlan) -> Iterator[str]:
    """What changes in one file, without a line that may hold a credential."""
    old, new = read_source(file.path, file.before), read_source(file.path, file.after)
    yield f"--- a/{file.path}"
    yield f"+++ b/{file.path}"
    yield from unified(old.text, new.text, lambda ours, theirs: (_without(ours, old), _without(theirs, new)))


def _without(lines: list[str], source: SourceText) -> list[str]:
    hidden = hidden_lines(source)
    return [_WITHHELD if at in hidden else line for at, line in enumerate(lines)]


def _print_diff(root: MigratedRoot, settings: Settings) -> None:
    colour = wants_colour(settings.colour_choice, sys.stdout)
    for file in root.migration.files:
        for line in _diff(file):
            shown = printable(line.removesuffix("\r").replace("\t", "    "))
            click.echo(inert(_coloured(shown, Style(colour))), color=colour)


def _coloured(line: str, style: Style) -> str:
    if line.startswith(("--- ", "+++ ")):
        return style.bold(line)
    if line.startswith("@@"):
        return style.frame(line)
    if line.startswith("-"):
        return style.bad(line)
    return style.good(line) if line.startswith("+") else line


def _print_files(root: MigratedRoot, settings: Settings) -> None:
    """Each file with the objects that were moved, and those that were added."""
    style = Style(settings.colour)
    files = root.migration.files
    shown = files if settings.verbose or len(files) <= _LISTED else files[:_LISTED]
    for file in shown:
        place = style.bold(_place(root.root.folder, file.path))
        parts = [", ".join(map(_named, file.moved))] if file.moved else []
        parts += [f"added {', '.join(map(_named, file.added))}"] if file.added else []
        parts += [f"{_count(file.sources, 'source')} with the endpoint"] if file.sources else []
        click.echo(inert(f"{place}  {'; '.join(parts)}"), err=True, color=settings.colour)
    if len(shown) < len(files):
        click.echo(f"and {len(files) - len(shown):,} more, named with -v", err=True)


def _print_staying(root: MigratedRoot, settings: Settings) -> None:
    """What could not be moved, which is a note, so that it is told without `--verbose`, too."""
    if settings.verbose:
        return
    style = Style(settings.colour)
    for found in root.migration.diagnostics:
        if found.severity is Severity.INFO and found.source is not None:
            place = f"{_place(root.root.folder, found.source.path)}:{found.source.line}"
            note = style.severity(Severity.INFO, "note")
            text = f"{note}: {place}: {printable(found.message)}"
            click.echo(inert(text), err=True, color=settings.colour)


def _summary(root: MigratedRoot, *, dry_run: bool, stopped: bool) -> str:
    files = root.migration.files
    if root.failed or root.root.config is None:
        return "nothing was migrated"
    if stopped:
        return "nothing was migrated, because another root failed"
    if not files:
        return "nothing to migrate"
    moved = sum(len(file.moved) for file in files)
    added = sum(len(file.added) for file in files)
    parts = [_count(moved, "object")] + ([f"{_count(added, 'RemoteMCPServer')} added"] if added else [])
    verb = "would change" if dry_run else "migrated"
    count = sum(not file.sources for file in files)
    named = f"{' and '.join(parts)} in {_count(count, 'file')}"
    new = f", {_count(root.new_pairs, 'new pair')}" if root.new_pairs else ""
    return f"{named} {verb}, the same ActorTemplates{new}"


def _print_next_step(root: MigratedRoot, settings: Settings) -> None:
    here = os.path.relpath(root.root.folder)
    step = "kagent-render render" + ("" if here == "." else f" {shlex.quote(printable(here))}")
    hint = Style(settings.colour).hint("next")
    click.echo(
        f"  {hint}: `{step}` writes the locks, which name the new versions", err=True, color=settings.colour
    )


def _named(ref: ObjectRef) -> str:
    return printable(f"{ref.kind} {ref.namespace}/{ref.name}")


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' if number != 1 else ''}"


def _place(folder: Path, path: str) -> str:
    return printable(os.path.relpath(folder / path))
