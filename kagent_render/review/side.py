"""One side of a review: what it says of each agent, and whether its committed locks say so too."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.review.coverage import Field
    from kagent_render.review.fact import Fact

    Facts = Callable[[], tuple[Fact, ...]]


class State(StrEnum):
    """How a committed lock stands to the manifests of its side."""

    CURRENT = "current"
    MISSING = "missing"
    STALE = "stale"
    DAMAGED = "damaged"
    RELEASE = "other release"
    FAILED = "not prepared"
    LEFT = "left behind"


MEANINGS: Final[Mapping[State, str]] = {
    State.CURRENT: "its lock is what the manifests give",
    State.MISSING: "it has no lock, so nothing of it runs yet",
    State.STALE: "its lock is stale, and the lock is what runs",
    State.DAMAGED: "its lock or a file beside it is not as kagent-render wrote it",
    State.RELEASE: "another release of kagent-render wrote its lock, the same inputs otherwise",
    State.FAILED: "it cannot be prepared, so its lock alone is compared",
    State.LEFT: "nothing asks for it, and its lock is still there and runs",
}
"""What each state says, as a clause about the agent."""

_DAMAGE: Final = frozenset(
    {Reason.LOCK_INVALID, Reason.LOCK_CONFLICT, Reason.OUTPUT_DRIFT, Reason.ARTIFACT_DIGEST_MISMATCH}
)


@dataclass(frozen=True, slots=True)
class SubjectSide:
    """One pair or PlatformAgent on one side.

    `prepared` gives the facts of the manifests, None where they cannot be prepared; `committed` those that
    the committed lock tells by itself, None where there is no lock that can be read. `files` is what
    preparing writes, `retained` the manifests of earlier revisions among it, `fields` the digests of all that
    it is made of, `meaning` says what the state does in place of the usual words.
    """

    state: State
    messages: tuple[str, ...] = ()
    files: Mapping[str, bytes] = field(default_factory=dict)
    prepared: Facts | None = None
    committed: Facts | None = None
    revision: str | None = None
    meaning: str = ""
    fields: Callable[[], Mapping[str, Field]] | None = None
    retained: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def is_current(self) -> bool:
        """Whether the committed lock is what the manifests give."""
        return self.state is State.CURRENT


def standing(findings: Iterable[Diagnostic]) -> State:
    """The state of a prepared pair or PlatformAgent, by what `check` finds about its output."""
    reasons = {found.reason for found in findings if found.is_error}
    if reasons & _DAMAGE:
        return State.DAMAGED
    if Reason.LOCK_MISSING in reasons:
        return State.MISSING
    return State.STALE if reasons else State.CURRENT
