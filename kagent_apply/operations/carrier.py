"""Claims operations, and carries them out in workers of their own, whoever waits for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event
from typing import TYPE_CHECKING

from kagent_apply.instances.states import Failure, FailureReason, Operation
from kagent_apply.operations.error import OperationError, mistake, of_compute, of_store, stopping
from kagent_apply.operations.events import OperationEvent, Phase, Result, tell
from kagent_apply.operations.steps import STEPS
from kagent_apply.operations.tenure import LostError, StoppedError, Tenure
from kagent_apply.operations.work import RESULTS, MemberFailedError, Work, name_of, operation
from kagent_apply.store.port import Hold, StoreError
from kagent_apply.substrate.port import ComputeError, ComputeRefusedError

if TYPE_CHECKING:
    from kagent_apply.instances.instance import Instance
    from kagent_apply.instances.prepared import PreparedRevision
    from kagent_apply.instances.requests import InstanceName
    from kagent_apply.operations.backoff import Backoff
    from kagent_apply.operations.clock import Clock
    from kagent_apply.operations.events import OnEvent
    from kagent_apply.operations.limits import Limits
    from kagent_apply.operations.runs import Run, Runs
    from kagent_apply.operations.work import Computes
    from kagent_apply.store.port import Store

Submit = Callable[[Callable[[], None]], object]
"""Has a worker do something, now or as soon as one is free."""

Put = Callable[[Hold], "Instance | None"]
"""Stores a claim; None where something else is stored."""


@dataclass(frozen=True, slots=True)
class Carrier:
    """Everything that operations are carried out with."""

    store: Store
    computes: Computes
    holder: str
    limits: Limits
    clock: Clock
    runs: Runs
    backoff: Backoff
    submit: Submit
    on_event: OnEvent
    stop: Event = field(default_factory=Event)
    """Set when no further step should begin."""

    def claim(self, name: InstanceName, put: Put, revision: PreparedRevision | None = None) -> Run | None:
        """Store a claim, and begin; None where the store had something else, or this process is at it."""
        return self._begin(self.runs.begin(name), put, revision, claimed=True)

    def take_over(self, found: Instance, *, recovered: bool = False) -> Run | None:
        """Go on with an operation that nobody holds, or that stayed behind here; None as for `claim`."""
        if self._is_held_by_others(found):
            return None
        run = self.runs.begin(name_of(found), recovered=recovered)
        return self._begin(run, lambda hold: self._take(found, hold), None, claimed=False)

    def _take(self, found: Instance, hold: Hold) -> Instance | None:
        stored = self.store.replace(found, found, hold)
        under_way = found.standing.operation
        is_others = found.lease is None or found.lease.holder != self.holder
        if stored is not None and under_way is not None and is_others:
            event = OperationEvent(under_way, name_of(found), Phase.TAKE_OVER, 0.0, Result.DONE)
            tell(self.on_event, event)
        return stored

    def gives_way(self, found: Instance) -> bool:
        """Whether nobody carries out what is under way: it waits to be tried again, here or elsewhere.

        What is carried out here is told that it is unwanted, so that it soon rests if it has trouble.
        """
        run = self.runs.find(name_of(found))
        if run is not None:
            run.unwanted.set()
        return run is None and not self._is_held_by_others(found)

    def _is_held_by_others(self, found: Instance) -> bool:
        lease = found.lease
        return lease is not None and not lease.lapsed and lease.holder != self.holder

    def _begin(
        self, run: Run | None, put: Put, revision: PreparedRevision | None, *, claimed: bool
    ) -> Run | None:
        if run is None:
            return None
        begun = self.clock.steady()
        hold = Hold(self.holder, self.limits.lease)
        try:
            stored = put(hold)
        except BaseException:
            self.runs.end(run)
            raise
        if stored is None:
            self.runs.end(run)
            return None
        tenure = Tenure(self.store, hold, self.clock, self.limits, self.stop.is_set, stored, begun)
        run.tenure = tenure
        run.settled.set()
        self._hand_over(run, lambda: self._carry(run, tenure, revision, claimed=claimed))
        return run

    def _hand_over(self, run: Run, work: Callable[[], None]) -> None:
        try:
            self.submit(work)
        except RuntimeError:  # of an executor that is shut down
            run.trouble = stopping()
            self.runs.end(run)

    def _carry(self, run: Run, tenure: Tenure, revision: PreparedRevision | None, *, claimed: bool) -> None:
        begun = self.clock.steady()
        outcome, error = Result.INTERNAL, ""
        run.trouble = mistake()
        try:
            outcome = self._outcome(run, tenure, revision, claimed=claimed)
        except Exception as unexpected:  # an error of ours must not keep callers waiting
            error = type(unexpected).__name__
        finally:
            self._note(run, outcome)
            self.runs.end(run)
            seconds = self.clock.steady() - begun
            told = _problem(run)
            event = OperationEvent(operation(tenure), run.name, Phase.WHOLE, seconds, outcome, error, told)
            tell(self.on_event, event)

    def _note(self, run: Run, outcome: Result) -> None:
        left = run.tenure and run.tenure.instance.standing.operation
        if outcome is Result.LOST or left is None:
            self.backoff.forget(run.name)
        else:
            self.backoff.trouble(run.name)

    def _outcome(
        self, run: Run, tenure: Tenure, revision: PreparedRevision | None, *, claimed: bool
    ) -> Result:
        """Carry an operation as far as it goes, and leave in the run what became of it."""
        try:
            run.ended = self._ended(run, tenure, revision, claimed=claimed)
        except LostError:
            run.trouble = None
            return Result.LOST
        except StoppedError:
            run.trouble = stopping()
            return Result.STOPPED
        except ComputeError as error:
            run.trouble = of_compute(error)
            return RESULTS.get(type(error), Result.UNAVAILABLE)
        except StoreError as error:
            run.trouble = of_store(error)
            return Result.INTERNAL
        except OperationError as error:
            run.trouble = error
            return Result.UNAVAILABLE
        run.trouble = None
        return Result.FAILED if run.ended.standing.failure else Result.DONE

    def _serves(self, target: str) -> bool:
        """Whether this process runs a target at all: one that was started for another ends no creation."""
        try:
            self.computes(target)
        except ComputeRefusedError:
            return False
        return True

    def _ended(
        self, run: Run, tenure: Tenure, revision: PreparedRevision | None, *, claimed: bool
    ) -> Instance:
        """Take the steps; ComputeError and OperationError after giving up what had no effect."""
        held = tenure.instance
        pinned = revision or self.store.revision(held.agent, held.revision)
        if pinned is None:
            raise StoreError("the store has no revision for the instance")
        work = Work(
            tenure,
            self.computes,
            pinned,
            claimed,
            self.clock,
            self.limits,
            self.on_event,
            run.unwanted.is_set,
        )
        try:
            return STEPS[operation(tenure)](work)
        except MemberFailedError as found:
            return work.fail(found.failure)
        except ComputeRefusedError as refused:
            if operation(tenure) is Operation.CREATE and self._serves(pinned.target):
                return work.fail(Failure(FailureReason.ACTOR_REFUSED, refused.message))
            work.give_up()
            raise
        except ComputeError:
            work.give_up()
            raise


def _problem(run: Run) -> str:
    """What is told of how a run ended, where that is not as it should be."""
    failure = run.ended.standing.failure if run.ended else None
    told = run.trouble or failure
    return told.message if told else ""
