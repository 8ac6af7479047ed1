"""An overview as boxes, vertices and arrows: what Mermaid and Graphviz draw in their own ways."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kagent_render.api.hub import Isolation
from kagent_render.artifacts.source_identity import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.graph.overview import Overview, PairView, PlatformView, Use

USES: Final = "uses"


@dataclass(frozen=True, slots=True)
class Box:
    """An outline with a label; `parent` is the id of the one around it."""

    id: str
    label: str
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class Vertex:
    """A node with its lines of text; `kind` is `agent`, `plugin` or `object`, `box` the id of its outline."""

    id: str
    lines: tuple[str, ...]
    kind: str
    box: str | None = None
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Arrow:
    """A line between two vertices; `kind` is the isolation of a binding, or `uses`."""

    source: str
    target: str
    kind: str


@dataclass
class Diagram:
    """Boxes with outer ones first, vertices and arrows, each with an id that is plain text."""

    boxes: list[Box] = field(default_factory=list)
    vertices: list[Vertex] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)


def make_diagram(overviews: Iterable[Overview], *, brief: bool = False) -> Diagram:
    """Every pair and agent; what they use is one vertex for each object, unless `brief` leaves it out."""
    diagram = Diagram()
    for overview in overviews:
        drawing = _Drawing(diagram, overview, brief=brief)
        for pair in overview.pairs:
            drawing.add_pair(pair)
        for agent in overview.agents:
            drawing.add_platform(agent)
    # What a ModelConfig leads to is met again with each agent that uses the model.
    diagram.arrows = list(dict.fromkeys(diagram.arrows))
    return diagram


class _Drawing:
    """One root's part of a diagram in the making; its objects are vertices by namespace and label."""

    def __init__(self, diagram: Diagram, overview: Overview, *, brief: bool) -> None:
        self.diagram = diagram
        self._objects: dict[tuple[str, str], str] = {}
        self._overview = overview
        self._brief = brief

    def add_pair(self, pair: PairView) -> None:
        """A box for the pair, one for each runtime in it, and a vertex for each agent."""
        outer = self._box(self._overview.named(pair) + (f" ({pair.problem})" if pair.problem else ""))
        inner = {
            runtime.path: self._box(runtime.actor_template or "a runtime", outer) for runtime in pair.runtimes
        }
        ids: dict[str, str] = {}
        for agent in pair.agents:
            lines = (agent.name,) if agent.name == agent.template else (agent.name, agent.template)
            marked = (str(pair.pair), agent.path) in self._overview.marked
            ids[agent.path] = self._vertex(lines, "agent", inner.get(agent.boundary, outer), marked=marked)
            if agent.parent is not None:
                self.diagram.arrows.append(Arrow(ids[agent.parent], ids[agent.path], agent.isolation))
            self._add_uses(ids[agent.path], pair.pair.namespace, agent.uses)
        if "" in ids:
            self._add_uses(ids[""], pair.pair.namespace, pair.harness.uses)

    def add_platform(self, agent: PlatformView) -> None:
        """A box for the PlatformAgent with a vertex for it and for each of its plugins."""
        box = self._box(self._overview.named(agent) + (f" ({agent.problem})" if agent.problem else ""))
        marked = (str(agent.agent), "") in self._overview.marked
        head = self._vertex((agent.agent.name, "PlatformAgent"), "agent", box, marked=marked)
        for plugin in agent.plugins:
            lines = tuple(filter(None, (plugin.name, f"AgentPlugin, {plugin.profile}", plugin.status)))
            marked = (str(agent.agent), plugin.name) in self._overview.marked
            own = self._vertex(lines, "plugin", box, marked=marked)
            self.diagram.arrows.append(Arrow(head, own, Isolation.SHARED))
            self._add_uses(own, agent.agent.namespace, plugin.uses)

    def _add_uses(self, user: str, namespace: str, uses: Iterable[Use]) -> None:
        for use in () if self._brief else uses:
            target = self._object(use.place(namespace), use.label, use)
            source = self._object(namespace, use.through) if use.through else user
            self.diagram.arrows.append(Arrow(source, target, USES))

    def _object(self, namespace: str, label: str, use: Use | None = None) -> str:
        known = self._objects.get((namespace, label))
        if known is None:
            kind, _, name = label.partition("/")
            details = use.details if use is not None and kind == "ModelConfig" else ()
            known = self._vertex((shortened(name), kind, *details[:1]), "object", None)
            self._objects[namespace, label] = known
        return known

    def _box(self, label: str, parent: str | None = None) -> str:
        box = Box(f"b{len(self.diagram.boxes)}", label, parent)
        self.diagram.boxes.append(box)
        return box.id

    def _vertex(self, lines: tuple[str, ...], kind: str, box: str | None, *, marked: bool = False) -> str:
        vertex = Vertex(f"n{len(self.diagram.vertices)}", lines, kind, box, marked)
        self.diagram.vertices.append(vertex)
        return vertex.id
