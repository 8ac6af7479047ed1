"""Whatever workers do in whatever order, an instance's life is one operation after the other."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from kagent_apply.instances.lifecycle import (
    ENDS,
    FAILURES,
    Change,
    begin,
    begin_creation,
    fail,
    finish,
    give_up,
    issue,
)
from kagent_apply.instances.outcome import Claimed, Joined, Refused
from kagent_apply.instances.requests import AgentName
from kagent_apply.instances.standing import Reservation, Standing, admits_messages
from kagent_apply.instances.states import Failure, FailureReason, Operation, State

AGENT = AgentName("payments", "python", "triage")
OPERATIONS = st.sampled_from([*[Operation.SUSPEND, Operation.RESUME] * 3, Operation.CREATE, Operation.DELETE])
"""Deleting is the end of a life, which long ones show more of."""
LEADS = {
    Operation.CREATE: "ready",
    Operation.SUSPEND: "suspended",
    Operation.RESUME: "ready",
    Operation.DELETE: "gone",
}


@dataclass
class Work:
    """The model's operation: what it is, whether anything was touched, and what the instance was before.

    What was nothing before is never given up: a creation, and a deletion in its place. `marked` says that a
    worker of its own said so; what it took the place of may have touched things, too.
    """

    operation: Operation
    before: str
    touched: bool = False
    marked: bool = False


class Life(RuleBasedStateMachine):
    """The model knows four words, and the one operation that is open; it has no numbers and no states."""

    def __init__(self) -> None:
        super().__init__()
        self.stored: Standing | None = None
        self.workers: list[tuple[Standing, Work, bool]] = []
        self.is_now = "none"
        self.open: Work | None = None

    @initialize(prepared=st.booleans())
    def create(self, prepared: bool) -> None:
        found = Reservation(AGENT, self.stored) if self.stored else None
        outcome = begin_creation(AGENT, found, prepared=prepared)
        if self.is_now == "none" and self.open is None:
            assert isinstance(outcome, Claimed) == prepared
        else:
            assert not isinstance(outcome, Claimed), "a second instance"
        self._take(Operation.CREATE, outcome)

    @rule(operation=OPERATIONS)
    def ask(self, operation: Operation) -> None:
        if operation is Operation.CREATE:
            self.create(prepared=True)
        else:
            self.change(operation)

    @rule()
    def delete_what_rests(self) -> None:
        """Whoever began what is under way may come back all the same, and must not end the deletion."""
        self.change(Operation.DELETE, resting=True)

    def change(self, operation: Change, *, resting: bool = False) -> None:
        outcome = begin(operation, self.stored, resting=resting)
        assert isinstance(outcome, Claimed | Joined | Refused)
        if self.open is not None:
            gives_way = resting and self.open.operation is not operation
            assert isinstance(outcome, Joined) == (self.open.operation is operation)
            assert isinstance(outcome, Claimed) == gives_way, "two operations at once"
        else:
            usual = (self.is_now, operation) in {
                ("ready", Operation.SUSPEND),
                ("suspended", Operation.RESUME),
            }
            deletes = operation is Operation.DELETE and self.is_now in {"ready", "suspended", "failed"}
            assert isinstance(outcome, Claimed) == (usual or deletes)
        self._take(operation, outcome)

    @rule(operation=OPERATIONS)
    def do(self, operation: Operation) -> None:
        """From beginning to end; the worker does not hear of it, and may end the operation again later."""
        known = len(self.workers)
        self.ask(operation)
        if len(self.workers) > known:
            self._finish(*self.workers[-1][:2])

    def _take(self, operation: Operation, outcome: object) -> None:
        if isinstance(outcome, Claimed):
            self.stored = outcome.standing
            self.open = Work(operation, self.is_now, touched=bool(self.open and self.open.touched))
        if isinstance(outcome, Claimed | Joined):
            assert self.open is not None
            self.workers.append((outcome.standing, self.open, isinstance(outcome, Claimed)))

    def _worker(self, data: st.DataObject) -> tuple[Standing, Standing, Work, bool]:
        assert self.stored is not None
        return self.stored, *data.draw(st.just(self.workers[-1]) | st.sampled_from(self.workers))

    @precondition(lambda self: self.workers)
    @rule(data=st.data())
    def touch(self, data: st.DataObject) -> None:
        now, mine, work, _ = self._worker(data)
        stored = issue(now, mine)
        assert isinstance(stored, Standing) == (work is self.open)
        if isinstance(stored, Standing):
            self.stored, work.touched, work.marked = stored, True, True

    @precondition(lambda self: self.workers)
    @rule(data=st.data())
    def trouble(self, data: st.DataObject) -> None:
        now, mine, work, claimed = self._worker(data)
        if not claimed:
            return
        self.stored = give_up(now, mine)
        if work is self.open and not work.touched and work.before != "none":
            self.open = None
        else:
            assert self.stored == now

    @precondition(lambda self: self.workers)
    @rule(data=st.data())
    def end(self, data: st.DataObject) -> None:
        _, mine, work, _ = self._worker(data)
        self._finish(mine, work)

    def _finish(self, mine: Standing, work: Work) -> None:
        now = self.stored
        assert now is not None
        stored = finish(now, mine)
        if work is self.open:
            assert isinstance(stored, Standing)
            self.stored, self.open, self.is_now = stored, None, LEADS[work.operation]
        else:
            assert isinstance(stored, Refused) or stored is now, "one worker ended what another does"

    @precondition(lambda self: self.workers)
    @rule(data=st.data())
    def find_broken(self, data: st.DataObject) -> None:
        now, mine, work, _ = self._worker(data)
        reason = data.draw(st.sampled_from(sorted(FAILURES[work.operation])))
        stored = fail(now, mine, Failure(FailureReason(reason), "as it is"))
        assert isinstance(stored, Standing) == (work is self.open)
        if isinstance(stored, Standing):
            self.stored, self.open, self.is_now = stored, None, "failed"

    @invariant()
    def nobody_ends_what_another_does(self) -> None:
        for mine, work, _ in self.workers:
            now = self.stored
            assert now is not None
            given_up, finished = give_up(now, mine), finish(now, mine)
            if work is not self.open:
                assert given_up is now
                assert isinstance(issue(now, mine), Refused)
                assert finished is now if now.state is ENDS[work.operation] else isinstance(finished, Refused)
            elif work.touched or work.before == "none":
                assert given_up == now

    @invariant()
    def what_is_stored_is_what_happened(self) -> None:
        if self.stored is None:
            assert self.is_now == "none"
            return
        assert self.stored.operation is (self.open and self.open.operation)
        assert self.stored.state is self._state()
        assert self.stored.issued == bool(self.open and self.open.touched)
        assert admits_messages(self.stored) == (self.is_now == "ready" and self.open is None)
        assert (self.stored.failure is not None) == (self.stored.state is State.FAILED)

    def _state(self) -> State:
        if self.open and self.open.operation is Operation.DELETE and self.open.marked:
            return State.DELETING
        words = {"none": State.CREATING, "gone": State.DELETED}
        return words.get(self.is_now) or State[self.is_now.upper()]


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=100, stateful_step_count=25, deadline=None)
