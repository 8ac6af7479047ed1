"""How long the driver waits, and how long it goes on."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as some

from kagent_apply.substrate.deadline import Deadline, SystemClock, deadline_in
from tests.apply.substrate.fake_control import FakeClock


@given(some.floats(0, 3600), some.floats(0, 1))
def test_pauses_end_before_the_deadline(seconds: float, jitter: float) -> None:
    clock = FakeClock()
    deadline = Deadline(clock, seconds, lambda: jitter)
    pauses = 0
    while deadline.pause():
        pauses += 1
    assert clock.now() <= seconds
    assert seconds - clock.now() < max(0.02, seconds * 0.01) + 0.02
    assert pauses < seconds + 25


def test_pauses_grow_and_are_not_the_same_for_all() -> None:
    def waits(jitter: float) -> list[float]:
        clock, found = FakeClock(), []
        deadline = Deadline(clock, 1000, lambda: jitter)
        for _ in range(8):
            before = clock.now()
            deadline.pause()
            found.append(round(clock.now() - before, 3))
        return found

    assert waits(0.5) == [0.05, 0.1, 0.2, 0.4, 0.8, 1.6, 2.0, 2.0]
    assert waits(0)[0] < waits(1)[0]


def test_a_call_has_some_time_even_after_the_end() -> None:
    assert deadline_in(FakeClock(), -5).left() > 0


def test_a_change_leaves_time_for_a_look() -> None:
    assert deadline_in(FakeClock(), 10).for_a_change() == 9


def test_the_clock_of_the_machine_goes_on() -> None:
    clock = SystemClock()
    before = clock.now()
    clock.wait(0.001)
    assert clock.now() > before
