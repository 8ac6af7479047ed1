"""The ConfigMap that carries a pair: its name, what selects it, and every byte of its files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.emit.config_map import MAX_DATA, ConfigMap, carried_size, carry, config_map_name
from kagent_render.revision.canonical_yaml import dump
from kagent_render.source.yaml import read_yaml
from tests.emit.hostile import contents, documents

if TYPE_CHECKING:
    from collections.abc import Mapping

PAIR = PairRef("team", "py", "planner")
DNS_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
LABEL_VALUE = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
NAMES = st.from_regex(
    r"[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,30}[a-z0-9])?){0,3}", fullmatch=True
)


def data_of(made: ConfigMap) -> dict[str, Any]:
    return yaml.load(made.text, yaml.CSafeLoader)["data"] or {}


@pytest.mark.parametrize(
    ("pair", "readable"),
    [
        (PAIR, "planner-py-"),
        (PairRef("team", "h", "a" * 60), "a" * 50 + "-"),
        (PairRef("team", "h" * 60, "t" * 48), "t" * 48 + "-h-"),
        (PairRef("team", "h" * 60, "t" * 49), "t" * 49 + "-"),
        (PairRef("team", "b.c", "t" * 47), "t" * 47 + "-b-"),
    ],
)
def test_a_name_is_the_pairs_cut_to_50_characters_and_12_digits(pair: PairRef, readable: str) -> None:
    assert re.fullmatch(re.escape(readable) + "[0-9a-f]{12}", config_map_name(pair))


def test_the_digits_are_those_that_anybody_can_compute() -> None:
    """`printf '{"harness":"py","namespace":"team","template":"planner"}' | sha256sum | cut -c1-12`."""
    assert config_map_name(PAIR) == "planner-py-610b8c3cee50"


def test_pairs_that_read_the_same_have_other_names() -> None:
    same = [PairRef("team", "c", "a-b"), PairRef("team", "b-c", "a"), PairRef("other", "c", "a-b")]
    assert len({config_map_name(pair) for pair in same}) == 3
    assert len({config_map_name(pair).rpartition("-")[0] for pair in same}) == 1


@given(NAMES, NAMES)
def test_every_name_is_one_that_an_object_can_have(harness: str, template: str) -> None:
    name = config_map_name(PairRef("team", harness, template))
    assert DNS_SUBDOMAIN.fullmatch(name)
    assert len(name) <= 63


def test_the_revision_changes_data_alone() -> None:
    first, second = (carry(PAIR, lock, {name: b"a"}, {}) for lock, name in ((b"1", "x-1"), (b"2", "x-2")))
    assert first.document["metadata"] == second.document["metadata"]
    assert first.document["data"] != second.document["data"]


@pytest.mark.parametrize("length", [1, 63, 64, 253])
def test_a_label_holds_the_names_that_fit_and_an_annotation_all(length: int) -> None:
    pair = PairRef("team", "h" * length, "t" * length)
    metadata = carry(pair, b"", {}, {}).document["metadata"]
    assert all(LABEL_VALUE.fullmatch(value) for value in metadata["labels"].values())
    assert metadata["labels"]["app.kubernetes.io/managed-by"] == "kagent"
    assert metadata["labels"]["render.kagent.dev/carries"] == "actortemplates"
    assert (metadata["labels"].get("kagent.dev/harness") == pair.harness) is (length <= 63)
    assert (metadata["labels"].get("kagent.dev/agent-template") == pair.template) is (length <= 63)
    assert metadata["annotations"]["render.kagent.dev/pair"] == str(pair)


def test_argocd_is_told_to_apply_on_the_server() -> None:
    annotations = carry(PAIR, b"", {}, {}).document["metadata"]["annotations"]
    assert annotations["argocd.argoproj.io/sync-options"] == "ServerSideApply=true"


@pytest.mark.parametrize(
    ("texts", "kept"), [(["a"], False), (["a", "${b}"], True), (["$", "{b}"], False), (["$(b) $b"], False)]
)
def test_flux_is_kept_from_substituting_where_any_text_has_a_variable(texts: list[str], kept: bool) -> None:
    made = carry(PAIR, texts[0].encode(), {str(i): text.encode() for i, text in enumerate(texts[1:])}, {})
    told = made.document["metadata"]["annotations"].get("kustomize.toolkit.fluxcd.io/substitute")
    assert told == ("disabled" if kept else None)


def test_a_retained_text_counts_for_flux_only_where_it_is_carried() -> None:
    retained = {"x-1": b"${b}"}
    assert "disabled" in carry(PAIR, b"", {}, retained).document["metadata"]["annotations"].values()
    foreign = carry(PAIR, b"", {}, retained, {"x-1"})
    assert "disabled" not in foreign.document["metadata"]["annotations"].values()


@given(contents(), contents(), contents())
def test_what_is_printed_has_the_bytes_of_the_files(lock: bytes, current: bytes, earlier: bytes) -> None:
    made = carry(PAIR, lock, {"x-2": current}, {"x-1": earlier})
    expected = {"revision.lock.yaml": lock, "x-2.yaml": current, "x-1.yaml": earlier}
    for document in (yaml.load(made.text, yaml.CSafeLoader), read_yaml(made.text)[0].value):
        assert {key: text.encode() for key, text in document["data"].items()} == expected
        assert document == made.document


@given(documents())
def test_what_this_program_writes_is_read_back_by_who_reads_the_config_map(value: object) -> None:
    made = carry(PAIR, dump(value).encode(), {}, {})
    assert read_yaml(data_of(made)["revision.lock.yaml"].encode())[0].value == value


KEPT: dict[str, tuple[int, dict[str, bytes], list[str]]] = {
    "all fit": (10, {"n": b"22", "o": b"333"}, ["n", "o"]),
    "to the last byte": (MAX_DATA - 5, {"n": b"22", "o": b"333"}, ["n", "o"]),
    "the oldest goes first": (MAX_DATA - 4, {"n": b"22", "o": b"333"}, ["n"]),
    "an older one that still fits stays": (MAX_DATA - 4, {"n": b"55555", "o": b"333"}, ["o"]),
    "no room": (MAX_DATA, {"n": b"2", "o": b""}, ["o"]),
    "too large already": (MAX_DATA + 1, {"n": b"2", "o": b""}, []),
}


@pytest.mark.parametrize(("size", "retained", "kept"), KEPT.values(), ids=KEPT)
def test_retained_manifests_fill_what_is_left(size: int, retained: dict[str, bytes], kept: list[str]) -> None:
    made = carry(PAIR, b"l" * 7, {"x": b"m" * (size - 7)}, retained)
    carried = [path.removeprefix("actortemplates/").removesuffix(".yaml") for path in made.files]
    assert sorted(carried) == sorted(["x", "revision.lock", *kept])


@given(
    st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, MAX_DATA).map(lambda n: b"x" * n), max_size=7)
)
def test_nothing_that_is_carried_is_ever_too_large(retained: Mapping[str, bytes]) -> None:
    made = carry(PAIR, b"lock", {"x": b"y" * 1000}, retained)
    assert sum(map(len, made.files.values())) <= MAX_DATA
    assert carried_size(b"lock", {"x": b"y" * 1000}) == 1004


LEFT_OUT = {
    "of another generation": ({"x-1": b"a"}, {"x-1"}),
    "no text": ({"x-1": b"\xff"}, set[str]()),
    "a name that is no key": ({"x" * 249: b"a"}, set[str]()),
    "current anyway": ({"x-2": b"other"}, set[str]()),
}


@pytest.mark.parametrize(("retained", "foreign"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_what_a_config_map_cannot_hold_is_left_out(retained: dict[str, bytes], foreign: set[str]) -> None:
    made = carry(PAIR, b"l", {"x-2": b"current"}, retained, foreign)
    assert data_of(made) == {"revision.lock.yaml": "l", "x-2.yaml": "current"}


def test_a_longest_name_is_a_key() -> None:
    assert list(data_of(carry(PAIR, None, {}, {"x" * 248: b"a"}))) == ["x" * 248 + ".yaml"]


def test_of_a_pair_that_is_gone_only_what_instances_need_is_carried() -> None:
    assert data_of(carry(PAIR, None, {}, {"x-1": b"a"})) == {"x-1.yaml": "a"}
