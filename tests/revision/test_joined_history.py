"""What a merge of two locks retains: every revision of either side, once, the latest first."""

from __future__ import annotations

import pytest

from kagent_render.revision.lock_history import LockHistory, join_histories
from kagent_render.revision.retained import RetainedRevision


def history(revisions: str) -> LockHistory:
    current, *retained = (RetainedRevision(name, (f"template-{name}",)) for name in revisions)
    return LockHistory(current, tuple(retained))


@pytest.mark.parametrize(
    ("ours", "theirs", "joined"),
    [
        ("b", "c", "bc"),
        ("ba", "ca", "bca"),
        ("bxa", "cya", "bcxay"),
        ("b", "b", "b"),
        ("ba", "b", "ba"),
        ("b", "ba", "ba"),
        ("ba", "ab", "ba"),
        ("cb", "dcb", "cdb"),
    ],
)
def test_the_sides_are_joined(ours: str, theirs: str, joined: str) -> None:
    assert join_histories(history(ours), history(theirs)) == history(joined)
