"""Kustomizations are merged as sets, whatever the order and the neighbourhood of their lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.emit.plan import kustomization_text
from kagent_render.merging.kustomizations import merge_kustomizations


def text(names: object) -> bytes:
    return kustomization_text(names).encode()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("a z", "a m z", "a c z", "a c m z"),  # a union of lines would not be sorted
        ("a b c", "a c", "a b c d", "a c d"),  # ... and would bring back what one side removed
        ("a b", "a", "b", ""),
        ("a", "a b", "a b", "a b"),
        ("", "a", "b", "a b"),
        ("a b", "a b", "a b", "a b"),
    ],
)
def test_what_both_added_and_neither_removed_stays(base: str, ours: str, theirs: str, merged: str) -> None:
    sides = [text(side.split()) for side in (base, ours, theirs)]
    assert merge_kustomizations(*sides) == text(merged.split())


def test_a_file_that_both_sides_added_has_no_base() -> None:
    assert merge_kustomizations(b"", text(["a"]), text(["b"])) == text(["a", "b"])


@pytest.mark.parametrize(
    "other",
    [
        b"resources:\n- a\n",
        text(["a"]) + b"namePrefix: x\n",
        text(["a", "b"]).replace(b"- a\n- b", b"- b\n- a"),
        b"\xff\xfe",
        b"<<<<<<< ours\n" + text(["a"]),
    ],
)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_side_that_is_not_ours_is_left_to_others(other: bytes, place: int) -> None:
    sides = [text(["a"])] * 3
    sides[place] = other
    assert merge_kustomizations(*sides) is None


_NAMES = st.frozensets(st.sampled_from(["a", "b/c", "d-1", "e.f", "actortemplates/g.yaml"]))


@given(_NAMES, _NAMES, _NAMES)
def test_the_sides_may_be_swapped_and_a_side_without_changes_has_no_say(
    base: frozenset[str], ours: frozenset[str], theirs: frozenset[str]
) -> None:
    first, second, third = text(base), text(ours), text(theirs)
    assert merge_kustomizations(first, second, third) == merge_kustomizations(first, third, second)
    assert merge_kustomizations(first, second, first) == second
    assert merge_kustomizations(first, second, second) == second
