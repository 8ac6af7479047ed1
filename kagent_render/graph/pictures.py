"""The views of pairs and PlatformAgents as trees that `picture` draws, and a sheet of several of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.api.hub import Isolation
from kagent_render.diagnostics.text import printable
from kagent_render.graph.picture import STYLE, WIDTH, draw_tree, shorten
from kagent_render.graph.picture_node import Mark, PictureNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.graph.overview import AgentView, Marked, Overview, PairView, PlatformView, Use

_HEADING = 26
_AFTER = 14


def pair_picture(pair: PairView, marked: Marked = frozenset()) -> PictureNode | None:
    """The tree of a pair; None where not even its root is known."""
    root = next((agent for agent in pair.agents if agent.parent is None), None)
    return _agent(root, pair, marked) if root is not None else None


def _agent(agent: AgentView, pair: PairView, marked: Marked) -> PictureNode:
    dedicated = agent.isolation is Isolation.DEDICATED
    return PictureNode(
        agent.name,
        agent.template if agent.template != agent.name else "",
        _facts(agent.uses),
        dedicated,
        Mark.REACHED if (str(pair.pair), agent.path) in marked else None,
        pair.runtime(agent.path).actor_template if dedicated else "",
        children=tuple(_agent(child, pair, marked) for child in pair.bound_by(agent.path)),
    )


def _facts(uses: Iterable[Use]) -> tuple[str, ...]:
    """The model, and how many tools and skills."""
    found = list(uses)
    models = [use.details[0] if use.details else use.name for use in found if use.kind == "ModelConfig"]
    tools = sum(len(use.details) for use in found if use.kind in ("RemoteMCPServer", "MCPServer"))
    skills = sum(len(use.details) for use in found if use.kind == "Artifact")
    return (*models, *_counted(tools, "tool"), *_counted(skills, "skill"))


def _counted(count: int, noun: str) -> tuple[str, ...]:
    return (f"{count} {noun}{'s' if count != 1 else ''}",) if count else ()


def platform_picture(agent: PlatformView, marked: Marked = frozenset()) -> PictureNode:
    """A PlatformAgent with its plugins, which run in its pod."""
    name = str(agent.agent)
    plugins = (
        PictureNode(
            plugin.name,
            f"AgentPlugin, profile {plugin.profile}",
            tuple(filter(None, (plugin.status, *map(_image, plugin.uses)))),
            mark=Mark.REACHED if (name, plugin.name) in marked else None,
        )
        for plugin in agent.plugins
    )
    mark = Mark.REACHED if (name, "") in marked else None
    return PictureNode(agent.agent.name, "PlatformAgent", (), True, mark, children=tuple(plugins))


def _image(use: Use) -> str:
    """The last part of an image's name with its tag; empty for anything else."""
    return use.name.partition("@")[0].rpartition("/")[2] if use.kind == "Image" else ""


def draw_sheet(overviews: Iterable[Overview], width: int = WIDTH) -> str:
    """One SVG with a heading and a tree for each pair and PlatformAgent, one below the other."""
    parts, y = [], 0.0
    for name, problem, tree in _drawn(overviews):
        heading = printable(f"{name} ({problem})" if problem else name)
        parts.append(
            f'<text class="kr-name" x="8" y="{y + 18:g}">{_escaped(shorten(heading, width // 8))}</text>'
        )
        y += _HEADING
        if tree is not None:
            svg = draw_tree(tree, f"Agents of {name}", width=width)
            parts.append(f'<g transform="translate(0 {y:g})">\n{svg}</g>')
            y += float(svg.partition(' height="')[2].partition('"')[0]) + _AFTER
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="kr-picture" width="{width}" height="{y:g}" '
        f'viewBox="0 0 {width} {y:g}">\n<style>{STYLE}</style>'
    )
    return "\n".join((head, *parts, "</svg>")) + "\n"


def _drawn(overviews: Iterable[Overview]) -> Iterator[tuple[str, str, PictureNode | None]]:
    for found in overviews:
        for pair in found.pairs:
            yield found.named(pair), pair.problem, pair_picture(pair, found.marked)
        for view in found.agents:
            yield found.named(view), view.problem, platform_picture(view, found.marked)


def _escaped(text: str) -> str:
    from html import escape

    return escape(text)
