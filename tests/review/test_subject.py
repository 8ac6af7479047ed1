"""The committed lock is what runs: where it is not what the manifests give, that is told and widens."""

from __future__ import annotations

import pytest

from kagent_render.diagnostics.diagnostic import Diagnostic, Severity
from kagent_render.diagnostics.reasons import Reason
from kagent_render.review import topics
from kagent_render.review.change import Kind
from kagent_render.review.effect import Effect
from kagent_render.review.fact import Fact
from kagent_render.review.review import NOTHING, Review, RootReview, merged, verdict
from kagent_render.review.side import State, SubjectSide, standing
from kagent_render.review.subject import SubjectKind, review_subject
from tests.review.reviews import BASE, HEAD, PAIR, review, side, subject

OLD, NEW = Fact(topics.PROMPT, "", "", "old"), Fact(topics.PROMPT, "", "", "new")


def test_the_same_on_both_sides_is_nothing() -> None:
    assert review_subject(SubjectKind.PAIR, PAIR, "", side(OLD), side(OLD)) is None


DOUBTFUL = [state for state in State if state not in (State.CURRENT, State.RELEASE)]


@pytest.mark.parametrize("state", DOUBTFUL)
@pytest.mark.parametrize("which", [0, 1])
def test_a_doubtful_lock_of_either_side_widens_although_nothing_differs(state: State, which: int) -> None:
    sides = [side(OLD), side(OLD)]
    sides[which] = side(OLD, state=state, messages=("why",))
    found = subject(sides[0], sides[1])
    assert found.effect is Effect.WIDENS
    (doubt,) = found.doubts
    assert (doubt.side, doubt.state, doubt.messages) == (("base", "head")[which], state, ("why",))


def test_a_lock_of_another_release_widens_in_the_head_alone() -> None:
    other = side(OLD, state=State.RELEASE)
    assert subject(other, side(OLD)).effect is Effect.NEUTRAL
    assert subject(side(OLD), other).effect is Effect.WIDENS
    assert subject(other, other).effect is Effect.WIDENS


def test_a_new_subject_widens_and_one_that_is_gone_narrows() -> None:
    new, gone = subject(None, side(OLD)), subject(side(OLD), None)
    assert (new.kind, new.effect) == (Kind.ADDED, Effect.WIDENS)
    assert (gone.kind, gone.effect) == (Kind.REMOVED, Effect.NARROWS)


def test_a_lock_that_nothing_asks_for_is_gone_and_doubtful() -> None:
    left = SubjectSide(State.LEFT, committed=lambda: (OLD,))
    found = subject(side(OLD), left)
    assert (found.kind, found.effect) == (Kind.REMOVED, Effect.WIDENS)
    assert [change.kind for change in found.changes] == [Kind.REMOVED]


def test_files_that_differ_without_a_fact_are_told_and_widen() -> None:
    before, after = side(OLD), side(OLD)
    found = subject(
        before, SubjectSide(State.CURRENT, (), {"lock": b"other"}, after.prepared, after.committed)
    )
    assert [change.topic for change in found.changes] == [topics.OTHER]
    assert found.effect is Effect.WIDENS


def test_a_stale_lock_that_becomes_current_is_told_although_the_manifests_are_the_same() -> None:
    stale = SubjectSide(State.STALE, (), {"lock": b"new"}, lambda: (NEW,), lambda: (OLD,))
    found = subject(stale, SubjectSide(State.CURRENT, (), {"lock": b"new"}, lambda: (NEW,), lambda: (NEW,)))
    (change,) = found.changes
    assert (change.topic, change.committed) == (topics.PROMPT, True)


def test_an_edit_that_is_not_rendered_is_told_once() -> None:
    stale = SubjectSide(State.STALE, (), {"lock": b"new"}, lambda: (NEW,), lambda: (OLD,))
    (change,) = subject(side(OLD), stale).changes
    assert (change.topic, change.committed) == (topics.PROMPT, False)


def test_locks_alone_are_compared_where_a_side_cannot_be_prepared() -> None:
    failed = SubjectSide(State.FAILED, ("why",), committed=lambda: (OLD,))
    found = subject(failed, side(NEW))
    assert [(change.topic, change.committed) for change in found.changes] == [(topics.PROMPT, True)]
    assert found.effect is Effect.WIDENS


STATES: list[tuple[list[Reason], State]] = [
    ([], State.CURRENT),
    ([Reason.LOCK_MISSING], State.MISSING),
    ([Reason.LOCK_STALE], State.STALE),
    ([Reason.LOCK_INVALID], State.DAMAGED),
    ([Reason.LOCK_CONFLICT], State.DAMAGED),
    ([Reason.OUTPUT_DRIFT], State.DAMAGED),
    ([Reason.LOCK_STALE, Reason.OUTPUT_DRIFT], State.DAMAGED),
    ([Reason.ARTIFACT_DIGEST_MISMATCH], State.DAMAGED),
]


@pytest.mark.parametrize(("reasons", "state"), STATES)
def test_the_state_of_a_lock_is_what_check_finds(reasons: list[Reason], state: State) -> None:
    assert standing([Diagnostic(reason, "m") for reason in reasons]) is state


def test_a_warning_makes_no_lock_doubtful() -> None:
    assert standing([Diagnostic(Reason.OUTPUT_DRIFT, "m", Severity.WARNING)]) is State.CURRENT


def test_the_verdict_of_nothing_says_so_and_counts_what_was_compared() -> None:
    assert verdict(review(same=3)) == f"{NOTHING}: 3 pairs are the same"
    assert verdict(Review(BASE, HEAD)) == f"{NOTHING}: neither side has any"


def test_the_verdict_counts_what_widens_narrows_and_does_neither() -> None:
    found = review(subject(None, side(OLD)), subject(side(OLD), None), subject(side(OLD), side(NEW)), same=1)
    assert verdict(found) == (
        "1 pair widens what an agent may do or reach, 1 pair narrows it,"
        " 1 pair changes and widens nothing; 1 pair is the same"
    )


def test_the_verdict_tells_an_upgrade_from_a_doubt() -> None:
    found = review(subject(side(OLD, state=State.RELEASE), side(OLD)))
    assert verdict(found) == (
        "1 pair changes and widens nothing; the lock of 1 was written by another release"
    )
    narrowed = review(subject(side(OLD), None), subject(side(OLD), None, "a/b/c"))
    assert verdict(narrowed) == "2 pairs narrow what an agent may do or reach"


def test_the_verdict_never_says_that_nothing_changed_where_a_lock_is_doubtful() -> None:
    found = review(subject(side(OLD), side(OLD, state=State.STALE)), same=1)
    assert (found.differs, found.widens) == (True, True)
    assert NOTHING not in verdict(found)


def test_roots_are_merged_in_their_order() -> None:
    one, two = subject(None, side(OLD), "a/b/c"), subject(None, side(OLD), "d/e/f")
    found = merged(Review(BASE, HEAD), [RootReview((one,), {SubjectKind.PAIR: 2}), RootReview((two,))])
    assert [part.name for part in found.subjects] == ["a/b/c", "d/e/f"]
    assert found.same == {SubjectKind.PAIR: 2}
