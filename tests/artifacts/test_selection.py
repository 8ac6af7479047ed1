"""What locks pin of a source that is not at hand."""

from __future__ import annotations

import pytest

from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.selection import LockedContent, Selection
from kagent_render.diagnostics.reasons import Reason

FAILURE = ArtifactFailure(Reason.ARTIFACT_UNAVAILABLE_OFFLINE, "not at hand")
A = Selection("sha256:a", {"a": "sha256:1"}, ("practices", None))
A_AND_B = Selection("sha256:ab", {"a": "sha256:1", "b": "sha256:2"}, ("practices", None))
OTHER_A = Selection("sha256:A", {"a": "sha256:3"}, ("practices", None))
OTHER_A_AND_B = Selection("sha256:AB", {"a": "sha256:3", "b": "sha256:2"}, ("practices", None))
OTHER_B = Selection("sha256:B", {"b": "sha256:4"}, ("practices", None))
ALONE = Selection("sha256:a", {"a": "sha256:9"})


@pytest.mark.parametrize(
    ("pinned", "expected"),
    [
        pytest.param([A], A, id="the same selection"),
        pytest.param([A_AND_B, A, OTHER_B], A, id="and others that agree or do not matter"),
        pytest.param([A, ALONE], A, id="and a skill of its own"),
        pytest.param([], None, id="nothing"),
        pytest.param([A_AND_B], None, id="more"),
        pytest.param([ALONE], None, id="a skill of its own alone"),
        pytest.param([A, OTHER_A], None, id="two contents"),
        pytest.param([A, OTHER_A_AND_B], None, id="two contents of one skill"),
    ],
)
def test_the_word_of_locks_is_taken_where_all_that_know_the_selection_agree(
    pinned: list[Selection], expected: Selection | None
) -> None:
    assert LockedContent(FAILURE, tuple(pinned)).selection(["a"], plugin=True) == expected


@pytest.mark.parametrize(
    ("pinned", "expected"),
    [
        ([A, A_AND_B, OTHER_B, ALONE], None),
        ([A, OTHER_A], ("sha256:a", "sha256:A")),
        ([A, OTHER_A_AND_B], ("sha256:1", "sha256:3")),
        ([A_AND_B, OTHER_A_AND_B], ("sha256:1", "sha256:3")),
    ],
)
def test_a_contradiction_names_both_digests(
    pinned: list[Selection], expected: tuple[str, str] | None
) -> None:
    assert LockedContent(FAILURE, tuple(pinned)).contradiction(["a"], plugin=True) == expected
