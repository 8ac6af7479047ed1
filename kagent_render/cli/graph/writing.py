"""Writes what was surveyed: as text, as JSON, or as a drawing."""

from __future__ import annotations

import dataclasses
import os
import sys
from typing import TYPE_CHECKING

import click

from kagent_render.cli.options import Settings, wants_colour

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.cli.graph.surveyed import Surveyed
    from kagent_render.graph.overview import Overview


def write(surveyed: Sequence[Surveyed], settings: Settings, query: str | None, *, brief: bool) -> None:
    """Write every root in the format that was asked for; `query` is the question that was answered."""
    if settings.format == "json":
        _print_json(surveyed, query)
    elif settings.format == "text":
        _print_text(surveyed, settings, query, brief=brief)
    else:
        click.echo(_drawn(_overviews(surveyed), settings.format, query, brief=brief), nl=False)


def _overviews(surveyed: Sequence[Surveyed]) -> list[Overview]:
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


def _print_text(surveyed: Sequence[Surveyed], settings: Settings, query: str | None, *, brief: bool) -> None:
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


def _summarize(surveyed: Sequence[Surveyed], query: str) -> None:
    from kagent_render.cli.report import counted
    from kagent_render.diagnostics.text import printable

    pairs = sum(len(found.overview.pairs) for found in surveyed)
    agents = sum(len(found.overview.agents) for found in surveyed)
    reached = counted(pairs, agents) if pairs or agents else "nothing"
    click.echo(f"{printable(query)} reaches {reached}", err=True)


def _print_json(surveyed: Sequence[Surveyed], query: str | None) -> None:
    from kagent_render.cli.graph.document import impact_document, overview_document
    from kagent_render.cli.report import print_document

    if query is not None:
        impacts = [found.impact for found in surveyed if found.impact is not None]
        subject = impact_document(impacts)
    else:
        subject = overview_document([found.overview for found in surveyed])
    print_document(subject, [found.report for found in surveyed])
