"""What the rest asks of the committed revisions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.instances.requests import AgentName


@dataclass(frozen=True, slots=True)
class NotServed:
    """Why an agent has no revision that serves: one sentence, and what to do.

    `unknown` where nobody can tell yet: no commit was read since the start, or Substrate was not asked yet.
    """

    message: str
    hint: str
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class PairStatus:
    """One pair: what serves, and what was committed.

    `serving` and `committed` are ids of revisions, empty where there is none or it cannot be read; `commit`
    is the full id of the newest commit that was read. `problem` says why that one's revision does not serve;
    empty if it does.
    """

    agent: AgentName
    serving: str
    committed: str
    commit: str
    problem: str = ""


class Revisions(Protocol):
    """The index of the pairs that are committed; it answers at once, also while a new commit is read."""

    def serving(self, agent: AgentName) -> PreparedRevision | NotServed:
        """What a new instance of an agent is created from."""
        ...

    def pairs(self, namespace: str | None = None) -> Sequence[PairStatus]:
        """Every pair, or those of one namespace, by namespace, Harness and template."""
        ...

    def problem(self) -> str:
        """Why the ref itself could not be read when it was last tried; empty if it could."""
        ...
