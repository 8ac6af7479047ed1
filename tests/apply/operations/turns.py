"""Threads that go one at a time, and change where the test says: between two calls, or where one waits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Event, Semaphore, Thread, current_thread

from kagent_apply.operations.clock import Clock
from tests.apply.operations.seconds import Seconds

_TICK = 0.05


@dataclass(eq=False)
class Turn:
    """One thread: how it goes on, and how far it is."""

    act: Callable[[], object]
    go: Semaphore = field(default_factory=lambda: Semaphore(0))
    steps: int = 0
    waiting: bool = False
    done: bool = False
    given: object = None
    thread: Thread | None = None


class Turns:
    """Has threads take turns; `point` is where one may be interrupted."""

    def __init__(self, seconds: Seconds) -> None:
        self._seconds = seconds
        self._main = Semaphore(0)
        self._turns: dict[Thread, Turn] = {}

    def run(self, acts: list[Callable[[], object]], changes: list[tuple[int, int]]) -> list[object]:
        """What the acts give, or the exceptions they end with.

        A change is an act and for how many steps it goes on; after the last, each goes on until it waits.
        """
        turns = [Turn(act) for act in acts]
        for turn in turns:
            turn.thread = Thread(target=self._live, args=(turn,), daemon=True)
            self._turns[turn.thread] = turn
            turn.thread.start()
        for number, steps in changes:
            self._go_on(turns[number], steps)
        for _ in range(1000):
            for turn in turns:
                self._go_on(turn, 1000)
            if all(turn.done for turn in turns):
                return [turn.given for turn in turns]
        raise AssertionError("they wait for each other")

    def point(self, _moment: str = "", _call: str = "") -> None:
        """Somebody else may come first."""
        turn = self._turns.get(current_thread())
        if turn is not None:
            self._main.release()
            turn.go.acquire()

    def clock(self) -> Clock:
        """Time passes while one waits, which is when others go on."""
        clock = self._seconds.clock()
        return Clock(clock.utc, clock.steady, self._wait, clock.jitter)

    def _wait(self, event: Event, seconds: float) -> bool:
        turn = self._turns[current_thread()]
        until = self._seconds.now + seconds
        while not event.is_set() and self._seconds.now < until:
            turn.waiting = True
            self.point()
            self._seconds.now += _TICK
        turn.waiting = False
        return event.is_set()

    def _go_on(self, turn: Turn, steps: int) -> None:
        turn.waiting = False
        while steps and not turn.done and not turn.waiting:
            turn.go.release()
            self._main.acquire()
            steps -= 1
            turn.steps += 1

    def _live(self, turn: Turn) -> None:
        turn.go.acquire()
        try:
            turn.given = turn.act()
        except BaseException as error:  # which the test looks at
            turn.given = error
        turn.done = True
        self._main.release()
