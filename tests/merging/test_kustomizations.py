"""Kustomizations are merged as sets, whatever the order and the neighbourhood of their lines."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.emit.config_map import generator
from kagent_render.emit.plan import carrier_text, kustomization_text
from kagent_render.merging.kustomizations import merge_kustomizations


def text(names: object) -> bytes:
    return kustomization_text(names).encode()  # type: ignore[arg-type]


def carrier(names: object, *, substitution: bool = True, pair: str = "team/py/planner") -> bytes:
    files: frozenset[str] = frozenset(names)  # type: ignore[call-overload]
    return carrier_text(generator(PairRef(*pair.split("/")), files, substitution=substitution)).encode()


@pytest.mark.parametrize("write", [text, carrier])
@pytest.mark.parametrize(
    ("base", "ours", "theirs", "merged"),
    [
        ("a z", "a m z", "a c z", "a c m z"),  # a union of lines would not be sorted
        ("a b c", "a c", "a b c d", "a c d"),  # ... and would bring back what one side removed
        ("a b c", "a c", "b c", "c"),
        ("a", "a b", "a b", "a b"),
        ("", "a", "b", "a b"),
        ("a b", "a b", "a b", "a b"),
    ],
)
def test_what_both_added_and_neither_removed_stays(
    write: Callable[[object], bytes], base: str, ours: str, theirs: str, merged: str
) -> None:
    sides = [write(side.split()) if side else b"" for side in (base, ours, theirs)]
    assert merge_kustomizations(*sides) == write(merged.split())


def test_of_resources_nothing_may_be_left_and_of_what_is_carried_something_must() -> None:
    assert merge_kustomizations(text("ab"), text("a"), text("b")) == text("")
    assert merge_kustomizations(carrier("ab"), carrier("a"), carrier("b")) is None


@pytest.mark.parametrize("base", [True, False])
@pytest.mark.parametrize("ours", [True, False])
@pytest.mark.parametrize("theirs", [True, False])
def test_flux_is_kept_from_what_either_side_keeps_it_from(base: bool, ours: bool, theirs: bool) -> None:
    sides = carrier("abc", substitution=base), carrier("ab", substitution=ours)
    merged = merge_kustomizations(*sides, carrier("abcd", substitution=theirs))
    assert merged == carrier("abd", substitution=ours and theirs)


MIXED = {
    "resources and a generator": (text("a"), carrier("a")),
    "two pairs": (carrier("a", pair="team/py/other"), carrier("a")),
    "a label of one's own": (
        carrier("a").replace(b"    labels:\n", b"    labels:\n      a: b\n"),
        carrier("a"),
    ),
    "a pair that is none": (carrier("a").replace(b"team/py/planner", b"team/py"), carrier("a")),
    "a suffix": (carrier("a").replace(b"Hash: true", b"Hash: false"), carrier("a")),
}


@pytest.mark.parametrize(("other", "own"), MIXED.values(), ids=MIXED)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_what_lists_other_things_is_left_to_others(other: bytes, own: bytes, place: int) -> None:
    sides = [own] * 3
    sides[place] = other
    assert merge_kustomizations(*sides) is None


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


@given(_NAMES, _NAMES, _NAMES, st.sampled_from([text, lambda names: carrier({"kept", *names})]))
def test_the_sides_may_be_swapped_and_a_side_without_changes_has_no_say(
    base: frozenset[str],
    ours: frozenset[str],
    theirs: frozenset[str],
    write: Callable[[object], bytes],
) -> None:
    first, second, third = write(base), write(ours), write(theirs)
    assert merge_kustomizations(first, second, third) == merge_kustomizations(first, third, second)
    assert merge_kustomizations(first, second, first) == second
    assert merge_kustomizations(first, second, second) == second
