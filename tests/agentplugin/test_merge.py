"""Config merges as the operator merges it."""

from __future__ import annotations

import copy
from functools import reduce
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.agentplugin.config_reading import read_config
from kagent_render.agentplugin.merge import merge, typed_key
from kagent_render.source.yaml import read_first_value

MANAGED = "platforms: {google_chat: {enabled: false}, slack: {enabled: false}}"


@pytest.mark.parametrize(
    ("base", "extra", "merged"),
    [
        ("a: {b: {c: 1}}", "a: {b: {d: 2}}", "a: {b: {c: 1, d: 2}}"),
        ("l: [a, b]", "l: [b, c]", "l: [a, b, c]"),
        ("{}", "l: [b, b, a]", "l: [b, b, a]"),
        ("l: [b, b, a]", "l: [c, a, c, a, d]", "l: [b, b, a, c, d]"),
        ("l: [1, 'true']", "l: ['1', true, 1.0]", "l: [1, 'true', '1', true]"),
        ("l: [1.5]", "l: [1.50, '1.5']", "l: [1.5, '1.5']"),
        ("l: [0, null]", "l: [false, '', null]", "l: [0, null, false, '']"),
        ("l: [{one: 1}, {two: 2}]", "l: [{two: 2}, {three: 3}]", "l: [{one: 1}, {two: 2}, {three: 3}]"),
        ("l: [{a: {b: [1]}}]", "l: [{a: {b: [1.0]}}, {a: {b: [on]}}]", "l: [{a: {b: [1]}}, {a: {b: [on]}}]"),
        ("l: [[1]]", "l: [[1], [1, 1], []]", "l: [[1], [1, 1], []]"),
        ("a: 1", "a: 2", "a: 2"),
        ("a: [1]", "a: x", "a: x"),
        ("a: x", "a: [1]", "a: [1]"),
        ("a: {b: 1}", "a: [1]", "a: [1]"),
        ("a: [1]", "a: {b: 1}", "a: {b: 1}"),
        ("a: {b: 1}", "a:", "a:"),
        ("a:", "a: {b: 1}", "a: {b: 1}"),
        ("{}", "approvals: {}", "approvals: {}"),
        ("a: {b: 1}", "a: {}", "a: {b: 1}"),
        (MANAGED, "platforms:", "platforms:"),
        (MANAGED, "platforms: foo", "platforms: foo"),
        (MANAGED, "platforms: {slack: }", "platforms: {google_chat: {enabled: false}, slack: }"),
    ],
)
def test_mappings_merge_lists_unite_and_all_else_is_replaced(base: str, extra: str, merged: str) -> None:
    assert same(merge(data(base), data(extra)), data(merged))


@pytest.mark.parametrize(
    ("configs", "merged"),
    [
        (["platforms:"], "platforms:"),
        (
            ["platforms: {slack: null, google_chat: {enabled: true}}"],
            "platforms: {slack: null, google_chat: {enabled: true}}",
        ),
        (["platforms: {slack: {enabled: true}}"], MANAGED.replace("k: {enabled: false", "k: {enabled: true")),
        (["platforms: {a: 1}\n---\nplatforms: {b: 2}"], MANAGED.replace("{g", "{a: 1, g")),
        (["# c"], MANAGED),
        (["~"], MANAGED),
        (["- a"], MANAGED),
        (["approvals:"], f"approvals:\n{MANAGED}"),
        (["approvals: {mode: x}", "approvals:"], f"approvals:\n{MANAGED}"),
        (["approvals: {mode: off}", "approvals: {mode: manual}"], f"approvals: {{mode: manual}}\n{MANAGED}"),
        (["approvals: [b, b, a]", "approvals: [c, a, c, a, d]"], f"approvals: [b, b, a, c, d]\n{MANAGED}"),
        (["approvals: {cli: [a]}", "approvals: {cli: a2}"], f"approvals: {{cli: a2}}\n{MANAGED}"),
        (["approvals: {cli: a2}", "approvals: {cli: [a]}"], f"approvals: {{cli: [a]}}\n{MANAGED}"),
        (
            ["approvals: [1, 1.0, '1', true]", "approvals: [1.0, 'true', {a: 1}, {a: 1.0}, [1], [1]]"],
            f"approvals: [1, 1, '1', true, 'true', {{a: 1}}, [1]]\n{MANAGED}",
        ),
    ],
)
def test_plugins_merge_onto_the_operators_config_in_their_order(configs: list[str], merged: str) -> None:
    values = merge(data(MANAGED), *(read_config(config).values for config in configs))
    assert same(values, data(merged))


def data(text: str) -> Any:
    return read_first_value(text.encode())


LEAVES = st.sampled_from([None, True, False, 0, 1, 1.0, 1.5, "", "1", "true", "a"])
NAMES = st.sampled_from("abc")
VALUES: st.SearchStrategy[Any] = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner),
    max_leaves=10,
)
CONFIGS = st.dictionaries(NAMES, VALUES)
TREES_OF_SETS: st.SearchStrategy[Any] = st.recursive(
    st.lists(LEAVES, max_size=4, unique_by=typed_key),
    lambda inner: st.dictionaries(NAMES, inner),
    max_leaves=10,
)
SETS = st.dictionaries(NAMES, TREES_OF_SETS)


def same(one: Any, other: Any) -> bool:
    return typed_key(one) == typed_key(other)


@given(base=CONFIGS, extra=CONFIGS)
def test_the_arguments_stay_as_they_are_and_the_result_shares_nothing(base: Any, extra: Any) -> None:
    before = copy.deepcopy((base, extra))
    merged = merge(base, extra)
    collections = {id(part) for part in parts(base)} | {id(part) for part in parts(extra)}
    assert not collections & {id(part) for part in parts(merged)}
    spoil(merged)
    assert (base, extra) == before


@given(base=CONFIGS, extra=CONFIGS)
def test_merging_the_same_again_changes_nothing(base: Any, extra: Any) -> None:
    assert same(merge(base, extra, extra), merge(base, extra))


@given(config=CONFIGS)
def test_nothing_is_neutral_on_both_sides(config: Any) -> None:
    assert merge({}, config) == merge(config, {}) == config


@given(base=st.lists(VALUES), extra=st.lists(VALUES))
def test_a_union_keeps_the_base_and_adds_what_is_new_once_in_order(base: Any, extra: Any) -> None:
    united = merge({"l": base}, {"l": extra})["l"]
    assert united[: len(base)] == base
    added = [typed_key(item) for item in united[len(base) :]]
    assert added == [
        key for key in dict.fromkeys(map(typed_key, extra)) if key not in set(map(typed_key, base))
    ]


@given(one=SETS, two=SETS, three=SETS)
def test_merging_is_associative_where_nothing_is_replaced_and_no_list_repeats_itself(
    one: Any, two: Any, three: Any
) -> None:
    if not is_replaced(one, two) and not is_replaced(merge(one, two), three) and not is_replaced(two, three):
        assert same(merge(merge(one, two), three), merge(one, merge(two, three)))


@given(values=st.lists(LEAVES, min_size=1))
def test_of_scalars_the_last_wins(values: list[Any]) -> None:
    assert same(merge({}, *({"a": {"b": value}} for value in values)), {"a": {"b": values[-1]}})


def test_deep_values_merge() -> None:
    deep: Any = {}
    for _ in range(100):
        deep = {"a": deep, "l": [deep]} if not deep else {"a": deep}
    assert merge(deep, deep) == deep


def test_a_long_list_takes_no_quadratic_time() -> None:
    items = [{"n": number} for number in range(50_000)]
    assert len(merge({"l": items}, {"l": items[::-1]})["l"]) == len(items)


def test_a_list_that_many_plugins_add_to_takes_no_quadratic_time() -> None:
    extras = [{"p": {f"k{number}": number, "l": [number]}} for number in range(20_000)]
    merged = merge({}, *extras)
    assert merged["p"]["l"] == list(range(len(extras)))
    assert len(merged["p"]) == len(extras) + 1


@given(base=CONFIGS, extras=st.lists(CONFIGS, max_size=5))
def test_merging_many_is_merging_each_in_turn(base: Any, extras: list[Any]) -> None:
    assert same(merge(base, *extras), reduce(merge, extras, base))


def parts(value: Any) -> list[Any]:
    """The collections of a value, itself included; empty for a scalar."""
    if not isinstance(value, dict | list):
        return []
    inner = value.values() if isinstance(value, dict) else value
    return [value, *(part for child in inner for part in parts(child))]


def spoil(value: Any) -> None:
    for part in parts(value):
        part.clear()


def is_replaced(base: Any, extra: Any) -> bool:
    """Whether merging replaces something of another type."""
    if isinstance(base, dict) and isinstance(extra, dict):
        return any(is_replaced(base[key], extra[key]) for key in base.keys() & extra.keys())
    return type(base) is not type(extra)
