"""Prints what `migrate` did or would do: diffs, files with their objects, the next step."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from kagent_render.cli.migrate.patch import patch_of
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

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.cli.migrate.planned import MigratedRoot
    from kagent_render.cli.options import Settings
    from kagent_render.diagnostics.diagnostic import ObjectRef

_BYTE_ORDER_MARK: Final = "\ufeff"
_LISTED: Final = 20
"""Files up to which each is named; the others are only counted unless asked for."""


def print_migrated(
    roots: Sequence[MigratedRoot], settings: Settings, *, dry_run: bool, stopped: bool
) -> None:
    """One JSON object on stdout; or a diff there where nothing is written, and the rest on stderr."""
    reports = [_report(root, stopped=stopped) for root in roots]
    if settings.format == "json":
        files = {
            (path := path_from_start(file.path, root.root)): "\n".join([*patch_of(file, path), ""])
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


def _print_diff(root: MigratedRoot, settings: Settings) -> None:
    style = Style(wants_colour(settings.colour_choice, sys.stdout))
    for file in root.migration.files:
        for line in patch_of(file, _path_from_here(root.root.folder, file.path)):
            text, end = (line[:-1], "\r") if line.endswith("\r") else (line, "")
            click.echo(inert(_coloured(_printable(text), style)) + end, color=style.colour)


def _path_from_here(folder: Path, path: str) -> str:
    """A path from the working directory, where Git applies a diff; from the root where that is not below."""
    prefix = os.path.relpath(folder)
    return path if prefix.startswith(os.pardir) else Path(prefix, path).as_posix()


def _printable(line: str) -> str:
    """A line of a diff for people, with its tabs and the byte order mark that a file begins with."""
    mark = _BYTE_ORDER_MARK if line[1:2] == _BYTE_ORDER_MARK else ""
    shown = "\t".join(map(printable, (line[0] + line[2:] if mark else line).split("\t")))
    return shown[:1] + mark + shown[1:]


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
