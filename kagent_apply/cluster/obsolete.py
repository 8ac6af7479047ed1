"""Which ActorTemplates nothing needs any more: values in, names out.

What is deleted has to be ours, of an agent that is ours, named by nothing, and that for a while.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeVar

from kagent_apply.instances.requests import AgentName
from kagent_render.target.actor_template import base_name

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Mapping

    from kagent_apply.cluster.live import LiveTemplate
    from kagent_apply.instances.prepared import PreparedRevision

_READABLE: Final = 50
_HASH: Final = 12
_HEXADECIMAL: Final = frozenset("0123456789abcdef")

Names = dict[str, frozenset[str]]
"""Names of ActorTemplates by namespace."""


def all_named(*named: Mapping[str, Iterable[str]]) -> Names:
    """What any of several sources names."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for source in named:
        for namespace, names in source.items():
            found[namespace].update(names)
    return {namespace: frozenset(names) for namespace, names in found.items()}


def names_of(revisions: Iterable[PreparedRevision]) -> Names:
    """The ActorTemplates of some revisions."""
    return all_named(
        *({found.agent.namespace: [member.actor_template for member in found.members]} for found in revisions)
    )


def obsolete_objects(
    live: Iterable[LiveTemplate], named: Names, agents: Collection[AgentName], owned: Collection[str]
) -> list[LiveTemplate]:
    """The custom resources that the renderer wrote for one of the `agents` and nothing names.

    In a namespace that is `owned`, every agent is ours, also one that was never seen here.
    """
    return [
        found
        for found in live
        if found.is_ours
        and not found.identity.deleting
        and found.identity.name not in named.get(found.identity.namespace, ())
        and (
            found.identity.namespace in owned
            or AgentName(found.identity.namespace, found.harness, found.agent_template) in agents
        )
    ]


def obsolete_names(
    namespace: str, names: Iterable[str], named: Names, agents: Iterable[AgentName]
) -> list[str]:
    """Of Substrate's own ActorTemplates, which have no labels, those named for one of `agents`."""
    own = [found for found in agents if found.namespace == namespace]
    return [
        name
        for name in names
        if name not in named.get(namespace, ()) and any(_is_made_for(found, name) for found in own)
    ]


def _is_made_for(agent: AgentName, name: str) -> bool:
    """Whether a name is one that the boundaries of an agent get (DESIGN 12)."""
    readable = base_name(agent.agent_template, agent.harness, "")[:_READABLE].rstrip("-.")
    begins = name.startswith((f"{readable}-", f"{readable}-".replace(".", "-")))
    return begins and name[-_HASH - 1 : -_HASH] == "-" and _HEXADECIMAL.issuperset(name[-_HASH:])


_Key = TypeVar("_Key", bound="Hashable")


@dataclass(slots=True)
class Grace:
    """Remembers since when each thing has been obsolete without a break; `seconds` have to pass."""

    seconds: float
    _since: dict[Hashable, float] = field(default_factory=dict)

    def due(self, obsolete: Iterable[_Key], now: float) -> list[_Key]:
        """Those that have been for long enough, longest first; what is not among them begins anew."""
        found = list(dict.fromkeys(obsolete))
        self._since = {key: self._since.get(key, now) for key in found}
        due = [key for key in found if now - self._since[key] >= self.seconds]
        return sorted(due, key=lambda key: self._since[key])

    def restart(self) -> None:
        """Forget all, since for a while nobody could tell."""
        self._since = {}
