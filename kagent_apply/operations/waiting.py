"""Waiting for what becomes of an operation, in this process or in another."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_apply.instances.lifecycle import finish, is_under_way
from kagent_apply.instances.standing import Standing
from kagent_apply.operations.error import given_up, of_failure, of_refusal, stopping, too_late
from kagent_apply.operations.work import name_of

if TYPE_CHECKING:
    from threading import Event

    from kagent_apply.instances.instance import Instance
    from kagent_apply.operations.carrier import Carrier
    from kagent_apply.operations.clock import Clock
    from kagent_apply.operations.runs import Run

_SHORTEST: Final = 0.02
_LONGEST: Final = 1.0
"""Seconds between two readings of what another process does."""


@dataclass(frozen=True, slots=True)
class Patience:
    """Until when a caller waits, by the steady clock."""

    clock: Clock
    until: float

    def wait(self, event: Event, most: float | None = None) -> None:
        """Wait for an event, `most` seconds or as long as the caller does: then DEADLINE_EXCEEDED."""
        left = self.until - self.clock.steady()
        if left <= 0 and not event.is_set():
            raise too_late()
        if not self.clock.wait(event, left if most is None else min(left, most)) and most is None:
            raise too_late()

    def check(self) -> None:
        """DEADLINE_EXCEEDED where the caller waits no longer."""
        if self.clock.steady() >= self.until:
            raise too_late()

    def pause(self, seconds: float) -> None:
        """Let time pass, as long as the caller waits at all."""
        self.check()
        self.clock.pause(min(seconds, self.until - self.clock.steady()))


def patience(clock: Clock, timeout: float) -> Patience:
    """Of who waits for so many seconds from now."""
    return Patience(clock, clock.steady() + timeout)


def follow(
    carrier: Carrier, found: Instance, mine: Standing, waits: Patience, run: Run | None = None
) -> Instance:
    """What becomes of an operation, which may be in `run`; OperationError where it is not what was asked for.

    Whoever carries it is waited for, and one that nobody holds any more is carried on here.
    """
    now, pause = found, _SHORTEST
    while run is not None or is_under_way(now.standing, mine):
        run = run or carrier.runs.find(name_of(now)) or carrier.take_over(now)
        if run is not None:
            waits.wait(run.done)
            ended = _of_run(run, mine)
            if ended is not None:
                return answer(ended, mine)
            run = None
        elif carrier.stop.is_set():
            raise stopping()
        else:
            waits.pause(pause * (1 + carrier.clock.jitter()) / 2)
            pause = min(pause * 2, _LONGEST)
        now = carrier.store.instance(name_of(now)) or now
    return answer(now, mine)


def answer(now: Instance, mine: Standing) -> Instance:
    """The instance where it became what was asked for, else an OperationError that says why not."""
    ended = finish(now.standing, mine)
    if isinstance(ended, Standing):
        return now
    if now.standing.claim != mine.claim:
        raise of_refusal(ended)
    raise of_failure(now.standing.failure, now.id) if now.standing.failure else given_up()


def _of_run(run: Run, mine: Standing) -> Instance | None:
    """What a run that is done says of an operation; None where that has to be read."""
    if run.tenure is None or run.tenure.mine.claim != mine.claim:
        return None
    if run.trouble is not None:
        raise copy.copy(run.trouble)  # each who waits raises its own
    return run.ended
