"""Tells of changes, each once, and of every time that the ref was read."""

from __future__ import annotations

from dataclasses import astuple
from typing import TYPE_CHECKING, Final

from kagent_apply.revisions.events import (
    CommitRead,
    FirstTried,
    KeepingFailed,
    PairProblem,
    PairWithdrawn,
    PartProblem,
    RefProblem,
    RefRead,
    RevisionServes,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kagent_apply.instances.requests import AgentName
    from kagent_apply.revisions.events import Event
    from kagent_apply.revisions.view import PairView

NOT_ASKED: Final = "its ActorTemplates have not been asked for yet"
"""The problem of a pair for the moment between reading it and preparing it, which is nothing to tell of."""


class Announcements:
    """What was told so far of the ref and of every pair, so that only what is new is told."""

    def __init__(self, on_event: Callable[[Event], None]) -> None:
        self._on_event = on_event
        self._serving: dict[AgentName, str] = {}
        self._problems: dict[AgentName, str] = {}
        self._parts: frozenset[str] = frozenset()
        self._ref = ""
        self._first_tried = False

    def tell_read(self, commit: str) -> None:
        """The ref was read, and names a commit."""
        self.tell_ref("")
        self._on_event(RefRead(commit))

    def tell_commit(self, commit: str, pairs: int) -> None:
        """Another commit was read."""
        self._on_event(CommitRead(commit, pairs))

    def tell_ref(self, problem: str) -> None:
        """Whether the ref can be read."""
        if problem != self._ref:
            self._ref = problem
            self._on_event(RefProblem(problem))

    def tell_parts(self, problems: Iterable[str], commit: str) -> None:
        """The parts of a commit that cannot be listed."""
        before, self._parts = self._parts, frozenset(problems)
        for problem in sorted(self._parts - before):
            self._on_event(PartProblem(problem, commit))

    def tell_pairs(self, pairs: Mapping[AgentName, PairView]) -> None:
        """What serves, and what does not."""
        for agent, pair in pairs.items():
            status = pair.status
            if status.serving and status.serving != self._serving.get(agent):
                self._serving[agent] = status.serving
                self._on_event(RevisionServes(agent, status.serving, status.commit))
            if status.problem not in (NOT_ASKED, self._problems.get(agent, "")):
                self._problems[agent] = status.problem
                self._on_event(PairProblem(agent, status.problem, status.commit))

    def tell_withdrawn(self, agents: Iterable[AgentName], commit: str) -> None:
        """Pairs that are no longer listed."""
        for agent in agents:
            self._serving.pop(agent, None)
            self._problems.pop(agent, None)
            self._on_event(PairWithdrawn(agent, commit))

    def tell_tried(self, pairs: Mapping[AgentName, PairView], commit: str) -> None:
        """Whatever was due was asked for; only of the first commit since the start."""
        if self._first_tried or not commit:
            return
        self._first_tried = True
        behind = [pair.status for pair in pairs.values() if pair.status.problem]
        first = min(behind, key=lambda status: astuple(status.agent), default=None)
        example = PairProblem(first.agent, first.problem, commit) if first else None
        self._on_event(FirstTried(commit, len(pairs) - len(behind), len(behind), example))

    def tell_not_kept(self, reason: str) -> None:
        """The folder of what served last could not be changed."""
        self._on_event(KeepingFailed(f"the folder of what served last cannot be changed: {reason}"))
