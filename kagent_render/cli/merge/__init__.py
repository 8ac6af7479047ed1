"""`kagent-render merge`: a Git merge driver for the output, and what goes with it."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kagent_render.cli.failure import Status

_FEWEST = 4
_LABELLED = 7


@click.command()
@click.argument("files", nargs=-1, metavar="[%O %A %B %P [%S %X %Y]]")
@click.option("--install", is_flag=True, help="Set the driver up in this clone, and nowhere else.")
@click.option("--finish", is_flag=True, help="Render what a merge gives, and stage it.")
@click.option("--hook", is_flag=True, help="The same, and exit 1 where anything was staged.")
def command(files: tuple[str, ...], install: bool, finish: bool, hook: bool) -> None:
    """Merge one file of the output by rendering it from the merged manifests; Git calls this.

    %A is written; exit 0 says that it is merged, 1 that it needs you. `--install` lets Git call it: it
    writes this clone's configuration, attributes and, where there is none, its `pre-merge-commit` hook.
    `--finish` renders every root of the work tree and stages the output: run it once the manifests of a
    merge that stopped are resolved. `--hook` is what the hook runs.
    """
    if sum((bool(files), install, finish, hook)) != 1:
        raise click.UsageError("give `--install`, `--finish`, `--hook`, or what Git gives a merge driver")
    if install:
        from kagent_render.cli.merge.installation import install_driver

        install_driver()
        sys.exit(Status.CLEAN)
    if finish or hook:
        from kagent_render.cli.merge.finishing import finish_merge

        sys.exit(finish_merge(hook=hook))
    if len(files) not in (_FEWEST, _LABELLED):
        raise click.UsageError("a merge driver is given `%O %A %B %P`, and perhaps `%S %X %Y`")
    from kagent_render.cli.merge.driver import drive

    base, ours, theirs = (Path(name) for name in files[:3])
    # A Git that does not know `%Y` leaves it as it is.
    label = files[6] if len(files) == _LABELLED and files[6] != "%Y" else ""
    sys.exit(drive(base, ours, theirs, files[3], label))
