"""`kagent-render vendor`: makes the vendored store hold what the manifests name, and nothing else."""

from __future__ import annotations

import sys

import click

from kagent_render.cli.options import Settings, shared_options


@click.command()
@shared_options()
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when there is something to write.")
@click.option("--repair", is_flag=True, help="Get anew what is damaged, as the index and the locks pin it.")
def command(settings: Settings, check: bool, repair: bool) -> None:
    """Put the artifacts that the manifests below PATH name into `.kagent/artifacts`.

    Adds what is missing and removes what nothing uses any more. All or nothing: where one artifact of any
    root cannot be had, or is not what the index and the locks pin, nothing is written.
    """
    if check or settings.locked:
        if repair:
            raise click.UsageError("`--repair` writes, which `--check` and `--locked` exclude")
        from kagent_render.cli.vendor.check import check_vendored

        sys.exit(check_vendored(settings))
    if settings.staged or settings.revision is not None:
        raise click.UsageError("`--staged` and `--rev` need `--check`: only the work tree is written")
    from kagent_render.cli.vendor.write import vendor

    sys.exit(vendor(settings, repair=repair))
