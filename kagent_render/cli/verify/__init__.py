"""`kagent-render verify`: renders again from what the sources serve now and compares byte for byte."""

from __future__ import annotations

import dataclasses
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import click

from kagent_render.cli.check import check_roots, tell
from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.options import CI_FORMATS, FORMATS, Settings, max_size_option, shared_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.cli.check import CheckedRoot

_STDOUT = "-"


@click.command()
@shared_options((*FORMATS, *CI_FORMATS))
@max_size_option
@click.option(
    "--statement", metavar="FILE", help="Write an in-toto statement with SLSA provenance; `-`: stdout."
)
@click.option("--builder-id", metavar="URI", help="Who builds, in the statement; for CI that signs it.")
def command(settings: Settings, statement: str | None, builder_id: str | None) -> None:
    """Prove that the committed output is what the manifests and their sources give.

    Every artifact is read again from its source, what is vendored is held against it, and the word of no
    lock, cache or memory is taken. With `--offline`, artifacts are those that are vendored or cached.

    A statement is written only where everything is proven. It is unsigned, and the same whoever writes it.
    """
    if builder_id is not None and (statement is None or not _is_absolute(builder_id)):
        raise click.UsageError("`--builder-id` is a URI without user information, for `--statement`")
    if statement is not None and settings.stdin is not None:
        raise click.UsageError("a statement names files: it cannot be made of what `-f` reads")
    if statement == _STDOUT and settings.format != "text":
        raise click.UsageError("`--statement -` and `-o json` both write to stdout")
    sys.exit(verify(dataclasses.replace(settings, afresh=True), statement, builder_id))


def verify(settings: Settings, statement: str | None = None, builder: str | None = None) -> Status:
    """Verify every root that PATH means; the status is what the program exits with."""
    checked = check_roots(settings)
    status = tell([found.report for found in checked], settings)
    if statement is None:
        return status
    if status is not Status.CLEAN:
        click.echo("no statement was written, because not everything is proven", err=True)
        return status
    _write(_state(checked, settings, builder), statement)
    return status


def _state(checked: Sequence[CheckedRoot], settings: Settings, builder: str | None) -> str:
    from kagent_render.cli.verify.statement import verified_statement

    runs = [found.run for found in checked if found.run is not None]
    if not any(run.planned.plan.files for run in runs):
        raise EnvironmentFailure(
            "there is no output to make a statement of", "run `kagent-render render` where pairs are"
        )
    return verified_statement(runs, settings, builder)


def _write(text: str, place: str) -> None:
    """Write the statement in one step, so that nobody finds a part of it."""
    if place == _STDOUT:
        click.echo(text, nl=False)
        return
    path = Path(place)
    temporary = path.with_name(f".{path.name}.kagent-render~")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except (OSError, ValueError) as error:
        with suppress(OSError, ValueError):
            temporary.unlink()
        cause = os.strerror(error.errno).lower() if isinstance(error, OSError) and error.errno else "no path"
        raise EnvironmentFailure(f"the statement cannot be written: {cause}", "name another file") from None


def _is_absolute(uri: str) -> bool:
    try:
        parts = urlsplit(uri)
    except ValueError:
        return False
    return (
        bool(parts.scheme and (parts.netloc or parts.path)) and "@" not in parts.netloc and uri.isprintable()
    )
