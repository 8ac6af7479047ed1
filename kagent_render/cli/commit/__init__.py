"""`kagent-render commit`: renders a revision onto a branch of its own, without touching the work tree."""

from __future__ import annotations

import dataclasses
import sys

import click

from kagent_render.cli.options import OTHER_SOURCES, Settings, shared_options, update_images_option


@click.command()
@shared_options(walled=False, hidden=OTHER_SOURCES - {"--rev"})
@update_images_option
@click.option("--branch", required=True, metavar="B", help="The branch that holds the output.")
@click.option(
    "--push",
    "remote",
    is_flag=False,
    flag_value="",
    metavar="[REMOTE]",
    help="Push the branch, to the remote that Git is configured to push it to, else to `origin`.",
)
@click.option("-m", "--message", help="The commit's message; the trailer with the source is added.")
@click.option("--keep-going", is_flag=True, help="Commit the pairs that prepared although others failed.")
@click.option("--forward", is_flag=True, help="Do nothing where the branch has the output of a later commit.")
@click.option("--dry-run", is_flag=True, help="Say what would be committed, and commit nothing.")
def command(
    settings: Settings,
    branch: str,
    remote: str | None,
    message: str | None,
    keep_going: bool,
    forward: bool,
    dry_run: bool,
) -> None:
    """Render a revision (`--rev`, else HEAD) and commit the output to the branch B, which is made if missing.

    Neither the work tree nor the index nor HEAD is touched. Where no file of the output changed there is no
    commit. With `--push`, B moves here once the remote took it. `--locked` exits 1 where there is something
    to commit, and commits nothing.
    """
    if settings.staged or settings.stdin is not None:
        raise click.UsageError("`commit` renders a commit: `--staged` and `-f` are not for it")
    if settings.offline and remote is not None:
        raise click.UsageError("`--push` needs the network, which `--offline` forbids")
    if message is not None and "\0" in message:
        raise click.UsageError("a message cannot hold a NUL character")
    from kagent_render.cli.commit.run import Request, commit

    revision = settings.revision if settings.revision is not None else "HEAD"
    request = Request(branch, remote, message, keep_going, forward, dry_run or settings.locked)
    sys.exit(commit(dataclasses.replace(settings, revision=revision), request))
