"""`kagent-render migrate`: moves `v1alpha2` manifests to `v1alpha3` in place."""

from __future__ import annotations

import sys

import click

from kagent_render.cli.options import OTHER_SOURCES, Settings, shared_options


@click.command()
@shared_options(hidden=OTHER_SOURCES)
@click.option("--dry-run", is_flag=True, help="Print what would change as a unified diff; write nothing.")
@click.option("--exit-code", is_flag=True, help="Exit 1 when anything was changed, or would be.")
@click.option(
    "--allow-new-pairs", is_flag=True, help="Accept pairs that only the list of Harnesses ruled out."
)
def command(settings: Settings, dry_run: bool, exit_code: bool, allow_new_pairs: bool) -> None:
    """Move the v1alpha2 manifests below PATH to v1alpha3, so that the same ActorTemplates come of them.

    Comments and layout stay as they are. All or nothing: what would come of the manifests is compared before
    the first file is written. Git is the way back.
    """
    if settings.staged or settings.revision is not None or settings.stdin is not None:
        raise click.UsageError("`migrate` changes files: it takes no `--staged`, `--rev` or `-f`")
    from kagent_render.cli.migrate.run import migrate

    sys.exit(
        migrate(
            settings,
            dry_run=dry_run or settings.locked,
            exit_code=exit_code,
            allow_new_pairs=allow_new_pairs,
        )
    )
