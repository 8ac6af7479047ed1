"""Has Substrate make the ActorTemplates of revisions, again and again until they are ready."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

from kagent_apply.substrate.port import (
    ComputeDeniedError,
    ComputeError,
    ComputeRefusedError,
    ComputeUnavailableError,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.instances.requests import AgentName

WORKERS: Final = 4
"""How many revisions are prepared at once."""

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 60.0
"""Seconds before the first and between the later tries, each twice as long as the one before."""

PATIENCE: Final = 3
"""After so many failures in a row, Substrate is taken to be away, and the other pairs wait as well."""


class Preparing(Protocol):
    """The part of the compute port that is used here."""

    def prepare(self, revision: PreparedRevision, timeout: float) -> bool:
        """As `Compute.prepare`."""
        ...


@dataclass(frozen=True, slots=True)
class Attempt:
    """How far a revision is: ready, or `problem` says why not; `due` is when it is tried again, if ever."""

    revision: str
    commit: str
    tries: int = 0
    due: float = 0.0
    ready: bool = False
    refused: bool = False
    problem: str = ""


class Readiness:
    """The last attempt for each pair; used by the thread that loads."""

    def __init__(self, compute: Preparing, clock: Callable[[], float], timeout: float) -> None:
        self._compute = compute
        self._clock = clock
        self._timeout = timeout
        self._attempts: dict[AgentName, Attempt] = {}
        self._away_until = 0.0
        self._away = 0

    def attempt(self, agent: AgentName, revision: str) -> Attempt | None:
        """The last attempt for a pair's revision; None before the first."""
        found = self._attempts.get(agent)
        return found if found is not None and found.revision == revision else None

    def ask(self, wanted: Mapping[AgentName, PreparedRevision], commit: str) -> Iterator[AgentName]:
        """Try all that are due, several at once; gives each pair as soon as its attempt ended.

        A refusal holds until there is another commit. Pairs that are not wanted are forgotten.
        """
        self._attempts = {agent: found for agent, found in self._attempts.items() if agent in wanted}
        now = self._clock()
        if now < self._away_until:
            return
        waiting = [
            (agent, revision, before)
            for agent, revision in wanted.items()
            if (before := self._due(agent, revision.revision, commit, now)) is not None
        ]
        waiting.sort(key=lambda each: each[2].due)
        with ThreadPoolExecutor(WORKERS, thread_name_prefix="prepare") as pool:
            yield from self._run(pool, waiting)

    def hurry(self) -> None:
        """Have all that are not ready be due, also what was refused: what that was for may be gone."""
        self._attempts = {
            agent: found if found.ready else Attempt(found.revision, found.commit, problem=found.problem)
            for agent, found in self._attempts.items()
        }

    def next_due(self) -> float | None:
        """When there is something to try again; None where there is not."""
        times = [found.due for found in self._attempts.values() if not found.ready and not found.refused]
        return max(min(times), self._away_until) if times else None

    def _due(self, agent: AgentName, revision: str, commit: str, now: float) -> Attempt | None:
        """The attempt to go on from where one is due."""
        known = self.attempt(agent, revision)
        if known is None:
            known = self._attempts[agent] = Attempt(revision, commit)
        if known.refused and known.commit != commit:
            return Attempt(revision, commit)
        return known if not known.ready and not known.refused and known.due <= now else None

    def _run(
        self, pool: ThreadPoolExecutor, waiting: list[tuple[AgentName, PreparedRevision, Attempt]]
    ) -> Iterator[AgentName]:
        failures = 0
        for start in range(0, len(waiting), WORKERS):
            batch = waiting[start : start + WORKERS]
            outcomes = pool.map(partial(self._prepared), [revision for _, revision, _ in batch])
            for (agent, _, before), (outcome, unanswered) in zip(batch, outcomes, strict=True):
                self._attempts[agent] = self._after(before, outcome)
                failures = failures + 1 if unanswered else 0
                yield agent
            if failures >= PATIENCE:
                self._stay_away()
                return
        self._away = 0

    def _prepared(self, revision: PreparedRevision) -> tuple[bool | ComputeError, bool]:
        """What Substrate says, and whether it said nothing at all; in a thread of its own."""
        try:
            return self._compute.prepare(revision, self._timeout), False
        except ComputeUnavailableError as error:
            return error, True
        except ComputeError as error:
            return error, False
        except Exception as error:  # what a driver stumbles over stops no other revision
            name = type(error).__name__
            return ComputeUnavailableError(f"it failed unexpectedly with `{name}`", "report this"), False

    def _after(self, before: Attempt, outcome: bool | ComputeError) -> Attempt:
        if outcome is True:
            return Attempt(before.revision, before.commit, ready=True)
        if isinstance(outcome, ComputeRefusedError):
            problem = f"Substrate refuses it: {outcome.message}"
            return Attempt(before.revision, before.commit, refused=True, problem=problem)
        said = _said(outcome) if isinstance(outcome, ComputeError) else None
        due = self._clock() + pause_after(before.tries)
        problem = said or "its ActorTemplates are not ready yet"
        return Attempt(before.revision, before.commit, before.tries + 1, due, problem=problem)

    def _stay_away(self) -> None:
        self._away_until = self._clock() + pause_after(self._away)
        self._away += 1


def _said(error: ComputeError) -> str:
    """Why it is tried again; what is denied serves as soon as an operator changed what it is denied for."""
    verb = "does not let this service make it" if isinstance(error, ComputeDeniedError) else "cannot be asked"
    return f"Substrate {verb}: {error.message}"


def pause_after(tries: int) -> float:
    """The seconds to wait after so many earlier tries."""
    return min(LONGEST_PAUSE, FIRST_PAUSE * 2.0 ** min(tries, 10))
