"""Prints what `commit` did: data on stdout, all else on stderr."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from kagent_render.cli.report import (
    counted,
    document_of,
    prepared_subjects,
    print_diagnostics,
    print_summary,
)
from kagent_render.cli.tree import print_agents, print_pairs

if TYPE_CHECKING:
    from kagent_render.cli.commit.rendering import Rendered
    from kagent_render.cli.options import Settings


@dataclass(frozen=True, slots=True)
class Committed:
    """What was done to a branch: it led to `old`, and leads to `new`; None where there is no such branch.

    `pushed` is the remote that took it, `source` the commit that was rendered. `behind`: that was not done,
    since the branch has the output of a later one.
    """

    branch: str
    source: str
    old: str | None
    new: str | None
    rendered: Rendered
    pushed: str | None = None
    dry: bool = False
    behind: bool = False


def print_committed(done: Committed, settings: Settings) -> None:
    """One JSON object, or what was found and a last line for each root."""
    if settings.format == "json":
        _print_json(done)
        return
    reports = done.rendered.reports
    for report in reports:
        print_diagnostics(report, settings)
        if not done.rendered.stopped:
            print_pairs(report, settings)
            print_agents(report, settings)
        pairs = sum(pair.revision is not None for pair in report.pairs)
        agents = sum(agent.revision is not None for agent in report.agents)
        text = "nothing was committed" if done.rendered.stopped else f"{counted(pairs, agents)} prepared"
        print_summary(text, report, settings, named=len(reports) > 1, stopped=done.rendered.stopped)
    if not done.rendered.stopped:
        click.echo(f"  {_done(done)}", err=True)


def _print_json(done: Committed) -> None:
    subject = {
        "branch": done.branch,
        "source": done.source,
        "old": done.old,
        "new": done.new,
        "pushed": done.pushed,
        **prepared_subjects(done.rendered.reports),
    }
    document = document_of(subject, done.rendered.reports)
    document["changed"] = sorted(done.rendered.changes)
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def _done(done: Committed) -> str:
    """What became of the branch, in words."""
    count = len(done.rendered.changes)
    files = f"{count} file{'s' if count != 1 else ''}"
    source = done.source[:12]
    if done.behind:
        return f"`{done.branch}` has the output of a commit after {source}: it stays"
    if done.dry:
        return f"{files} of `{done.branch}` would change" if count else f"`{done.branch}` is current"
    if done.new is None:
        return f"`{done.branch}` was not made: there is nothing to commit"
    to = f", pushed to {done.pushed}" if done.pushed else ""
    if not count:
        return f"`{done.branch}` is current at {done.new[:12]}{to}"
    made = "made with" if done.old is None else "changed in"
    return f"`{done.branch}` is at {done.new[:12]}, {made} {files} from {source}{to}"
