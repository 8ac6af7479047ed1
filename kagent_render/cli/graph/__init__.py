"""`kagent-render graph`: draws agents with their runtimes and what they use, or what an object reaches."""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kagent_render.cli.failure import Status
from kagent_render.cli.options import Settings, shared_options

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.cli.graph.surveyed import Surveyed
    from kagent_render.cli.report import RootReport

FORMATS = ("text", "json", "mermaid", "dot", "svg", "html")


@click.command()
@click.argument("arguments", nargs=-1, metavar="[PAIR]... [PATH]...")
@shared_options(FORMATS, takes_path=False)
@click.option(
    "--impact", "query", metavar="WHAT", help="Say what an object, file, artifact or image reaches."
)
@click.option("--brief", is_flag=True, help="Leave out what agents use.")
def command(settings: Settings, arguments: tuple[str, ...], query: str | None, brief: bool) -> None:
    """Draw the trees of pairs with their runtimes, and platform agents with their plugins.

    PAIR is namespace/harness/template, or namespace/name for a platform agent; without any, all are drawn. An
    argument that is a folder is a PATH. Pairs that cannot be prepared are drawn as far as they are known, and
    the status is 1.

    \b
    --impact WHAT is one of
      [NAMESPACE/]KIND/NAME, such as ModelConfig/default or team/ConfigMap/texts
      [NAMESPACE/]ConfigMap/NAME/KEY, or a Secret's key
      the path of a manifest
      an artifact or image: with or without its digest, tag, commit or version
    """
    paths = [Path(text) for text in arguments if Path(text).is_dir()] or [settings.path]
    names = [text for text in arguments if not Path(text).is_dir()]
    sys.exit(graph(settings, paths, names, query, brief=brief))


def graph(
    settings: Settings, paths: Sequence[Path], names: Sequence[str], query: str | None, *, brief: bool
) -> Status:
    """Draw every root that the paths mean; the status is what the program exits with."""
    from kagent_render.cli.graph.surveyed import ask, choose
    from kagent_render.cli.graph.writing import write
    from kagent_render.cli.report import print_diagnostics
    from kagent_render.cli.run import worst_status

    surveyed = _survey(settings, paths)
    if surveyed is None:
        return Status.USAGE
    if names:
        surveyed = choose(surveyed, names)
    if query is not None:
        surveyed = ask(surveyed, query)
    if settings.format != "json":
        for found in surveyed:
            print_diagnostics(found.report, settings)
    write(surveyed, settings, query, brief=brief)
    return worst_status(fault for found in surveyed for fault in found.report.diagnostics)


def _survey(settings: Settings, paths: Sequence[Path]) -> list[Surveyed] | None:
    """Every root that the paths mean, once; None where one has no valid configuration, which is then told."""
    from kagent_render.cli.graph.surveyed import Surveyed
    from kagent_render.cli.progress import showing_progress
    from kagent_render.cli.report import RootReport
    from kagent_render.cli.roots import open_roots
    from kagent_render.cli.run import prepare_root
    from kagent_render.preparation.survey import survey

    opened = [root for path in paths for root in open_roots(dataclasses.replace(settings, path=path))]
    roots = list({root.folder: root for root in opened}.values())
    broken = [RootReport(root, (), root.faults, (), halted=True) for root in roots if root.config is None]
    if broken:
        _report(broken, settings)
        return None
    found = []
    with showing_progress(wanted=settings.format == "text", colour=settings.colour) as progress:
        for root in roots:
            assert root.config is not None
            preparation = prepare_root(root, root.config, settings, progress)
            # What only `render` has to say is left to it.
            told = [fault for fault in preparation.told if fault.is_error]
            report = RootReport(root, (), [*root.faults, *told], ())
            found.append(Surveyed(root, survey(preparation, root.config), preparation, report))
    return found


def _report(reports: Sequence[RootReport], settings: Settings) -> None:
    from kagent_render.cli.report import print_diagnostics, print_json

    if settings.format == "json":
        print_json(reports)
        return
    for report in reports:
        print_diagnostics(report, settings)
