"""Indexes of pairs, in whatever state a test needs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kagent_apply.instances.requests import AgentName
from kagent_apply.revisions.port import NotServed, PairStatus


def pair(name: str, serving: str = "r2", committed: str = "r2", problem: str = "") -> PairStatus:
    """A pair of the namespace `team`."""
    return PairStatus(AgentName("team", "python", name), serving, committed, "c0ffee", problem)


@dataclass
class Index:
    """The pairs that it was given."""

    listed: list[PairStatus] = field(default_factory=list)
    of_ref: str = ""

    def serving(self, agent: AgentName) -> NotServed:
        return NotServed("nothing serves", "commit something")

    def pairs(self, namespace: str | None = None) -> Sequence[PairStatus]:
        return [found for found in self.listed if namespace in (None, found.agent.namespace)]

    def problem(self) -> str:
        return self.of_ref
