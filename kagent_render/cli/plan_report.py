"""What a planned root reports before anything is written, wherever its output goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.cli.report import RootReport
from kagent_render.cli.run import reported_agents, reported_pairs
from kagent_render.diagnostics.diagnostic import Diagnostic, PairRef, distinct, escalate
from kagent_render.preparation.in_use import knows_what_is_in_use

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.cli.run import RootRun
    from kagent_render.emit.layout import Owner
    from kagent_render.preparation.flow import Preparation


def may_be_planned(preparation: Preparation, *, keep_going: bool) -> bool:
    """Whether what prepared may be written; never where a removal could take what an instance needs."""
    return not preparation.failed or (keep_going and knows_what_is_in_use(preparation.diagnostics))


def unplanned_report(run: RootRun) -> RootReport:
    """The report of a root of which nothing may be written, because something did not prepare."""
    return _report(run, distinct([*run.root.faults, *run.preparation.told]), {}, halted=True)


def planned_report(
    run: RootRun,
    hindered: Mapping[Owner, Sequence[Diagnostic]],
    hindrances: Sequence[Diagnostic],
    *,
    strict: bool,
) -> RootReport:
    """The report of a plan; `hindered` must stay as they are, and an error among `hindrances` halts it."""
    hindrances = escalate(hindrances, strict=strict)
    own = [found for findings in hindered.values() for found in findings]
    told = distinct([*run.root.faults, *run.diagnostics, *own, *hindrances])
    return _report(run, told, hindered, halted=any(found.is_error for found in hindrances))


def _report(
    run: RootRun,
    told: Sequence[Diagnostic],
    hindered: Mapping[Owner, Sequence[Diagnostic]],
    *,
    halted: bool,
) -> RootReport:
    pairs = {owner: found for owner, found in hindered.items() if isinstance(owner, PairRef)}
    agents = {owner: found for owner, found in hindered.items() if not isinstance(owner, PairRef)}
    return RootReport(
        run.root,
        reported_pairs(run.preparation, run, pairs),
        told,
        (),
        agents=reported_agents(run.preparation, run, agents),
        orphans=run.preparation.agents.orphans,
        halted=halted,
    )
