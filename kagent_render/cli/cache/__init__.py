"""`kagent-render cache`: what earlier runs left in the user's cache folder, and its removal."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kagent_render.cli.cache_folder import ARTIFACTS, cache_folder, is_own
from kagent_render.cli.failure import EnvironmentFailure
from kagent_render.cli.options import FORMATS

if TYPE_CHECKING:
    from kagent_render.artifacts.cache.pruning import Age

_DAYS = 30
_DAY_SECONDS = 24 * 60 * 60


@click.group()
def command() -> None:
    """Show or prune what earlier runs fetched and prepared.

    Nothing goes by itself, and runs do without whatever is not there.
    """


@command.command()
@click.option("-o", "--output", "form", type=click.Choice(FORMATS), default="text", show_default=True)
def info(form: str) -> None:
    """Say where the cache is, what it holds and when that was last used."""
    from kagent_render.artifacts.cache.pruning import survey
    from kagent_render.cli.cache.report import info_document, info_text
    from kagent_render.cli.memory import memo_size

    folder = _folder()
    with _reporting_refusals(folder):
        document = info_document(folder, survey(folder / ARTIFACTS), memo_size(folder))
    click.echo(json.dumps(document, indent=2, ensure_ascii=False) if form == "json" else info_text(document))


@command.command()
@click.option(
    "--older-than",
    "days",
    type=click.IntRange(0, 36_500),
    metavar="DAYS",
    help=f"Remove artifacts that no run has used for that many days, {_DAYS} unless it is given.",
)
@click.option(
    "--all", "everything", is_flag=True, help="Remove all artifacts, and the memo of what was prepared."
)
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
def prune(days: int | None, everything: bool, dry_run: bool) -> None:
    """Remove what was not used lately, and what interrupted runs left.

    It is safe beside other runs. Artifacts that went are fetched again when they are needed.
    """
    from kagent_render.artifacts.cache import pruning as cache_pruning
    from kagent_render.cli.cache.report import print_removals
    from kagent_render.cli.memory import memo_size, remove_memo

    if everything and days is not None:
        raise click.UsageError("`--all` and `--older-than` exclude each other")
    folder, memo = _folder(), 0
    age = cache_pruning.EVERYTHING if everything else _age(_DAYS if days is None else days)
    with _reporting_refusals(folder):
        removals = cache_pruning.prune(folder / ARTIFACTS, age, dry_run=dry_run)
    if everything:
        memo = memo_size(folder)
        if not dry_run:
            remove_memo(folder)
    print_removals(removals, memo, dry_run=dry_run)


def _age(days: int) -> Age:
    from kagent_render.artifacts.cache.pruning import LEFTOVER_SECONDS, Age

    now = time.time()
    return Age(unused=now - days * _DAY_SECONDS, leftover=now - LEFTOVER_SECONDS)


def _folder() -> Path:
    """The cache folder, which need not be there."""
    try:
        folder = cache_folder()
    except RuntimeError:
        raise EnvironmentFailure(
            "no home folder is known", "set `XDG_CACHE_HOME` to an absolute path"
        ) from None
    with _reporting_refusals(folder):
        if os.path.lexists(folder) and not is_own(folder):
            raise PermissionError(None, "it is not a folder of this user alone")
    return folder


@contextmanager
def _reporting_refusals(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        from kagent_render.diagnostics.text import printable

        reason = error.strerror or type(error).__name__
        raise EnvironmentFailure(
            f"the cache in `{printable(str(folder))}` is not touched: {reason.lower()}",
            "look at whose it is and who may write to it, or set `XDG_CACHE_HOME` to another place",
        ) from None
