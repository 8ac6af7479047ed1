"""`kagent-render watch`: renders or checks again whenever something changes that could matter."""

from __future__ import annotations

import dataclasses
import os
import signal
import sys
import time
from contextlib import closing, suppress
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NoReturn

import click

from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.options import OTHER_SOURCES, Settings, shared_options, update_images_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.cli.report import RootReport
    from kagent_render.cli.roots import Root
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.watch.interest import Kind, RootInterest

_CLEAR = "\033[2J\033[H"


@click.command()
@shared_options(("text",), hidden=OTHER_SOURCES | {"--output"})
@update_images_option
@click.option("--check", "checks", is_flag=True, help="Only check, and write nothing.")
@click.option("--keep-going", is_flag=True, help="Write the pairs that prepared although others failed.")
@click.option("--clear", is_flag=True, help="Clear the terminal's screen before each run.")
def command(settings: Settings, checks: bool, keep_going: bool, clear: bool) -> None:
    """Render what is below PATH now, and again whenever a file changes that could matter.

    An edit that does not render is told, and the output stays as it is. `--check`, like `--locked`, checks
    instead. Ctrl-C ends it.
    """
    if settings.staged or settings.revision is not None or settings.stdin is not None:
        raise click.UsageError("`watch` reads files: it takes no `--staged`, `--rev` or `-f`")
    settings = dataclasses.replace(settings, path=settings.path.resolve(), locked=settings.locked or checks)
    sys.exit(watch(_Watch(settings, keep_going=keep_going, clear=clear)))


def watch(runs: _Watch) -> Status:
    """Run until somebody ends it; the status is what the program exits with."""
    from kagent_render.watch.files import WatchError

    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        _run_on(runs)
    except WatchError as error:
        hint = "set `WATCHFILES_FORCE_POLLING=1`, or raise `fs.inotify.max_user_watches`"
        raise EnvironmentFailure(str(error), hint) from None
    except KeyboardInterrupt:
        return Status.CLEAN
    finally:
        signal.signal(signal.SIGTERM, before)


def _run_on(runs: _Watch) -> NoReturn:
    from kagent_render.watch.files import WatchedFiles
    from kagent_render.watch.rhythm import next_burst

    # Watched from before the first run, so that no edit during it is missed.
    with closing(WatchedFiles(runs.folders())) as files:
        runs.run(frozenset())
        files.watch(runs.folders())
        click.echo("watching; Ctrl-C ends it", err=True)
        while True:
            runs.run(next_burst(files, runs.is_interesting))
            files.watch(runs.folders())


class _Watch:
    """One watch: its settings, the working directory, and the roots as the last run found them."""

    def __init__(self, settings: Settings, *, keep_going: bool, clear: bool) -> None:
        self._settings = settings
        self._keep_going = keep_going
        self._clear = clear
        self._here = Path.cwd()
        self._roots: tuple[Path, ...] = ()
        self._interests: tuple[RootInterest, ...] = ()
        self._told: dict[Path, frozenset[Diagnostic]] = {}

    def folders(self) -> list[Path]:
        """What to watch: the root that PATH is in, else PATH with all roots below."""
        above = [root for root in self._roots if self._settings.path.is_relative_to(root)]
        return above or [self._settings.path]

    def is_interesting(self, path: str) -> bool:
        """Whether a change at a path can matter, by what the last run read."""
        from kagent_render.watch.interest import is_interesting

        return is_interesting(path, self._interests, _kind)

    def run(self, changed: frozenset[str]) -> None:
        """Render or check, and tell how it went in one line below what was found."""
        if self._clear and sys.stderr.isatty():
            click.echo(_CLEAR, err=True, nl=False)
        if (missing := self._missing()) is not None:
            self._say(f"waiting for `{self._place(missing)}`, which is gone", frozenset(), failed=True)
            return
        try:
            self._run(changed)
        except EnvironmentFailure as error:
            error.show()
            self._say("nothing was done", changed, failed=True)

    def _missing(self) -> Path | None:
        """What of PATH and its root is not where it was; the working directory is entered anew."""
        from kagent_render.source.config import CONFIG_FILE

        if not self._settings.path.is_dir():
            return self._settings.path
        with suppress(OSError):
            os.chdir(self._here)
        # Without its file the next root above would be taken instead, which nobody asked for.
        own = (root / CONFIG_FILE for root in self._roots if self._settings.path.is_relative_to(root))
        return next((file for file in own if not file.is_file()), None)

    def _run(self, changed: frozenset[str]) -> None:
        from kagent_render.cli.check import check_roots, checked_text
        from kagent_render.cli.render import render_roots, rendered_text

        if self._settings.locked:
            reports, stopped = [checked.report for checked in check_roots(self._settings)], False
            texts = [checked_text(report, afresh=False) for report in reports]
        else:
            reports, stopped = render_roots(self._settings, keep_going=self._keep_going)
            texts = [rendered_text(report, stopped=stopped) for report in reports]
        self._look_at(reports)
        quiet = 0
        for report, text in zip(reports, texts, strict=True):
            self._print_new(report)
            failed = stopped or any(found.is_error for found in report.diagnostics)
            if changed and len(reports) > 1 and not failed and not report.changed:
                quiet += 1
                continue
            place = f"{self._place(report.root.folder)}: " if len(reports) > 1 else ""
            self._say(place + text + self._counted(report), changed, failed=failed)
        if quiet and quiet == len(reports):
            self._say(f"{quiet} roots, nothing to do", changed, failed=False)

    def _print_new(self, report: RootReport) -> None:
        """Print errors, and of all else what the last run did not say already."""
        from kagent_render.cli.report import print_diagnostics

        known = self._told.get(report.root.folder, frozenset())
        shown = [found for found in report.diagnostics if found.is_error or found not in known]
        print_diagnostics(dataclasses.replace(report, diagnostics=shown), self._settings)
        self._told[report.root.folder] = frozenset(report.diagnostics)

    def _counted(self, report: RootReport) -> str:
        from kagent_render.diagnostics.text import summarize

        counted = summarize(report.diagnostics, notes_hidden=not self._settings.verbose)
        return f" ({counted})" if counted else ""

    def _look_at(self, reports: Sequence[RootReport]) -> None:
        """Remember which roots there are, and what of them matters."""
        self._interests = tuple(_interest_of(report.root, checks=self._settings.locked) for report in reports)
        found = tuple(report.root.folder for report in reports if _has_config(report.root.folder))
        self._roots = found or self._roots

    def _say(self, text: str, changed: frozenset[str], *, failed: bool) -> None:
        from kagent_render.diagnostics.style import Style

        style = Style(self._settings.colour)
        mark = style.bad("✗") if failed else style.good("✓")
        clock = style.dim(time.strftime("%H:%M:%S ")) if sys.stderr.isatty() else ""
        after = style.dim(f"  ← {self._cause(changed)}") if changed else ""
        click.echo(f"{clock}{mark} {text}{after}", err=True, color=self._settings.colour)

    def _cause(self, changed: frozenset[str]) -> str:
        if len(changed) > 1:
            return f"{len(changed)} changes"
        return self._place(Path(*changed))

    def _place(self, path: Path) -> str:
        from kagent_render.diagnostics.text import printable

        return printable(os.path.relpath(path, self._here))


def _interest_of(root: Root, *, checks: bool) -> RootInterest:
    """What matters of one root; what is not valid is written nowhere, so that any file may."""
    from kagent_render.source.discovery import source_files
    from kagent_render.source.globs import DEFAULT_SOURCES, compile_filter
    from kagent_render.watch.interest import RootInterest

    if root.config is None:
        return RootInterest(os.fspath(root.folder), None, compile_filter(DEFAULT_SOURCES).admits)
    folders = {
        folder
        for path in source_files(root.reader, root.config).paths
        for folder in map(str, PurePosixPath(path).parents)
    }
    output = None if checks else root.config.output
    admits = compile_filter(root.config.sources).admits
    return RootInterest(os.fspath(root.folder), output, admits, frozenset(folders))


def _has_config(folder: Path) -> bool:
    from kagent_render.source.config import CONFIG_FILE

    return (folder / CONFIG_FILE).is_file()


def _kind(path: str) -> Kind:
    from kagent_render.watch.interest import Kind

    if Path(path).is_dir():
        return Kind.FOLDER
    return Kind.FILE if os.path.lexists(path) else Kind.NOTHING
