"""`kagent-render graph`: draws agents with their runtimes and what they use, or what an object reaches."""

from __future__ import annotations

import dataclasses
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kagent_render.cli.failure import EnvironmentFailure, Status
from kagent_render.cli.options import Settings, shared_options, wants_colour

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kagent_render.cli.report import RootReport
    from kagent_render.cli.roots import Root
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.graph.impact import Impact
    from kagent_render.graph.overview import Overview
    from kagent_render.preparation.flow import Preparation

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


@dataclass(frozen=True, slots=True)
class _Surveyed:
    """One root with what is drawn of it; `impact` where it was asked for."""

    root: Root
    overview: Overview
    preparation: Preparation
    report: RootReport
    impact: Impact | None = None


def graph(
    settings: Settings, paths: Sequence[Path], names: Sequence[str], query: str | None, *, brief: bool
) -> Status:
    """Draw every root that the paths mean; the status is what the program exits with."""
    from kagent_render.cli.report import print_diagnostics
    from kagent_render.cli.run import worst_status

    surveyed = _survey(settings, paths)
    if surveyed is None:
        return Status.USAGE
    if names:
        surveyed = _choose(surveyed, names)
    if query is not None:
        surveyed = _ask(surveyed, query)
    if settings.format != "json":
        for found in surveyed:
            print_diagnostics(found.report, settings)
    _write(surveyed, settings, query, brief=brief)
    return worst_status(fault for found in surveyed for fault in found.report.diagnostics)


def _survey(settings: Settings, paths: Sequence[Path]) -> list[_Surveyed] | None:
    """Every root that the paths mean, once; None where one has no valid configuration, which is then told."""
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
            found.append(_Surveyed(root, survey(preparation, root.config), preparation, report))
    return found


def _report(reports: Sequence[RootReport], settings: Settings) -> None:
    from kagent_render.cli.report import print_diagnostics, print_json

    if settings.format == "json":
        print_json(reports)
        return
    for report in reports:
        print_diagnostics(report, settings)


def _choose(surveyed: Sequence[_Surveyed], names: Sequence[str]) -> list[_Surveyed]:
    """What has one of the names, which all have to be known, with the faults that are about it."""
    known = {str(pair.pair) for found in surveyed for pair in found.overview.pairs}
    known |= {str(view.agent) for found in surveyed for view in found.overview.agents}
    for name in names:
        if name not in known:
            raise _unknown(name, known)
    return [_chosen(found, names) for found in surveyed]


def _chosen(found: _Surveyed, names: Sequence[str]) -> _Surveyed:
    overview = found.overview
    pairs = tuple(pair for pair in overview.pairs if str(pair.pair) in names)
    agents = tuple(view for view in overview.agents if str(view.agent) in names)
    chosen = dataclasses.replace(overview, pairs=pairs, agents=agents)
    report = dataclasses.replace(found.report, diagnostics=_faults_of(found, names))
    return dataclasses.replace(found, overview=chosen, report=report)


def _faults_of(found: _Surveyed, names: Sequence[str]) -> list[Diagnostic]:
    """What is about the chosen, or about no pair: a fault that several pairs share is told as one's."""
    from kagent_render.diagnostics.diagnostic import distinct

    own = [fault for pair in found.preparation.pairs if str(pair.pair) in names for fault in pair.diagnostics]
    general = [fault for fault in found.report.diagnostics if fault.pair is None]
    return distinct([*general, *(fault for fault in own if fault.is_error)])


def _unknown(name: str, known: Iterable[str]) -> EnvironmentFailure:
    from kagent_render.diagnostics.text import printable
    from kagent_render.graph.nearest import nearest_name

    near = nearest_name(name, sorted(known))
    written = "write a pair as `namespace/harness/template`, a platform agent as `namespace/name`"
    hint = f"did you mean `{near}`?" if near else written
    return EnvironmentFailure(f"`{printable(name)}` is neither a pair, a platform agent nor a folder", hint)


def _ask(surveyed: Sequence[_Surveyed], query: str) -> list[_Surveyed]:
    """Every root with what the question's object reaches, and only that to draw."""
    from kagent_render.graph.impact import Dependencies

    found, known = [], set()
    for one in surveyed:
        dependencies = Dependencies(one.overview)
        origins = dependencies.find(query) or dependencies.find_file(_from_root(query, one.root))
        known |= set(dependencies.known())
        if origins:
            found.append((one, dependencies.impact(origins)))
    if not found:
        raise _nothing(query, known)
    return [_reached(one, impact) for one, impact in found]


def _reached(one: _Surveyed, impact: Impact) -> _Surveyed:
    names = [reach.subject for reach in impact.reached]
    return dataclasses.replace(_chosen(one, names), impact=impact, report=one.report)


def _from_root(path: str, root: Root) -> str:
    """A path as it is typed, from a root; links on the way to its folder count as where they lead."""
    typed = Path(path)
    try:
        real = typed.parent.resolve() / typed.name
    except (OSError, ValueError):
        return path
    return os.path.relpath(real, root.folder).replace(os.sep, "/")


def _nothing(query: str, known: Iterable[str]) -> EnvironmentFailure:
    from kagent_render.diagnostics.text import printable
    from kagent_render.graph.nearest import nearest_name

    near = nearest_name(query, sorted(known))
    written = "write `[NAMESPACE/]KIND/NAME`, the path of a manifest, an artifact or an image"
    hint = f"did you mean `{near}`?" if near else written
    return EnvironmentFailure(f"no manifest has or uses `{printable(query)}`", hint)


def _write(surveyed: Sequence[_Surveyed], settings: Settings, query: str | None, *, brief: bool) -> None:
    if settings.format == "json":
        _print_json(surveyed, query)
    elif settings.format == "text":
        _print_text(surveyed, settings, query, brief=brief)
    else:
        click.echo(_drawn(_overviews(surveyed), settings.format, query, brief=brief), nl=False)


def _overviews(surveyed: Sequence[_Surveyed]) -> list[Overview]:
    """All roots for one drawing, named where there are several."""
    named = len(surveyed) > 1
    return [
        dataclasses.replace(
            found.overview,
            root=os.path.relpath(found.root.folder) if named else "",
            marked=found.impact.marked if found.impact is not None else frozenset(),
        )
        for found in surveyed
    ]


def _drawn(overviews: Sequence[Overview], form: str, query: str | None, *, brief: bool) -> str:
    if form == "html":
        from kagent_render.graph.page import write_page

        return write_page(overviews, f"What {query} reaches" if query else "Agents")
    if form == "svg":
        from kagent_render.graph.pictures import draw_sheet

        return draw_sheet(overviews)
    from kagent_render.graph.diagram import make_diagram
    from kagent_render.graph.dot import write_dot
    from kagent_render.graph.mermaid import write_mermaid

    diagram = make_diagram(overviews, brief=brief)
    return write_dot(diagram) if form == "dot" else write_mermaid(diagram)


def _print_text(surveyed: Sequence[_Surveyed], settings: Settings, query: str | None, *, brief: bool) -> None:
    from kagent_render.cli.graph.text import impact_lines, overview_lines
    from kagent_render.diagnostics.style import Style
    from kagent_render.diagnostics.text import printable

    colour = wants_colour(settings.colour_choice, sys.stdout)
    style = Style(colour)
    for found in surveyed:
        if len(surveyed) > 1:
            click.echo(style.bold(f"# {printable(os.path.relpath(found.root.folder))}"), color=colour)
        lines = (
            impact_lines(found.impact, style)
            if found.impact is not None
            else overview_lines(found.overview, style, brief=brief)
        )
        for line in lines:
            click.echo(line, color=colour)
    if query is not None:
        _summarize(surveyed, query)


def _summarize(surveyed: Sequence[_Surveyed], query: str) -> None:
    from kagent_render.cli.report import counted
    from kagent_render.diagnostics.text import printable

    pairs = sum(len(found.overview.pairs) for found in surveyed)
    agents = sum(len(found.overview.agents) for found in surveyed)
    reached = counted(pairs, agents) if pairs or agents else "nothing"
    click.echo(f"{printable(query)} reaches {reached}", err=True)


def _print_json(surveyed: Sequence[_Surveyed], query: str | None) -> None:
    from kagent_render.cli.graph.document import impact_document, overview_document
    from kagent_render.cli.report import print_document

    if query is not None:
        impacts = [found.impact for found in surveyed if found.impact is not None]
        subject = impact_document(impacts)
    else:
        subject = overview_document([found.overview for found in surveyed])
    print_document(subject, [found.report for found in surveyed])
