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
from kagent_render.revision.retention import retain
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
