"""`kagent-render generate`: the committed objects on stdout, as Argo CD runs a plugin.

All that `check --frozen` looks at is verified first; what is printed is what was compared. Argo CD shows
stderr in its user interface and logs stdout, so that neither holds a line of a source file.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from pathlib import Path

import click

from kagent_render.cli.isolation import isolated
from kagent_render.cli.options import Settings, shared_options
from kagent_render.cli.termination import ending_at_sigterm
from kagent_render.diagnostics.text import printable

FORMATS = ("yaml", "json")


@click.command()
@shared_options(FORMATS, hidden=frozenset(("--locked", "--offline", "--frozen")))
@click.option("--allow-empty", is_flag=True, help="Accept that there are no objects.")
@click.option("--argocd", is_flag=True, help="Take parameters from ARGOCD_APP_PARAMETERS.")
@click.option("--discover", is_flag=True, help="Print the roots that PATH means, and nothing without any.")
@click.option("--parameters", is_flag=True, help="Print the parameters that Argo CD announces, as JSON.")
def command(settings: Settings, allow_empty: bool, argocd: bool, discover: bool, parameters: bool) -> None:
    """Print every object that the output below PATH gives, once it is verified.

    Always frozen: writes nothing and opens no socket. Where anything is stale, missing or edited, it exits 1,
    says what on stderr, and prints nothing.
    """
    if discover + parameters + argocd > 1:
        raise click.UsageError("`--argocd`, `--discover` and `--parameters` exclude each other")
    with ending_at_sigterm() as ending, isolated(wanted=True):
        if discover or parameters:
            from kagent_render.cli.generate.argocd import announcements, claimed_roots

            lines = (
                map(printable, claimed_roots(settings.path)) if discover else [announcements(settings.path)]
            )
            ending.write_whole("".join(f"{line}\n" for line in lines).encode())
            return
        settings = dataclasses.replace(settings, locked=True, offline=True, modes_lost=True)
        if argocd:
            settings, allow_empty = _with_parameters(settings, allow_empty=allow_empty)
        from kagent_render.cli.generate.generation import generate, print_reports

        generated = generate(settings)
        data = generated.text(settings.format, allow_empty=allow_empty) if not generated.status else b""
        print_reports(generated, settings)
        ending.write_whole(data)
    sys.exit(generated.status)


def _with_parameters(settings: Settings, *, allow_empty: bool) -> tuple[Settings, bool]:
    """The settings and `allow_empty` as Argo CD's parameters change them."""
    from kagent_render.cli.generate.argocd import folder_of, read_parameters

    found = read_parameters(os.environ)
    path = Path(os.path.relpath(folder_of(settings.path, found)))
    changed = dataclasses.replace(settings, path=path, strict=settings.strict or found.strict)
    return changed, allow_empty or found.allow_empty
