"""`kagent-render krm`: a KRM function, ResourceList in and ResourceList out.

Whatever is wrong is a result in the answer, which is always a whole ResourceList; stderr has the same for
people.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from kagent_render.cli.failure import Status
from kagent_render.cli.isolation import isolated
from kagent_render.cli.termination import ending_at_sigterm

if TYPE_CHECKING:
    from kagent_render.krm.resource_list import ResourceList
    from kagent_render.krm.results import Result

_LARGEST: Final = 32 * 1024 * 1024
"""Bytes of stdin that are read; the YAML reader takes no more either."""


@click.command()
@click.option("--strict", is_flag=True, help="Treat every warning as an error.")
@click.option("--cache/--no-cache", "cached", default=True, help="Remember what was prepared before.")
def command(strict: bool, cached: bool) -> None:
    """Prepare the items of the ResourceList on stdin and print it with what is to be applied.

    `functionConfig` is a RenderConfig, or a KagentRender that names a committed root, whose locks must be
    those of the items. Opens no socket. Where anything is wrong, the items stay as they are, and it exits 1.
    """
    from kagent_render.krm.resource_list import ResourceList, ResourceListError, read_resource_list
    from kagent_render.krm.results import failure

    with ending_at_sigterm() as ending, isolated(wanted=True):
        # A closed stdin is None, as what starts a program without one has it.
        data = sys.stdin.buffer.read(_LARGEST + 1) if sys.stdin is not None else b""
        try:
            given = read_resource_list(data)
            answer, results = _answer(given, strict=strict, cached=cached)
        except ResourceListError as error:
            results = [failure(str(error))]
            answer = ResourceList().dump((), results)
        _tell(results)
        ending.write_whole(answer)
    failed = any(result["severity"] == "error" for result in results)
    sys.exit(Status.FINDINGS if failed else Status.CLEAN)


def _answer(given: ResourceList, *, strict: bool, cached: bool) -> tuple[bytes, list[Result]]:
    """The ResourceList to print, and the results in it."""
    from kagent_render.cli.krm.preparation import prepare_items
    from kagent_render.krm.configuration import FunctionConfigError
    from kagent_render.krm.objects import with_objects
    from kagent_render.krm.results import failure

    try:
        prepared = prepare_items(given, strict=strict, cached=cached)
    except FunctionConfigError as error:
        results = [failure(str(error), error.hint)]
        return given.dump(given.items, results), results
    failed = any(result["severity"] == "error" for result in prepared.results)
    items = list(given.items) if failed else with_objects(given.items, prepared.objects)
    return given.dump(items, prepared.results), prepared.results


def _tell(results: list[Result]) -> None:
    """Warnings and errors on stderr, one a line: some orchestrators show nothing else."""
    for result in results:
        if result["severity"] == "info":
            continue
        reason = result.get("tags", {}).get("reason")
        label = f"{result['severity']}[{reason}]" if reason else result["severity"]
        place = result.get("file", {}).get("path")
        click.echo(f"{label}: {result['message']}{f' ({place})' if place else ''}", err=True)
        if hint := result.get("tags", {}).get("hint"):
            click.echo(f"  hint: {hint}", err=True)
