"""`kagent-render verify`: renders again from what the sources serve now and compares byte for byte."""

from __future__ import annotations

import dataclasses
import sys

import click

from kagent_render.cli.check import check
from kagent_render.cli.options import CI_FORMATS, FORMATS, Settings, max_size_option, shared_options


@click.command()
@shared_options((*FORMATS, *CI_FORMATS))
@max_size_option
def command(settings: Settings) -> None:
    """Prove that the committed output is what the manifests and their sources give.

    Every artifact is read again from its source, what is vendored is held against it, and the word of no
    lock, cache or memory is taken. With `--offline`, artifacts are those that are vendored or cached.
    """
    sys.exit(check(dataclasses.replace(settings, afresh=True)))
