"""What happens to the committed revisions, for logs and metrics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kagent_apply.instances.requests import AgentName


@dataclass(frozen=True, slots=True)
class RevisionServes:
    """A pair began to serve a revision."""

    agent: AgentName
    revision: str
    commit: str


@dataclass(frozen=True, slots=True)
class PairProblem:
    """Why the newest commit's revision of a pair does not serve; empty: it does again."""

    agent: AgentName
    problem: str
    commit: str


@dataclass(frozen=True, slots=True)
class PairWithdrawn:
    """A pair that was there is no longer listed."""

    agent: AgentName
    commit: str


@dataclass(frozen=True, slots=True)
class RefProblem:
    """Why the ref could not be read; empty: it can be again."""

    problem: str


@dataclass(frozen=True, slots=True)
class RefRead:
    """The ref was read, whether or not it names another commit; told each time."""

    commit: str


@dataclass(frozen=True, slots=True)
class CommitRead:
    """Another commit was read, with so many pairs."""

    commit: str
    pairs: int


@dataclass(frozen=True, slots=True)
class PartProblem:
    """Why a part of a commit does not say which pairs it has; those that are known there go on serving."""

    problem: str
    commit: str


@dataclass(frozen=True, slots=True)
class KeepingFailed:
    """What began to serve could not be kept for a restart, or what was withdrawn not forgotten."""

    problem: str


@dataclass(frozen=True, slots=True)
class FirstTried:
    """Each pair of the first commit that was read was asked for once.

    So many of them serve what is committed. So many do not, of which the first is `example`.
    """

    commit: str
    current: int
    behind: int
    example: PairProblem | None


Event = (
    RevisionServes
    | PairProblem
    | PairWithdrawn
    | RefProblem
    | RefRead
    | CommitRead
    | PartProblem
    | KeepingFailed
    | FirstTried
)
