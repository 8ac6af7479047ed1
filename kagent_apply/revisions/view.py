"""What the index answers from: an immutable view, which is replaced and never changed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.instances.requests import AgentName
    from kagent_apply.revisions.port import PairStatus


@dataclass(frozen=True, slots=True)
class PairView:
    """A pair's status, and the revision that serves; None where none does.

    `waits` says that the problem, if there is one, may go by itself: the commit is as it should be.
    """

    status: PairStatus
    serving: PreparedRevision | None
    waits: bool = False


@dataclass(frozen=True, slots=True)
class View:
    """All pairs; `commit` is empty until one was read, `problem` says why the ref cannot be."""

    pairs: Mapping[AgentName, PairView] = field(default_factory=dict)
    commit: str = ""
    problem: str = ""
