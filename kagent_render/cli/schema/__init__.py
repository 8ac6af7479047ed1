"""`kagent-render schema`: JSON Schemas and CustomResourceDefinitions of the kinds that are read."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from kagent_render.cli.options import FORMATS, format_option

_FOLDER = click.Path(file_okay=False, path_type=Path)


@click.command()
@click.argument("what", required=False, metavar="[KIND|json|crds]")
@click.option("--write", "write", type=_FOLDER, metavar="DIR", help="Write the files below DIR.")
@click.option(
    "--check", "check", type=_FOLDER, metavar="DIR", help="Exit 1 when those below DIR are not current."
)
@click.option(
    "--serve", "served", metavar="VERSION", help="The version that the CRDs serve; the newest unless told."
)
@format_option(FORMATS)
def command(
    what: str | None,
    write: Path | None,
    check: Path | None,
    served: str | None,
    format: str,  # noqa: A002
) -> None:
    """List the schemas, print one, or keep files of them current.

    \b
    schema AgentTemplate             the JSON Schema of a kind, all of its versions
    schema json                      one JSON Schema of every kind, by apiVersion and kind
    schema crds                      the CustomResourceDefinitions
    schema --write .kagent/schemas   a JSON Schema in a file for each, and all.json
    schema crds --write DIR          a kustomization of the CustomResourceDefinitions
    """
    if write is not None and check is not None:
        raise click.UsageError("`--write` and `--check` exclude each other")
    if served is not None and what != "crds":
        raise click.UsageError("`--serve` is for `schema crds`")
    from kagent_render.cli.schema.files import check_files, write_files
    from kagent_render.cli.schema.text import files_of, text_of

    as_json = format == "json"
    if write is None and check is None:
        click.echo(text_of(what, served, as_json=as_json), nl=False)
        return
    files = files_of(what, served)
    if write is not None:
        sys.exit(write_files(files, write, as_json=as_json))
    assert check is not None
    sys.exit(check_files(files, check, _words(what, served), as_json=as_json))


def _words(what: str | None, served: str | None) -> list[str]:
    """The command that writes what is checked, without its folder."""
    return ["schema", *([what] if what else []), *(["--serve", served] if served else [])]
