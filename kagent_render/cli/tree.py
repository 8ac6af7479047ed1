"""Draws what a root prepared: pairs with their trees and boundaries, PlatformAgents with their plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kagent_render.api.hub import Isolation
from kagent_render.artifacts.source_identity import shortened
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
    """Draw every PlatformAgent that prepared with its plugins, on stderr."""
    prepared = [agent for agent in report.agents if agent.compiled is not None]
    if len(prepared) > _DRAWN and not settings.verbose:
        return
    style = Style(settings.colour)
    for agent in prepared:
        heading = f"{agent.agent}  {style.dim(shortened(agent.revision or ''))}".rstrip()
        for line in (heading, *_plugin_lines(agent, style)):
            click.echo(line, err=True, color=settings.colour)


def binding_note(isolation: Isolation, template: str) -> str:
    """What stands beside a binding: its isolation, its template and whose runtime it has."""
    runs = "a runtime of its own" if isolation is Isolation.DEDICATED else "in its parent's runtime"
    return f"{isolation:<{_LONGEST}}  {template}, {runs}"


def _plugin_lines(report: AgentReport, style: Style) -> Iterator[str]:
    """A row for each plugin: its name, its status, its profile and the digest of its image."""
    from kagent_render.agentplugin.profiles import DEFAULT  # a root of pairs alone loads none of it

    assert report.compiled is not None
    statuses = report.compiled.statuses
    names = max((len(printable(status.plugin.name)) for status in statuses), default=0)
    reasons = max((len(status.reason) for status in statuses), default=0)
    profiles = max((len(status.plugin.profile or DEFAULT) for status in statuses), default=0)
    for index, status in enumerate(statuses):
        branch = "└─" if index == len(statuses) - 1 else "├─"
        image = report.compiled.image_of(status.plugin)
        digest = shortened(image.digest) if image is not None else ""
        reason = (style.dim if status.is_ready else style.bad)(f"{status.reason:<{reasons}}")
        rest = f"{status.plugin.profile or DEFAULT:<{profiles}}  {digest}".rstrip()
        yield f"{branch} {printable(status.plugin.name):<{names}}  {reason}  {style.dim(rest)}"


def _draw(lines: Sequence[tuple[str, str]], settings: Settings) -> None:
    """Write each line with its note, the notes one below the other."""
    style = Style(settings.colour)
    width = max((len(line) for line, _ in lines), default=0)
    for line, note in lines:
        text = f"{line}{' ' * (width - len(line))}  {style.dim(note)}".rstrip()
        click.echo(text, err=True, color=settings.colour)


def _lines(pair: PairReport) -> Iterator[tuple[str, str]]:
    yield str(pair.pair), shortened(pair.revision or "")
    if pair.root is not None:
        yield from _below(pair.root, "")


def _below(node: Node, indent: str) -> Iterator[tuple[str, str]]:
    for index, child in enumerate(node.children):
        last = index == len(node.children) - 1
        name = f"{indent}{'└─' if last else '├─'} {child.name}"
        yield name, binding_note(child.isolation, child.template.name)
        yield from _below(child, indent + ("   " if last else "│  "))
