"""What a lock retains, as a table of histories; the program's own tests hold it against Git."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.revision.canonical_json import digest
from kagent_render.revision.lock import Lock
from kagent_render.revision.lock_document import dump_lock
from kagent_render.revision.lock_history import LockHistory, decode_histories, encode_histories, read_history
from kagent_render.revision.retained import RetainedRevision
from kagent_render.revision.retention import continues, retain, without_let_go
from tests.revision.locks import boundary, full_lock


def lock(revision: str, *names: str) -> Lock:
    """A lock with a revision and ActorTemplates, which are what counts here."""
    boundaries = tuple(boundary(f"b{index}", name) for index, name in enumerate(names))
    return dataclasses.replace(full_lock(), revision=digest(revision), boundaries=boundaries, retained=())


def revision(name: str, *names: str) -> RetainedRevision:
    return RetainedRevision(digest(name), names)


def history(current: RetainedRevision, *earlier: RetainedRevision) -> LockHistory:
    return LockHistory(current, earlier)


A, B, C, D = (revision(name, f"{name}-1") for name in "abcd")
NEW = lock("new", "new-1")


@pytest.mark.parametrize(
    ("committed", "revisions", "in_use", "expected"),
    [
        pytest.param(None, 3, (), [], id="nothing was committed"),
        pytest.param(history(A), 1, (), [], id="the current one counts"),
        pytest.param(history(A), 2, (), [A], id="one earlier one"),
        pytest.param(history(C, B, A), 3, (), [C, B], id="the newest ones"),
        pytest.param(history(C, B, A), 9, (), [C, B, A], id="all that are known"),
        pytest.param(history(C, B, A), 1, ("a-1",), [A], id="what is in use stays beyond the number"),
        pytest.param(history(C, B, A), 2, ("a-1", "x"), [C, A], id="in use and recent"),
        pytest.param(history(revision("new", "new-1"), B, A), 3, (), [B, A], id="the same revision again"),
        pytest.param(
            history(B, revision("new", "new-1"), A), 3, (), [B, A], id="an earlier one current again"
        ),
        pytest.param(history(revision("b", "b-1", "new-1")), 3, (), [B], id="what is written now anyway"),
        pytest.param(history(revision("b", "new-1")), 3, (), [], id="a revision that has nothing of its own"),
        pytest.param(
            history(revision("b", "b-1", "b-2")), 1, ("b-2",), [revision("b", "b-2")], id="one of two"
        ),
        pytest.param(history(B, B, A), 3, (), [B, A], id="one revision twice"),
    ],
)
def test_history_decides_what_is_retained(
    committed: LockHistory | None, revisions: int, in_use: tuple[str, ...], expected: list[RetainedRevision]
) -> None:
    assert list(retain(NEW, committed, revisions, frozenset(in_use))) == expected


@given(st.lists(st.sampled_from("abcdef"), max_size=6, unique=True), st.integers(1, 8))
def test_retaining_again_after_the_commit_changes_nothing(names: list[str], revisions: int) -> None:
    earlier = [revision(name, f"{name}-1") for name in names]
    committed = history(earlier[0], *earlier[1:]) if earlier else None
    once = retain(NEW, committed, revisions)
    assert len(once) <= revisions - 1
    assert retain(NEW, history(revision("new", "new-1"), *once), revisions) == once


LET_GO = [
    pytest.param(history(C, B, A), history(C, B, A), (), [B, A], id="the same lock"),
    pytest.param(history(C, B, A), history(C, B), (), [B], id="the oldest let go"),
    pytest.param(history(C, B, A), history(D, C, B), (), [B], id="let go and rendered anew"),
    pytest.param(history(C, B, A), history(C), (), [], id="all let go"),
    pytest.param(history(C, B, A), history(C), ("a-1",), [A], id="what is in use is never let go"),
    pytest.param(history(C, B, A), history(D, B), (), [B, A], id="a lock that does not go on from it"),
    pytest.param(history(C, B, A), history(B, A), (), [B, A], id="an older lock"),
    pytest.param(
        history(C, B, A),
        history(revision("e", "c-1"), B),
        (),
        [B],
        id="a revision with the same ActorTemplates",
    ),
    pytest.param(
        history(C, B, A),
        history(revision("e", "a-1"), C, B),
        (),
        [B, A],
        id="what the present one writes itself",
    ),
]


@pytest.mark.parametrize(("committed", "present", "in_use", "expected"), LET_GO)
def test_a_lock_that_goes_on_from_the_committed_one_decides_what_stays(
    committed: LockHistory, present: LockHistory, in_use: tuple[str, ...], expected: list[RetainedRevision]
) -> None:
    remaining = without_let_go(committed, present, 4, frozenset(in_use))
    assert (remaining.current, list(remaining.retained)) == (committed.current, expected)


@given(st.integers(1, 6), st.integers(1, 6), st.lists(st.integers(0, 7), max_size=4))
def test_edits_that_are_taken_back_before_the_commit_let_nothing_go(
    count: int, revisions: int, edits: list[int]
) -> None:
    """However many revisions are rendered on top, the committed one retains what it did."""
    known = [revision(f"r{index}", f"r{index}-1") for index in range(8)]
    committed = history(known[0], *retain(known[0], history(known[0], *known[1:count]), revisions))
    present = committed
    for edited in (*edits, 0):
        remaining = without_let_go(committed, present, revisions)
        present = history(known[edited], *retain(known[edited], remaining, revisions))
    assert present == committed


NAMES = st.frozensets(st.sampled_from(["n1", "n2", "n3", "n4", "n5"]), min_size=1, max_size=3)


@given(
    st.lists(NAMES, min_size=1, max_size=6),
    st.one_of(st.none(), NAMES),
    st.integers(1, 6),
    st.integers(1, 6),
    st.frozensets(st.sampled_from(["n1", "n2", "n3", "n4", "n5"]), max_size=3),
)
def test_what_was_pruned_stays_pruned_and_nothing_else_goes(
    sets: list[frozenset[str]],
    edited: frozenset[str] | None,
    revisions: int,
    keep: int,
    in_use: frozenset[str],
) -> None:
    """Pruning to fewer revisions gives what the next render and check give, rendered anew or not."""
    earlier = [revision(f"r{index}", *sorted(names)) for index, names in enumerate(sets)]
    committed = history(earlier[0], *retain(earlier[0], history(earlier[0], *earlier[1:]), revisions, in_use))
    current = revision("edited", *sorted(edited)) if edited is not None else committed.current
    rendered = history(current, *retain(current, committed, revisions, in_use))
    if not continues(rendered, committed):
        return
    count = min(keep, revisions)
    count = count if edited is None else max(count, min(revisions, 2))
    base = without_let_go(committed, rendered, revisions, in_use)
    pruned = history(current, *retain(current, base, count, in_use))
    remaining = without_let_go(committed, pruned, revisions, in_use)
    assert retain(current, remaining, revisions, in_use) == pruned.retained
    after = history(pruned.current, *pruned.retained)
    assert retain(current, after, revisions, in_use) == pruned.retained


def test_history_is_read_from_a_lock_s_text() -> None:
    full = full_lock()
    found = read_history(dump_lock(full).encode())
    assert found is not None
    assert found.current.revision == full.revision
    assert set(found.current.actor_templates) == set(full.actor_templates)
    assert found.retained == tuple(
        RetainedRevision(entry.revision, tuple(sorted(entry.actor_templates))) for entry in full.retained
    )


@pytest.mark.parametrize("text", [b"", b"kind: Other\n", b"\xff\xfe", b"spec:\n  revision: none\n"])
def test_what_is_no_lock_has_no_history(text: bytes) -> None:
    assert read_history(text) is None


def test_a_prompt_cannot_pretend_to_be_history() -> None:
    entry = f"  - revision: {digest('spoof')}\n    actorTemplates:\n    - spoof-1\n"
    spoof = f"x\n  revision: {digest('spoof')}\n  retained:\n{entry}"
    full = full_lock()
    prompts = tuple(dataclasses.replace(prompt, text=spoof) for prompt in full.prompts)
    found = read_history(dump_lock(dataclasses.replace(full, prompts=prompts)).encode())
    assert found is not None
    assert found.current.revision == full.revision
    assert "spoof-1" not in {
        name for entry in (found.current, *found.retained) for name in entry.actor_templates
    }


def test_histories_survive_being_kept() -> None:
    histories = {"a": history(C, B, A), "b": history(D)}
    assert decode_histories(encode_histories(histories)) == histories
