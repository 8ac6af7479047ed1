"""Draws what a root prepared: pairs with their trees and boundaries, PlatformAgents with their plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kagent_render.api.hub import Isolation
from kagent_render.diagnostics.style import Style
from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kagent_render.cli.options import Settings
    from kagent_render.cli.report import AgentReport, PairReport, RootReport
    from kagent_render.graph.tree import Node

_LONGEST = max(map(len, Isolation))
_DRAWN = 12
"""Pairs up to which each is drawn; more of them are only counted unless asked for."""


def print_pairs(report: RootReport, settings: Settings) -> None:
    """Draw every pair that prepared, on stderr."""
    prepared = [pair for pair in report.pairs if pair.revision is not None]
    if len(prepared) > _DRAWN and not settings.verbose:
        return
    _draw([line for pair in prepared for line in _lines(pair)], settings)


def print_agents(report: RootReport, settings: Settings) -> None:
    """Draw every PlatformAgent that prepared, on stderr."""
    prepared = [agent for agent in report.agents if agent.compiled is not None]
    if len(prepared) <= _DRAWN or settings.verbose:
        _draw([line for agent in prepared for line in _agent_lines(agent)], settings)


def _draw(lines: Sequence[tuple[str, str]], settings: Settings) -> None:
    """Write each line with its note, the notes one below the other."""
    style = Style(settings.colour)
    width = max((len(line) for line, _ in lines), default=0)
    for line, note in lines:
        text = f"{line}{' ' * (width - len(line))}  {style.dim(note)}".rstrip()
        click.echo(text, err=True, color=settings.colour)


def _agent_lines(report: AgentReport) -> Iterator[tuple[str, str]]:
    assert report.compiled is not None
    yield str(report.agent), (report.revision or "")[:19]
    statuses = report.compiled.statuses
    reason = max((len(status.reason) for status in statuses), default=0)
    for index, status in enumerate(statuses):
        plugin = status.plugin
        image = report.compiled.images.get(plugin.image)
        pinned = f", {image.digest[:19]}" if image is not None else ""
        branch = "└─" if index == len(statuses) - 1 else "├─"
        note = f"{status.reason:<{reason}}  {plugin.profile or 'default'} profile{pinned}"
        yield f"{branch} {printable(plugin.name)}", note


def _lines(pair: PairReport) -> Iterator[tuple[str, str]]:
    yield str(pair.pair), (pair.revision or "")[:19]
    if pair.root is not None:
        yield from _below(pair.root, "")


def _below(node: Node, indent: str) -> Iterator[tuple[str, str]]:
    for index, child in enumerate(node.children):
        last = index == len(node.children) - 1
        dedicated = child.isolation is Isolation.DEDICATED
        runs = "a runtime of its own" if dedicated else "in its parent's runtime"
        name = f"{indent}{'└─' if last else '├─'} {child.name}"
        yield name, f"{child.isolation:<{_LONGEST}}  {child.template.name}, {runs}"
        yield from _below(child, indent + ("   " if last else "│  "))
