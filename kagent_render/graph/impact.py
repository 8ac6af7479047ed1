"""What an object reaches: which pairs and PlatformAgents depend on it, and on what way.

Edges lead from what is used to who uses it. Keys of ConfigMaps stand between the object and those who read
them, so that a question about one key is not answered with the readers of another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import networkx as nx

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from kagent_render.graph.overview import Overview, PairView, PlatformView, Use

    Vertex = tuple[str, ...]
    Graph = nx.DiGraph[Vertex]

_OBJECT: Final = "object"
_KEY: Final = "key"
_ANY_KEY: Final = "any key"
_FILE: Final = "file"
_SPELLING: Final = "spelling"
_AGENT: Final = "agent"
_SUBJECT: Final = "subject"
_CLUSTER: Final = ""
"""The namespace of what has none."""

_MOST_WAYS: Final = 64


@dataclass(frozen=True, slots=True)
class Way:
    """One way to a subject: labels from what was asked for to the last object, and the agent that uses it.

    `agent` is a binding path or a plugin's name, None where the way leads to the subject as a whole.
    """

    steps: tuple[str, ...]
    agent: str | None = None


@dataclass(frozen=True, slots=True)
class Reach:
    """One pair or PlatformAgent that is reached; `subject` is its name."""

    subject: str
    ways: tuple[Way, ...]


@dataclass(frozen=True, slots=True)
class Impact:
    """What was asked for, as `NAMESPACE/KIND/NAME`, and all that it reaches, in the order of the overview."""

    origins: tuple[str, ...]
    reached: tuple[Reach, ...]

    @property
    def marked(self) -> frozenset[tuple[str, str]]:
        """The agents and plugins that are reached, as `make_diagram` takes them."""
        return frozenset((reach.subject, way.agent or "") for reach in self.reached for way in reach.ways)


class Dependencies:
    """The graph of one root's dependencies."""

    def __init__(self, overview: Overview) -> None:
        self._graph: Graph = nx.DiGraph()
        self._subjects: list[str] = []
        self._config = (_OBJECT, _CLUSTER, "RenderConfig", "kagent-render")
        self._defined_in(self._config, overview.config)
        for known in overview.objects:
            self._defined_in((_OBJECT, known.namespace, known.kind, known.name), known.path)
        for use in overview.settings:
            self._used(use, self._config, _CLUSTER)
        for pair in overview.pairs:
            self._add_pair(pair)
        for view in overview.agents:
            self._add_platform(view)

    def find(self, query: str) -> list[Vertex]:
        """What a question is about: `[NAMESPACE/]KIND/NAME[/KEY]`, an artifact, an image, or one's digest."""
        found = self._objects(query)
        named = (_SPELLING, query)
        return found or [vertex for vertex in (named,) if vertex in self._graph]

    def find_file(self, path: str) -> list[Vertex]:
        """A source file, by its path from the root."""
        return [vertex for vertex in ((_FILE, path),) if vertex in self._graph]

    def known(self) -> list[str]:
        """The label of every object."""
        return sorted({"/".join(vertex[2:]) for vertex in self._graph if vertex[0] == _OBJECT})

    def impact(self, origins: Collection[Vertex]) -> Impact:
        """What a change of any of the origins reaches."""
        ways: dict[str, list[Way]] = {}
        for origin in origins:
            for subject, way in self._ways(origin):
                known = ways.setdefault(subject, [])
                if way not in known and len(known) < _MOST_WAYS:
                    known.append(way)
        reached = (Reach(name, tuple(ways[name])) for name in self._subjects if name in ways)
        return Impact(tuple(dict.fromkeys(map(_place, origins))), tuple(reached))

    def _ways(self, origin: Vertex) -> Iterator[tuple[str, Way]]:
        """Every simple way to an agent, or to a subject without one."""
        after = nx.descendants(self._graph, origin)
        targets = {vertex for vertex in after if vertex[0] in (_AGENT, _SUBJECT)}
        near = self._graph.subgraph({origin, *after})
        found: dict[Vertex, list[Way]] = {}
        for path in nx.all_simple_paths(near, origin, targets) if targets else ():
            steps = tuple(dict.fromkeys(filter(None, map(_label, path[:-1]))))
            agent = path[-1][2] if path[-1][0] == _AGENT else None
            found.setdefault(path[-1], []).append(Way(steps, agent))
        for target in self._graph:
            yield from ((target[1], way) for way in found.get(target, ()))

    def _objects(self, query: str) -> list[Vertex]:
        parts = query.split("/")
        for start, namespace in ((0, None), (1, parts[0])):
            kind, rest = "".join(parts[start : start + 1]), parts[start + 1 :]
            if len(rest) >= 1 and (found := self._of_kind(kind, rest, namespace)):
                return found
        return []

    def _of_kind(self, kind: str, rest: list[str], namespace: str | None) -> list[Vertex]:
        same = [
            vertex
            for vertex in self._graph
            if vertex[0] == _OBJECT
            and vertex[2].casefold() == kind.casefold()
            and namespace in (None, vertex[1])
        ]
        whole = [vertex for vertex in same if vertex[3] == "/".join(rest)]
        if whole or len(rest) != 2:
            return whole
        keyed = [(_KEY, *vertex[1:], rest[1]) for vertex in same if vertex[3] == rest[0]]
        unknown = [(_ANY_KEY, *vertex[1:]) for vertex in same if vertex[3] == rest[0]]
        return [vertex for vertex in (*keyed, *unknown) if vertex in self._graph]

    def _add_pair(self, pair: PairView) -> None:
        namespace, name = pair.pair.namespace, str(pair.pair)
        subject = (_SUBJECT, name)
        self._subjects.append(name)
        self._graph.add_edge(self._config, subject)
        harness = (_OBJECT, namespace, "Harness", pair.harness.name)
        self._graph.add_edge(harness, subject)
        self._defined_in(harness, pair.harness.source)
        self._use_all(pair.harness.uses, harness, namespace)
        for agent in pair.agents:
            template = (_OBJECT, namespace, "AgentTemplate", agent.template)
            own = (_AGENT, name, agent.path)
            self._defined_in(template, agent.source)
            self._graph.add_edge(template, own)
            self._use_all(agent.uses, template, namespace)

    def _add_platform(self, view: PlatformView) -> None:
        namespace, name = view.agent.namespace, str(view.agent)
        subject = (_SUBJECT, name)
        self._subjects.append(name)
        self._graph.add_edge(self._config, subject)
        agent = (_OBJECT, namespace, "PlatformAgent", view.agent.name)
        self._graph.add_edge(agent, subject)
        self._defined_in(agent, view.source)
        for plugin in view.plugins:
            own = (_OBJECT, namespace, "AgentPlugin", plugin.name)
            self._defined_in(own, plugin.source)
            self._graph.add_edge(own, (_AGENT, name, plugin.name))
            self._use_all(plugin.uses, own, namespace)

    def _use_all(self, uses: Iterable[Use], user: Vertex, namespace: str) -> None:
        for use in uses:
            self._used(use, user, namespace)

    def _used(self, use: Use, user: Vertex, namespace: str) -> None:
        used = (_OBJECT, use.place(namespace), use.kind, use.name)
        if use.through:
            kind, _, name = use.through.partition("/")
            user = (_OBJECT, namespace, kind, name)
        self._defined_in(used, use.path)
        for spelling in (*use.spellings, *((use.name,) if use.spellings else ())):
            self._graph.add_edge((_SPELLING, spelling), used)
        for key in use.keys or ():
            self._graph.add_edge(used, (_KEY, *used[1:], key))
            self._graph.add_edge((_KEY, *used[1:], key), user)
        if use.keys is None:
            self._graph.add_edge(used, (_ANY_KEY, *used[1:]))
            self._graph.add_edge((_ANY_KEY, *used[1:]), user)
        elif not use.keys:
            self._graph.add_edge(used, user)

    def _defined_in(self, defined: Vertex, path: str | None) -> None:
        self._graph.add_node(defined)
        if path:
            self._graph.add_edge((_FILE, path), defined)


def _label(vertex: Vertex) -> str:
    """An object or a key as it is written in a way; empty for what only leads to one."""
    if vertex[0] in (_OBJECT, _KEY):
        return "/".join(vertex[2:])
    return ""


def _place(vertex: Vertex) -> str:
    if vertex[0] in (_FILE, _SPELLING):
        return vertex[1]
    return "/".join(filter(None, vertex[1:]))
