"""Files of schemas on disk: written where they differ, or told."""

from __future__ import annotations

import json
import shlex
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.options import wants_colour
from kagent_render.diagnostics.diagnostic import Diagnostic, SourcePosition
from kagent_render.diagnostics.document import to_document
from kagent_render.diagnostics.reasons import Reason
from kagent_render.diagnostics.style import Style
from kagent_render.diagnostics.text import printable, write_text
from kagent_render.emit import file_set
from kagent_render.emit.disk import DiskOutput
from kagent_render.emit.folder import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path


def write_files(files: Mapping[str, bytes], folder: Path, *, as_json: bool) -> Status:
    """Make the files below `folder` current, and say which were not."""
    with _opened(folder, make=True) as output:
        changed = file_set.stale_files(files, output)
        file_set.write_files(files, changed, output)
    if as_json:
        click.echo(json.dumps({"changed": [str(folder / path) for path in changed], "diagnostics": []}))
    for path in changed:
        click.echo(f"wrote {printable(str(folder / path))}", err=True)
    if not changed:
        click.echo(f"✓ {len(files)} files current", err=True)
    return Status.CLEAN


def check_files(files: Mapping[str, bytes], folder: Path, words: Sequence[str], *, as_json: bool) -> Status:
    """Say which files below `folder` are missing or not current; `words` are the command that writes them."""
    stale, absent = list(files), set(files)
    if folder.exists():
        with _opened(folder) as output:
            stale = file_set.stale_files(files, output)
            absent = {path for path in stale if not output.exists(path)}
    again = printable(shlex.join(["kagent-render", *words, "--write", str(folder)]))
    hint = f"run `{again}` and commit the result"
    told = [
        _drift(folder / path, "is missing" if path in absent else "is out of date", hint) for path in stale
    ]
    if as_json:
        documents = [to_document(found) for found in told]
        click.echo(json.dumps({"changed": [str(folder / path) for path in stale], "diagnostics": documents}))
    return _report(told, len(files))


def _drift(path: Path, problem: str, hint: str) -> Diagnostic:
    place = SourcePosition(str(path), 1, 1)
    message = f"`{printable(str(path))}` {problem}"
    return Diagnostic(Reason.OUTPUT_DRIFT, message, hint=hint, source=place, sensitive=True)


def _report(told: list[Diagnostic], count: int) -> Status:
    style = Style(wants_colour("auto", sys.stderr))
    if not told:
        click.echo(style.good(f"✓ {count} files current"), err=True)
        return Status.CLEAN
    click.echo(write_text(told, style, lambda _path, _line: None, printable), err=True)
    click.echo(style.bad(f"\n✗ {len(told)} of {count} files not current"), err=True)
    return Status.FINDINGS


@contextmanager
def _opened(folder: Path, *, make: bool = False) -> Iterator[DiskOutput]:
    """The folder, which is made where it is to be written; ends the command where it cannot be used."""
    try:
        if make:
            folder.mkdir(parents=True, exist_ok=True)
        with DiskOutput(folder, "") as output:
            yield output
    except OSError as error:
        raise EnvironmentFailure(f"`{printable(str(folder))}` cannot be used: {error.strerror}") from None
    except OutputError as error:
        place = printable(str(folder / error.path.lstrip("/")))
        raise EnvironmentFailure(f"`{place}` {error.problem}", error.hint) from None
