"""A burst of changes is one run, and one that does not end does not keep a run away for ever."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.watch.rhythm import LONGEST, QUIET, next_burst


class Timeline:
    """The twin of watched files: what changes at which second, in a time of its own."""

    def __init__(self, *changes: tuple[float, str]) -> None:
        self._changes = sorted(changes)
        self._now = 0.0

    def wait(self, seconds: float | None) -> frozenset[str]:
        end = float("inf") if seconds is None else self._now + seconds
        assert self._changes or seconds is not None, "nothing ever changes again"
        if not self._changes or self._changes[0][0] > end:
            self._now = end
            return frozenset()
        self._now = max(self._now, self._changes[0][0])
        came = [change for change in self._changes if change[0] <= self._now]
        self._changes = self._changes[len(came) :]
        return frozenset(path for _, path in came)

    def now(self) -> float:
        return self._now


def burst(timeline: Timeline) -> set[str]:
    return set(next_burst(timeline, lambda path: path != "noise"))


CASES: list[tuple[str, list[tuple[float, str]], list[set[str]]]] = [
    ("one save", [(1, "a")], [{"a"}]),
    ("two at once", [(1, "a"), (1, "b")], [{"a", "b"}]),
    ("a save in steps", [(1, "a"), (1.1, "a"), (1.2, "b")], [{"a", "b"}]),
    ("two saves", [(1, "a"), (1.2, "b")], [{"a"}, {"b"}]),
    ("noise before", [(0.5, "noise"), (1, "a")], [{"a"}]),
    ("noise does not prolong", [(1, "a"), (1.1, "noise"), (1.2, "b")], [{"a"}, {"b"}]),
    ("a checkout", [(1 + index / 20, f"f{index}") for index in range(30)], [{f"f{i}" for i in range(30)}]),
]


@pytest.mark.parametrize(("_", "changes", "bursts"), CASES, ids=[case[0] for case in CASES])
def test_changes_are_gathered_until_they_rest(
    _: str, changes: list[tuple[float, str]], bursts: list[set[str]]
) -> None:
    timeline = Timeline(*changes)
    assert [burst(timeline) for _ in bursts] == bursts


def test_changes_without_end_are_worked_on_after_a_while() -> None:
    timeline = Timeline(*((index / 20, str(index)) for index in range(1_000)))
    burst(timeline)
    assert LONGEST <= timeline.now() < LONGEST + QUIET


@given(st.lists(st.tuples(st.floats(0, 60), st.sampled_from("abcdef")), min_size=1))
def test_no_change_is_lost_and_none_is_told_twice(changes: list[tuple[float, str]]) -> None:
    numbered = [(at, f"{path}{index}") for index, (at, path) in enumerate(changes)]
    timeline = Timeline(*numbered)
    told: list[str] = []
    while len(told) < len(numbered):
        told += burst(timeline)
    assert sorted(told) == sorted(path for _, path in numbered)
