"""How much of the service a caller may have."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_apply.auth.concurrency import ConcurrencyLimit, Full
from kagent_apply.auth.limits import LimitExceededError, Limits, LimitSettings
from kagent_apply.auth.rate import Rate, RateLimit
from tests.apply.auth.files import Hand

STEPS = st.lists(st.tuples(st.floats(-1, 5), st.sampled_from("abcd")), max_size=60)


@given(steps=STEPS, per_second=st.floats(0.1, 10), burst=st.integers(1, 5), most=st.integers(1, 4))
def test_no_caller_ever_makes_more_calls_than_rate_and_burst_allow(
    steps: list[tuple[float, str]], per_second: float, burst: int, most: int
) -> None:
    """In any stretch of time, also where there are more callers than are counted apart."""
    hand = Hand()
    limit = RateLimit(Rate(per_second, burst), hand, most_callers=most)
    made: dict[str, list[float]] = {}
    latest = hand.now
    for pause, caller in steps:
        hand.now += pause
        latest = max(latest, hand.now)
        if not limit.take(caller):
            made.setdefault(caller, []).append(latest)
        assert limit.callers <= most
    for times in made.values():
        for first, start in enumerate(times):
            for last, end in enumerate(times[first:], first):
                assert last - first + 1 <= burst + per_second * (end - start) + 1e-6


@given(per_second=st.floats(0.1, 10), burst=st.integers(1, 5))
def test_whoever_waits_as_long_as_told_may_go_on(per_second: float, burst: int) -> None:
    hand = Hand()
    limit = RateLimit(Rate(per_second, burst), hand)
    assert [limit.take("a") for _ in range(burst)] == [0.0] * burst
    wait = limit.take("a")
    assert 0 < wait <= 1 / per_second + 1e-9
    hand.now += wait + 1e-6
    assert limit.take("a") == 0.0


def test_one_caller_takes_nothing_from_another() -> None:
    limit = RateLimit(Rate(1, 1), Hand())
    assert limit.take("a") == 0.0
    assert limit.take("a") == 1.0
    assert limit.take("b") == 0.0


def test_callers_who_rest_are_forgotten() -> None:
    hand = Hand()
    limit = RateLimit(Rate(1, 2), hand, most_callers=100)
    for number in range(1000):
        limit.take(str(number))
    assert limit.callers == 100
    hand.now += 2
    limit.take("new")
    assert limit.callers == 1


def test_a_crowd_of_new_callers_shares_one_count_and_leaves_the_known_alone() -> None:
    limit = RateLimit(Rate(1, 2), Hand(), most_callers=2)
    limit.take("a")
    limit.take("b")
    assert [limit.take(f"new {number}") > 0 for number in range(4)] == [False, False, True, True]
    assert limit.take("a") == 0.0
    assert limit.take("a") > 0


@pytest.mark.parametrize(("per_second", "burst"), [(0, 1), (-1, 1), (1, 0), (float("nan"), 1)])
def test_a_rate_that_lets_nothing_through_is_none(per_second: float, burst: int) -> None:
    with pytest.raises(ValueError, match="let calls through"):
        Rate(per_second, burst)


@pytest.mark.parametrize(("per_caller", "overall"), [(0, 1), (1, 0), (-1, None)])
def test_a_bound_that_lets_nothing_through_is_none(per_caller: int, overall: int | None) -> None:
    with pytest.raises(ValueError, match="let calls through"):
        ConcurrencyLimit(per_caller, overall)


def test_calls_at_once_are_counted_by_caller_and_in_all() -> None:
    limit = ConcurrencyLimit(2, 3)
    assert [limit.enter(caller) for caller in "aaabbc"] == [
        None,
        None,
        Full.CALLER,
        None,
        Full.SERVER,
        Full.SERVER,
    ]
    limit.leave("a")
    assert [limit.enter(caller) for caller in "ca"] == [None, Full.SERVER]
    for caller in "abc":
        limit.leave(caller)
    assert limit.callers == 0


@given(st.lists(st.sampled_from(["+a", "+b", "-a", "-b"])))
def test_no_more_calls_are_under_way_than_the_bounds_say(steps: list[str]) -> None:
    limit, under_way = ConcurrencyLimit(2, 3), {"a": 0, "b": 0}
    for step in steps:
        sign, caller = step[0], step[1]
        if sign == "-" and under_way[caller]:
            limit.leave(caller)
            under_way[caller] -= 1
        elif sign == "+":
            free = under_way[caller] < 2 and sum(under_way.values()) < 3
            assert (limit.enter(caller) is None) == free
            under_way[caller] += free
    assert limit.callers == sum(map(bool, under_way.values()))


def test_a_call_too_many_is_told_when_to_come_back() -> None:
    hand = Hand()
    limits = Limits(LimitSettings(Rate(0.5, 1)), hand)
    with limits.admitted("a"):
        pass
    hand.now += 0.5
    with pytest.raises(LimitExceededError) as caught, limits.admitted("a"):
        pass
    assert caught.value.retry_after == 1.5


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (LimitSettings(per_caller=1), "you have as many calls"),
        (LimitSettings(overall=1), "the server has as many"),
    ],
)
def test_a_call_is_counted_while_it_lasts(settings: LimitSettings, message: str) -> None:
    limits = Limits(settings, Hand())
    with ExitStack() as stack:
        stack.enter_context(limits.admitted("a"))
        with pytest.raises(LimitExceededError, match=message) as caught, limits.admitted("a"):
            pass
        assert caught.value.retry_after == 1.0
    with limits.admitted("a"):
        pass


def test_a_call_that_the_rate_refuses_or_that_fails_leaves_nothing_counted() -> None:
    limits = Limits(LimitSettings(Rate(1, 1), per_caller=1), hand := Hand())
    with pytest.raises(ZeroDivisionError), limits.admitted("a"):
        raise ZeroDivisionError
    with pytest.raises(LimitExceededError, match="in a while"), limits.admitted("a"):
        pass
    hand.now += 1
    with limits.admitted("a"):
        pass


def test_a_call_refused_for_the_others_under_way_takes_nothing_of_the_rate() -> None:
    limits = Limits(LimitSettings(Rate(1, 2), per_caller=1), Hand())
    with limits.admitted("a"), pytest.raises(LimitExceededError, match="under way"), limits.admitted("a"):
        pass
    with limits.admitted("a"):
        pass


def test_threads_together_stay_within_the_bounds() -> None:
    limits = Limits(LimitSettings(Rate(0.001, 50), overall=4), Hand())
    gate, admitted, most = threading.Lock(), [0, 0], [0]

    def call(number: int) -> None:
        try:
            with limits.admitted("a"):
                with gate:
                    admitted[0] += 1
                    admitted[1] += 1
                    most[0] = max(most[0], admitted[1])
                with gate:
                    admitted[1] -= 1
        except LimitExceededError:
            pass

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(call, range(400)))
    assert admitted[0] <= 50
    assert most[0] <= 4
