"""Whatever callers ask, and whatever breaks or is killed in between, the answers and the Actors are right."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from kagent_apply.instances.outcome import Status
from kagent_apply.instances.states import FailureReason, Operation, State
from kagent_apply.operations.error import OperationError
from tests.apply.operations.killing import Kill, Killed, arm, bury
from tests.apply.operations.memory_compute import Trouble
from tests.apply.operations.scene import ACTORS, ENDS, Scene

BEGINS = {
    (None, Operation.CREATE),
    (State.READY, Operation.SUSPEND),
    (State.SUSPENDED, Operation.RESUME),
    (State.READY, Operation.DELETE),
    (State.SUSPENDED, Operation.DELETE),
    (State.FAILED, Operation.DELETE),
}
TOLD = {Status.UNAVAILABLE, Status.FAILED_PRECONDITION, Status.ABORTED, Status.NOT_FOUND}
PASSING = st.sampled_from([Trouble.NO_ANSWER, Trouble.LOST_ANSWER, Trouble.SLOW, Trouble.REFUSED])
OPERATIONS = st.sampled_from([*[Operation.SUSPEND, Operation.RESUME] * 3, Operation.CREATE, Operation.DELETE])
STEPS = st.integers(0, 18)


class Life(RuleBasedStateMachine):
    """One instance of two members, two processes, and a Substrate that has its troubles."""

    @initialize()
    def begin(self) -> None:
        self.scene = Scene(2)
        self.processes = [self.scene.process(), self.scene.process()]
        self.harmed = False

    @rule(operation=OPERATIONS, process=st.integers(0, 1))
    def ask(self, operation: Operation, process: int) -> None:
        """Without trouble, the answer is what stands in the table of an instance's life."""
        if not self._can_ask(operation):
            return
        state, under_way = self._standing()
        possible = under_way is operation or (under_way is None and (state, operation) in BEGINS)
        possible |= state is State.READY and operation is Operation.CREATE
        may_take_over = operation is Operation.DELETE is not under_way is not None
        error = self._told(operation, process)
        if may_take_over and error is None:
            return  # what was under way rested
        if possible:
            assert error is None or (self.harmed and isinstance(error.reason, FailureReason))
        else:
            assert error is not None
            assert error.status in TOLD - {Status.UNAVAILABLE}
            assert self._standing() == (state, under_way), "a refusal changed something"

    @rule(operation=OPERATIONS, process=st.integers(0, 1), place=st.integers(0, 7), trouble=PASSING)
    def ask_in_trouble(self, operation: Operation, process: int, place: int, trouble: Trouble) -> None:
        if not self._can_ask(operation):
            return
        self.scene.compute.trouble = {len(self.scene.compute.calls) + place: trouble}
        error = self._told(operation, process)
        assert error is None or error.status in TOLD
        self.scene.compute.trouble.clear()

    @rule(operation=OPERATIONS, at=STEPS, process=st.integers(0, 1))
    def ask_and_be_killed(self, operation: Operation, at: int, process: int) -> None:
        if not self._can_ask(operation):
            return
        arm(self.scene, Kill(at))
        try:
            self._told(operation, process)
        except Killed:
            self.processes[process] = self.scene.process()
        finally:
            bury(self.scene)

    @rule(process=st.integers(0, 1), seconds=st.integers(0, 100))
    def recover(self, process: int, seconds: int) -> None:
        self.scene.seconds.now += seconds
        self.processes[process].recover()

    @rule(trouble=st.sampled_from([Trouble.GONE, Trouble.CRASHED]), place=st.integers(0, 1))
    def harm(self, trouble: Trouble, place: int) -> None:
        names = sorted(self.scene.compute.actors, key=lambda name: name.name)
        if place < len(names):
            self.scene.compute._harm(names[place], trouble)
            self.harmed = True

    @invariant()
    def what_is_stored_is_what_runs(self) -> None:
        state, under_way = self._standing()
        if under_way is None and state in ACTORS and (not self.harmed or state is State.DELETED):
            assert set(self.scene.states()) == {ACTORS[state]}

    @invariant()
    def no_actor_is_made_twice(self) -> None:
        assert self.harmed or set(self.scene.compute.made.values()) <= {1}

    def teardown(self) -> None:
        if self.scene.store.all():
            self.scene.settle()
            assert self._standing()[1] is None
            self.what_is_stored_is_what_runs()

    def _can_ask(self, operation: Operation) -> bool:
        return operation is Operation.CREATE or bool(self.scene.store.all())

    def _standing(self) -> tuple[State | None, Operation | None]:
        if not self.scene.store.all():
            return None, None
        standing = self.scene.instance().standing
        return standing.state, standing.operation

    def _told(self, operation: Operation, process: int) -> OperationError | None:
        try:
            given = self.scene.ask(self.processes[process], operation)
        except OperationError as error:
            return error
        assert given.standing.state is ENDS[operation]
        assert given == self.scene.instance()
        return None


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
