"""What is drawn of each root, and what is left of it where somebody asks for a part."""

from __future__ import annotations

import dataclasses
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kagent_render.cli.failure import EnvironmentFailure

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kagent_render.cli.report import RootReport
    from kagent_render.cli.roots import Root
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.graph.impact import Impact
    from kagent_render.graph.overview import Overview
    from kagent_render.preparation.flow import Preparation


@dataclass(frozen=True, slots=True)
class Surveyed:
    """One root with what is drawn of it; `impact` where it was asked for."""

    root: Root
    overview: Overview
    preparation: Preparation
    report: RootReport
    impact: Impact | None = None


def choose(surveyed: Sequence[Surveyed], names: Sequence[str]) -> list[Surveyed]:
    """What has one of the names, which all have to be known, with the faults that are about it."""
    known = {str(pair.pair) for found in surveyed for pair in found.overview.pairs}
    known |= {str(view.agent) for found in surveyed for view in found.overview.agents}
    for name in names:
        if name not in known:
            raise _unknown(name, known)
    return [_chosen(found, names) for found in surveyed]


def _chosen(found: Surveyed, names: Sequence[str]) -> Surveyed:
    overview = found.overview
    pairs = tuple(pair for pair in overview.pairs if str(pair.pair) in names)
    agents = tuple(view for view in overview.agents if str(view.agent) in names)
    chosen = dataclasses.replace(overview, pairs=pairs, agents=agents)
    report = dataclasses.replace(found.report, diagnostics=_faults_of(found, names))
    return dataclasses.replace(found, overview=chosen, report=report)


def _faults_of(found: Surveyed, names: Sequence[str]) -> list[Diagnostic]:
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


def ask(surveyed: Sequence[Surveyed], query: str) -> list[Surveyed]:
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


def _reached(one: Surveyed, impact: Impact) -> Surveyed:
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
