"""Draws the pairs of a root: each with its tree, its boundaries and its revision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kagent_render.api.hub import Isolation
from kagent_render.diagnostics.style import Style

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.cli.options import Settings
    from kagent_render.cli.report import PairReport, RootReport
    from kagent_render.graph.tree import Node

_LONGEST = max(map(len, Isolation))
_DRAWN = 12
"""Pairs up to which each is drawn; more of them are only counted unless asked for."""


def print_pairs(report: RootReport, settings: Settings) -> None:
    """Draw every pair that prepared, on stderr."""
    prepared = [pair for pair in report.pairs if pair.revision is not None]
    if len(prepared) > _DRAWN and not settings.verbose:
        return
    style = Style(settings.colour)
    width = max((len(line) for pair in prepared for line, _ in _lines(pair)), default=0)
    for pair in prepared:
        for line, note in _lines(pair):
            click.echo(
                f"{line}{' ' * (width - len(line))}  {style.dim(note)}".rstrip(),
                err=True,
                color=settings.colour,
            )


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
