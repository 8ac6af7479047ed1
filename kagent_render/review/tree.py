"""The agents of both sides in one tree, each with its mark."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.review import topics
from kagent_render.review.change import Change, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.review.fact import Fact


@dataclass(frozen=True, slots=True)
class Branch:
    """One agent or plugin below the root, parents first; `kind` None where nothing of it changed.

    `note` is its isolation, or the profile of a plugin; `template` is empty for a plugin.
    """

    path: str
    template: str
    note: str
    kind: Kind | None
    widens: bool

    @property
    def depth(self) -> int:
        """Bindings from the root; 1 for those that the root holds."""
        return self.path.count("/") + 1

    @property
    def name(self) -> str:
        """The binding's name."""
        return self.path.rpartition("/")[2]


def draw_tree(before: Iterable[Fact], after: Iterable[Fact], changes: Iterable[Change]) -> tuple[Branch, ...]:
    """Every agent of either side."""
    old, new = _nodes(before), _nodes(after)
    touched: dict[str, bool] = {}
    for change in changes:
        touched[change.place] = touched.get(change.place, False) or change.widens
    paths = sorted(old.keys() | new.keys(), key=lambda path: path.split("/"))
    return tuple(_branch(path, old, new, touched) for path in paths)


def _branch(
    path: str,
    old: Mapping[str, tuple[str, str]],
    new: Mapping[str, tuple[str, str]],
    touched: Mapping[str, bool],
) -> Branch:
    kind = Kind.CHANGED if path in touched else None
    if path not in old or path not in new:
        kind = Kind.ADDED if path in new else Kind.REMOVED
    template, note = new.get(path) or old[path]
    return Branch(path, template, note, kind, touched.get(path, False))


def _nodes(facts: Iterable[Fact]) -> dict[str, tuple[str, str]]:
    """Template and note of each agent by its path."""
    known = {fact.key: fact.value for fact in facts}
    agents = {
        place: (value, known.get((topics.ISOLATION.name, place, ""), ""))
        for (topic, place, _), value in known.items()
        if topic == topics.AGENT.name
    }
    plugins = {
        place: ("", known.get((topics.PROFILE.name, place, ""), ""))
        for topic, place, _ in known
        if topic == topics.PLUGIN.name
    }
    return agents | plugins
