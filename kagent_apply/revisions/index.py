"""The index of committed revisions: answers from a view, while one thread reads commits and replaces it."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import TYPE_CHECKING, Final

from kagent_apply.revisions.announcements import NOT_ASKED, Announcements
from kagent_apply.revisions.last_served import Served
from kagent_apply.revisions.port import NotServed, PairStatus
from kagent_apply.revisions.readiness import Readiness
from kagent_apply.revisions.reading import CommitReader, Found, Reading
from kagent_apply.revisions.repository import RefError
from kagent_apply.revisions.view import PairView, View

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.instances.requests import AgentName
    from kagent_apply.revisions.events import Event
    from kagent_apply.revisions.last_served import LastServed
    from kagent_apply.revisions.pair_reading import CommittedRevision
    from kagent_apply.revisions.readiness import Preparing
    from kagent_apply.revisions.repository import Repository

PREPARE_SECONDS: Final = 30.0
"""How long one revision's ActorTemplates are waited for at a time."""

_UNREAD: Final = "the ref has not been read since the start"


class RevisionIndex:
    """Implements `Revisions` over one ref; a pair serves its newest revision that is good and ready.

    What served when the last process ended serves from the start. `serving`, `pairs` and `problem` may be
    called from any thread, `refresh` and `run` from one at a time; `on_event` is called in that thread,
    and may not raise.
    """

    def __init__(
        self,
        repository: Repository,
        compute: Preparing,
        kept: LastServed,
        on_event: Callable[[Event], None] = lambda _: None,
        *,
        clock: Callable[[], float] = time.monotonic,
        prepare_seconds: float = PREPARE_SECONDS,
    ) -> None:
        self._repository = repository
        self._reader = CommitReader(repository)
        self._readiness = Readiness(compute, clock, prepare_seconds)
        self._kept = kept
        self._announcements = Announcements(on_event)
        self._clock = clock
        self._served: dict[AgentName, Served] = dict(kept.load())
        self._reading = Reading("", {agent: _kept(agent, found) for agent, found in self._served.items()})
        self._view = View({agent: self._pair_view(agent) for agent in self._reading.pairs})
        self._loading = threading.Lock()
        self._wake = threading.Event()
        self._poked = False
        self._hurried = False
        self._stopped = False

    def serving(self, agent: AgentName) -> PreparedRevision | NotServed:
        """What a new instance of an agent is created from."""
        view = self._view
        pair = view.pairs.get(agent)
        if pair is not None and pair.serving is not None:
            return pair.serving
        name = f"{agent.namespace}/{agent.harness}/{agent.agent_template}"
        if pair is not None:
            return NotServed(
                f"no revision of `{name}` serves: {pair.status.problem or 'it is not prepared yet'}",
                "correct that and commit it, or wait until it is prepared",
            )
        if not view.commit:
            # Callers need not know where the repository is, which the ref's own problem says.
            return NotServed(
                f"no revision of `{name}` serves: {_UNREAD}", "see in `revisions` why, and try again"
            )
        return NotServed(
            f"no revision of `{name}` is committed at the ref that is served",
            "check the names, or render the pair and commit its output",
        )

    def pairs(self, namespace: str | None = None) -> Sequence[PairStatus]:
        """Every pair, or those of one namespace, by namespace, Harness and template."""
        found = [pair.status for pair in self._view.pairs.values()]
        chosen = [status for status in found if namespace in (None, status.agent.namespace)]
        return sorted(chosen, key=lambda status: _order(status.agent))

    def problem(self) -> str:
        """Why the ref itself could not be read when it was last tried; empty if it could."""
        return self._view.problem

    @property
    def commit(self) -> str:
        """The full id of the newest commit that was read; empty before the first."""
        return self._view.commit

    @property
    def is_known(self) -> bool:
        """Whether a commit was read since the start, or something serves that served before."""
        return bool(self._view.commit or self._view.pairs)

    def refresh(self) -> None:
        """Read the ref once, and try whatever is due to be prepared; nothing that it meets is raised."""
        with self._loading:
            self._read_ref()
            self._prepare()
            self._announcements.tell_tried(self._view.pairs, self._view.commit)

    def run(self, poll_seconds: float) -> None:
        """Refresh every so many seconds, and sooner after `poke`, until `stop`."""
        next_poll = self._clock()
        while not self._stopped:
            self._wake.clear()
            if self._clock() >= next_poll or self._poked:
                self._poked = False
                next_poll = self._clock() + poll_seconds
                self.refresh()
            else:
                with self._loading:
                    self._prepare()
            due = self._readiness.next_due()
            until = next_poll if due is None else min(next_poll, due)
            self._wake.wait(max(0.0, until - self._clock()))

    def poke(self) -> None:
        """Have `run` read the ref now."""
        self._poked = True
        self._wake.set()

    def retry(self) -> None:
        """Have `run` try now what is not ready: what it waits for, or what it was refused for, changed."""
        self._hurried = True
        self._wake.set()

    def stop(self) -> None:
        """Let `run` end once it has done what it is at."""
        self._stopped = True
        self._wake.set()

    def _read_ref(self) -> None:
        try:
            tip = self._repository.tip()
            if tip.id != self._reading.commit or not self._reading.whole:
                self._take(self._reader.read(tip, self._reading))
        except RefError as error:
            self._tell_ref(str(error))
        except Exception as error:  # the loader outlives what no reader foresaw
            self._tell_ref(f"reading the ref failed unexpectedly with `{type(error).__name__}`")
        else:
            self._view = View(self._view.pairs, self._view.commit)
            self._announcements.tell_read(self._reading.commit)

    def _tell_ref(self, problem: str) -> None:
        self._view = View(self._view.pairs, self._view.commit, problem)
        self._announcements.tell_ref(problem)

    def _take(self, reading: Reading) -> None:
        """Go over to another reading; what it no longer lists is withdrawn."""
        before, is_new = self._view, reading.commit != self._reading.commit
        self._reading = reading
        for agent in list(self._served):
            if agent not in reading.pairs or reading.pairs[agent].withdrawn:
                del self._served[agent]
                self._keep(partial(self._kept.drop, agent))
        for found in reading.pairs.values():
            self._promote(found)
        pairs = {agent: self._pair_view(agent) for agent in reading.pairs}
        self._view = View(pairs, reading.commit, before.problem)
        if is_new:
            self._announcements.tell_commit(reading.commit, len(pairs))
        self._announcements.tell_parts(reading.parts, reading.commit)
        self._announcements.tell_withdrawn(before.pairs.keys() - pairs.keys(), reading.commit)
        self._announcements.tell_pairs(pairs)

    def _prepare(self) -> None:
        """Try what is due; each pair that became ready serves before the next ones are waited for."""
        if self._hurried:
            self._hurried = False
            self._readiness.hurry()
        wanted = {
            agent: found.candidate.revision
            for agent, found in self._reading.pairs.items()
            if found.candidate is not None
        }
        for agent in self._readiness.ask(wanted, self._reading.commit):
            self._promote(self._reading.pairs[agent])
            before, changed = self._view, {agent: self._pair_view(agent)}
            self._view = View({**before.pairs, **changed}, before.commit, before.problem)
            self._announcements.tell_pairs(changed)
            if self._stopped:
                return

    def _promote(self, found: Found) -> None:
        """Have the candidate of a pair serve if it is ready; its labels may be all that is new."""
        if found.candidate is None or not self._is_ready(found.agent, found.candidate):
            return
        served = Served(found.root, found.candidate)
        if self._served.get(found.agent) != served:
            self._served[found.agent] = served
            self._keep(partial(self._kept.keep, found.agent, served))

    def _is_ready(self, agent: AgentName, candidate: CommittedRevision) -> bool:
        attempt = self._readiness.attempt(agent, candidate.revision.revision)
        return attempt is not None and attempt.ready

    def _keep(self, change: Callable[[], None]) -> None:
        try:
            change()
        except OSError as error:
            self._announcements.tell_not_kept(error.strerror or type(error).__name__)

    def _pair_view(self, agent: AgentName) -> PairView:
        found, served = self._reading.pairs[agent], self._served.get(agent)
        serving = served.committed.revision if served else None
        return PairView(
            PairStatus(
                agent,
                serving.revision if serving else "",
                found.committed,
                self._reading.commit,
                found.problem or self._waiting(found),
            ),
            serving,
        )

    def _waiting(self, found: Found) -> str:
        """Why the candidate is not ready; empty where it is."""
        assert found.candidate is not None
        attempt = self._readiness.attempt(found.agent, found.candidate.revision.revision)
        if attempt is not None and attempt.ready:
            return ""
        return (attempt.problem if attempt else "") or NOT_ASKED


def _kept(agent: AgentName, served: Served) -> Found:
    return Found(agent, served.root, "", served.committed, _UNREAD)


def _order(agent: AgentName) -> tuple[str, str, str]:
    return agent.namespace, agent.harness, agent.agent_template
