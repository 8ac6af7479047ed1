"""What goes on being wrong is told once, when it changes, and every hour."""

from __future__ import annotations

import pytest

from kagent_apply.observability.repetition import AGAIN_AFTER, Repetition


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("told", "news"),
    [
        (["a"], [True]),
        (["a", "a", "a"], [True, False, False]),
        (["a", "b", "a"], [True, True, True]),
        (["", "a", "", ""], [False, True, True, False]),
        (["a", "", "a"], [True, True, True]),
    ],
)
def test_only_what_changes_is_news(told: list[str], news: list[bool]) -> None:
    repetition = Repetition(Clock())
    assert [repetition.is_news("ref", problem) for problem in told] == news


def test_subjects_have_their_own_news() -> None:
    repetition = Repetition(Clock())
    assert repetition.is_news("ref", "a")
    assert repetition.is_news("store", "a")


def test_an_hour_later_it_is_news_again() -> None:
    clock = Clock()
    repetition = Repetition(clock)
    repetition.is_news("ref", "a")
    found = []
    for _ in range(24):
        clock.now += AGAIN_AFTER / 8
        found.append(repetition.is_news("ref", "a"))
    assert found == ([False] * 7 + [True]) * 3


def test_subjects_without_end_are_forgotten_the_oldest_first() -> None:
    repetition = Repetition(Clock(), most=3)
    assert all(repetition.is_news(str(number), "a") for number in range(4))
    assert not repetition.is_news("3", "a")
    assert repetition.is_news("0", "a")
