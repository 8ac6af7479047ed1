"""Draws overviews with box characters: trees with their runtimes, and what each agent uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.api.hub import Isolation
from kagent_render.artifacts.source_identity import shortened
from kagent_render.cli.tree import binding_note
from kagent_render.diagnostics.text import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.diagnostics.style import Style
    from kagent_render.graph.impact import Impact
    from kagent_render.graph.overview import AgentView, Overview, PairView, PlatformView, Use

_KIND = len("RemoteMCPServer")


def overview_lines(overview: Overview, style: Style, *, brief: bool) -> Iterator[str]:
    """Every pair and PlatformAgent; `brief` leaves out what they use."""
    drawn = [_pair(pair, style, brief=brief) for pair in overview.pairs]
    drawn += [_platform(agent, style, brief=brief) for agent in overview.agents]
    for index, lines in enumerate(drawn):
        if index and not brief:
            yield ""
        yield from lines


def impact_lines(impact: Impact, style: Style) -> Iterator[str]:
    """Each subject that is reached with the ways to it."""
    for reach in impact.reached:
        yield style.bold(printable(reach.subject))
        for index, way in enumerate(reach.ways):
            branch = "└─" if index == len(reach.ways) - 1 else "├─"
            steps = " → ".join(printable(shortened(step)) for step in way.steps)
            bound = f", bound as {printable(way.agent)}" if way.agent and way.steps else ""
            yield f"{branch} {steps}{style.dim(bound)}"


def _pair(pair: PairView, style: Style, *, brief: bool) -> Iterator[str]:
    yield _heading(str(pair.pair), pair.problem, style)
    root = next((agent for agent in pair.agents if agent.parent is None), None)
    if root is not None:
        if not brief:
            margin = "│  " if pair.bound_by("") else "   "
            own = (
                _row("Harness", pair.harness.label),
                *_uses(pair.harness.uses),
                *_runtime(pair, ""),
                *_uses(root.uses),
            )
            yield from (style.dim(f"{margin}{line}") for line in own)
        yield from _below(root, pair, "", style, brief=brief)


def _heading(name: str, problem: str, style: Style) -> str:
    state = style.bad(f"✗ {problem}") if problem else style.good("✓")
    return f"{style.bold(printable(name))}  {state}"


def _below(agent: AgentView, pair: PairView, indent: str, style: Style, *, brief: bool) -> Iterator[str]:
    """The agents that one binds, each with what it uses and with what it binds itself."""
    children = pair.bound_by(agent.path)
    width = max((len(printable(child.name)) for child in children), default=0)
    for index, child in enumerate(children):
        last = index == len(children) - 1
        dedicated = child.isolation is Isolation.DEDICATED
        note = binding_note(child.isolation, printable(child.template))
        yield f"{indent}{'└─' if last else '├─'} {printable(child.name):<{width}}  {style.dim(note)}"
        deeper = indent + ("   " if last else "│  ")
        if not brief:
            margin = deeper + ("│  " if pair.bound_by(child.path) else "   ")
            own = (*(_runtime(pair, child.path) if dedicated else ()), *_uses(child.uses))
            yield from (style.dim(f"{margin}{line}") for line in own)
        yield from _below(child, pair, deeper, style, brief=brief)


def _platform(view: PlatformView, style: Style, *, brief: bool) -> Iterator[str]:
    yield _heading(str(view.agent), view.problem, style)
    width = max((len(printable(plugin.name)) for plugin in view.plugins), default=0)
    for index, plugin in enumerate(view.plugins):
        last = index == len(view.plugins) - 1
        state = (style.dim if plugin.ready else style.bad)(plugin.status or "not known")
        profile = style.dim(f"profile {plugin.profile}")
        yield f"{'└─' if last else '├─'} {printable(plugin.name):<{width}}  {state}  {profile}"
        for line in () if brief else _uses(plugin.uses):
            yield style.dim(f"{'   ' if last else '│  '}   {line}")


def _runtime(pair: PairView, path: str) -> Iterator[str]:
    """The ActorTemplate of a boundary, where it may connect, and which headers get credentials there."""
    runtime = pair.runtime(path)
    if runtime.actor_template:
        yield _row("ActorTemplate", runtime.actor_template)
        for index, origin in enumerate(runtime.egress):
            yield _row("" if index else "  egress", origin)
        for index, bound in enumerate(runtime.bindings):
            yield _row("" if index else "  credentials", bound)


def _uses(uses: Iterable[Use]) -> Iterator[str]:
    """A row for each use; what is used through another object stands below that, further in."""
    for use in uses:
        keys = f" [{', '.join(use.keys)}]" if use.keys else ""
        details = f" ({shortened(', '.join(use.details))})" if use.details else ""
        yield _row(f"{'  ' if use.through else ''}{use.kind}", f"{shortened(use.name)}{keys}{details}")


def _row(kind: str, text: str) -> str:
    return f"{printable(kind):<{_KIND}}  {printable(text)}"
