"""Work of many threads, done in batches by whichever of them finds that nobody is at it."""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WorkT = TypeVar("WorkT")


def _held_lock() -> threading.Lock:
    """What one thread waits for until another lets go of it, once: an event costs several times as much."""
    lock = threading.Lock()
    lock.acquire()
    return lock


@dataclass(slots=True, eq=False)
class Turn(Generic[WorkT]):
    """One caller's work, and what became of it: `result`, or `error` where there is one."""

    work: WorkT
    result: Any = None
    error: Exception | None = None
    ended: bool = field(default=False, init=False)
    called: threading.Lock = field(default_factory=_held_lock, init=False)

    def outcome(self) -> Any:
        """What the work gave; raises what it raised."""
        if self.error is not None:
            raise self.error
        return self.result


class Batches(Generic[WorkT]):
    """Takes work in the order in which it comes, `most` in one batch.

    Whoever comes while nobody is at it leads: it has `do` do its own work and all that waits, and calls their
    threads. Who came meanwhile is led by the first of them. There is no thread to start, stop or watch, and
    who is alone hands nothing over. `do` leaves in each turn what became of it, and does not raise.
    """

    def __init__(self, do: Callable[[Sequence[Turn[WorkT]]], None], most: int) -> None:
        self._do = do
        self._most = most
        self._lock = threading.Lock()
        self._waiting: deque[Turn[WorkT]] = deque()
        self._led = False

    @property
    def waiting(self) -> int:
        """How many wait for the batch after the one that is under way."""
        return len(self._waiting)

    def run(self, work: WorkT) -> Any:
        """What becomes of work, once its batch is done; raises what it raises."""
        turn = Turn(work)
        with self._lock:
            self._waiting.append(turn)
            follows, self._led = self._led, True
        if follows:
            turn.called.acquire()
        if not turn.ended:
            self._lead()
        return turn.outcome()

    def _lead(self) -> None:
        with self._lock:
            turns = [self._waiting.popleft() for _ in range(min(len(self._waiting), self._most))]
        try:
            self._do(turns)
        except BaseException:
            for turn in turns:
                turn.error = RuntimeError("the thread that did the work was interrupted")
            raise
        finally:
            self._call(turns)

    def _call(self, turns: Sequence[Turn[WorkT]]) -> None:
        """Call who leads next, then those whose work is done, but for the first: that one has led."""
        with self._lock:
            leads_next = self._waiting[0] if self._waiting else None
            self._led = leads_next is not None
        if leads_next is not None:
            leads_next.called.release()
        turns[0].ended = True
        for turn in turns[1:]:
            turn.ended = True
            turn.called.release()
