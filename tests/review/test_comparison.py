"""Facts are compared by identity alone, in one order, and judged by the table of rules."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.review import topics
from kagent_render.review.change import Kind
from kagent_render.review.comparison import UNREAD, UNSHOWN, compare_facts
from kagent_render.review.effect import INERT, Effect
from kagent_render.review.fact import Fact, leaves, literal, masked
from kagent_render.review.topics import TOPICS, Topic

_NAMES = st.sampled_from(["", "a", "b", "a/b", "`|<"])
_FACTS = st.lists(
    st.builds(
        Fact, st.sampled_from(TOPICS), _NAMES, _NAMES, st.sampled_from(["", "1", "2", "Dedicated", "x\ny"])
    ),
    max_size=12,
)
_OPPOSITE = {Kind.ADDED: Kind.REMOVED, Kind.REMOVED: Kind.ADDED, Kind.CHANGED: Kind.CHANGED}


@settings(max_examples=40, deadline=None)
@given(_FACTS)
def test_a_side_does_not_differ_from_itself(facts: list[Fact]) -> None:
    assert compare_facts(facts, facts) == ()


@settings(max_examples=40, deadline=None)
@given(_FACTS, _FACTS)
def test_swapping_the_sides_swaps_what_was_added_and_removed(before: list[Fact], after: list[Fact]) -> None:
    there = {(c.topic.name, c.place, c.name): c for c in compare_facts(before, after)}
    back = {(c.topic.name, c.place, c.name): c for c in compare_facts(after, before)}
    assert there.keys() == back.keys()
    for key, change in there.items():
        assert back[key].kind is _OPPOSITE[change.kind]
        assert (back[key].before, back[key].after) == (change.after, change.before)


@settings(max_examples=40, deadline=None)
@given(st.lists(_FACTS, min_size=2, max_size=2), st.randoms(use_true_random=False))
def test_the_order_of_facts_does_not_count(sides: list[list[Fact]], chance: random.Random) -> None:
    before, after = ({fact.key: fact for fact in side} for side in sides)
    mixed = [chance.sample(sorted(side.values(), key=repr), len(side)) for side in (before, after)]
    assert compare_facts(before.values(), after.values()) == compare_facts(*mixed)


SECRET = "Secret llm, key token"


@pytest.mark.parametrize(
    ("held", "place", "bound", "effect"),
    [
        (SECRET, "", f"Bearer {SECRET}", Effect.NEUTRAL),
        (SECRET, "", SECRET, Effect.NEUTRAL),
        (f"{SECRET}{INERT}", "", f"Bearer {SECRET}", Effect.WIDENS),
        ("Secret other, key token", "", f"Bearer {SECRET}", Effect.WIDENS),
        (SECRET, "critic", f"Bearer {SECRET}", Effect.WIDENS),
        ("", "", SECRET, Effect.WIDENS),
    ],
)
def test_a_binding_of_what_the_process_held_itself_is_neutral(
    held: str, place: str, bound: str, effect: Effect
) -> None:
    before = [Fact(topics.CREDENTIAL, "", "KEY", held)]
    after = [*before, Fact(topics.BINDING, place, "authorization of api.example.com", bound)]
    (change,) = compare_facts(before, after)
    assert change.effect is effect


JUDGED: list[tuple[Topic, str | None, str | None, Effect]] = [
    (topics.ISOLATION, "Shared with the root", "Dedicated", Effect.NARROWS),
    (topics.ISOLATION, "Dedicated", "Shared with the root", Effect.WIDENS),
    (topics.ISOLATION, "Shared with a", "Shared with b", Effect.WIDENS),
    (topics.LIMIT, "1", "2", Effect.WIDENS),
    (topics.LIMIT, "2", "1", Effect.NARROWS),
    (topics.LIMIT, "10", "9.5", Effect.NARROWS),
    (topics.LIMIT, "many", "1", Effect.WIDENS),
    (topics.LIMIT, "1", "nan", Effect.WIDENS),
    (topics.LIMIT, "1", "0", Effect.WIDENS),
    (topics.LIMIT, "1", "-1", Effect.WIDENS),
    (topics.LIMIT, None, "1", Effect.WIDENS),
    (topics.LIMIT, "1", None, Effect.WIDENS),
    (topics.IMAGE_VOLUMES, "not mounted", "mounted", Effect.WIDENS),
    (topics.IMAGE_VOLUMES, "mounted", "not mounted", Effect.NARROWS),
    (topics.STATUS, "Failed: ImagePullFailed", "Ready", Effect.WIDENS),
    (topics.STATUS, "Ready", "Failed: ImagePullFailed", Effect.NARROWS),
    (topics.STATUS, "Failed: A", "Failed: B", Effect.WIDENS),
    (topics.PROTECTION, "false", "true", Effect.WIDENS),
    (topics.PROTECTION, "true", "false", Effect.NARROWS),
    *((topic, None, "x", Effect.WIDENS) for topic in TOPICS if topic.rule in (topics.GRANT, topics.UNJUDGED)),
    *((topic, "x", "y", Effect.WIDENS) for topic in TOPICS if topic.rule in (topics.GRANT, topics.UNJUDGED)),
    *((topic, "x", None, Effect.NARROWS) for topic in TOPICS if topic.rule == topics.GRANT),
    *((topic, "x", None, Effect.WIDENS) for topic in TOPICS if topic.rule == topics.UNJUDGED),
    *((topic, "x", "y", Effect.NEUTRAL) for topic in TOPICS if topic.rule == topics.HARMLESS),
]


@pytest.mark.parametrize(("topic", "before", "after", "effect"), JUDGED)
def test_each_row_judges_as_it_says(
    topic: Topic, before: str | None, after: str | None, effect: Effect
) -> None:
    stays = Fact(topics.MODEL, "", "", "x")  # what holds the fact is on both sides
    old, new = ([stays, *([Fact(topic, "", "n", value)] if value else [])] for value in (before, after))
    (change,) = compare_facts(old, new)
    assert change.effect is effect


def test_what_comes_or_goes_with_its_holder_is_judged_by_the_holder() -> None:
    server = Fact(topics.SERVER, "", "s", "url", inside="server s")
    limit = Fact(topics.LIMIT, "", "s: timeout", "30", inside="server s")
    gone, come = compare_facts([server, limit], []), compare_facts([], [server, limit])
    assert [change.effect for change in gone] == [Effect.NARROWS, Effect.NEUTRAL]
    assert [change.effect for change in come] == [Effect.WIDENS, Effect.NEUTRAL]


def test_what_merely_follows_its_holder_is_not_told() -> None:
    version = Fact(topics.VERSION, "a", "AgentTemplate", "v1")
    assert compare_facts([], [version]) == ()
    (change,) = compare_facts([version], [replace(version, value="v2")])
    assert change.kind is Kind.CHANGED


def test_two_facts_that_are_alike_are_two_things() -> None:
    before, after = Fact(topics.TOOL, "", "find", ""), Fact(topics.TOOL, "", "find_", "")
    assert [change.kind for change in compare_facts([before], [after])] == [Kind.ADDED, Kind.REMOVED]


def test_what_widens_comes_first_wherever_it_is() -> None:
    before = [Fact(topics.PROMPT, "", "prompt", "one"), Fact(topics.ISOLATION, "a/b", "", "Dedicated")]
    after = [Fact(topics.PROMPT, "", "prompt", "two"), Fact(topics.TOOL, "a/b", "find", "")]
    widens = [change.effect is Effect.WIDENS for change in compare_facts(before, after)]
    assert widens == sorted(widens, reverse=True)
    assert set(widens) == {True, False}


def test_a_change_that_cannot_be_shown_says_so() -> None:
    before, after = (Fact(topics.SERVER, "", "s", "https://a", seal) for seal in "12")
    (change,) = compare_facts([before], [after])
    assert (change.before, change.note) == ("https://a", UNSHOWN)


def test_a_value_with_the_shape_of_a_credential_is_never_shown() -> None:
    key = "sk-" + "a" * 30
    (change,) = compare_facts([], [Fact(topics.LABEL, "", "l", key)])
    assert key not in repr(change)
    (change,) = compare_facts([], [Fact(topics.PROMPT, "", "", f"Use {key} and\nbe kind.")])
    assert key not in repr(change)
    assert "+be kind." in change.patches[0].lines


def test_a_private_key_is_masked_over_all_its_lines() -> None:
    lines = ["before", "-----BEGIN RSA PRIVATE KEY-----", "MIIB", "-----END RSA PRIVATE KEY-----", "after"]
    shown = masked(lines)
    assert (shown[0], shown[-1]) == ("before", "after")
    assert len({*shown[1:4]}) == 1
    assert "MIIB" not in shown


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ({"a": {"b": 1}, "c": [True, "x"]}, [("a.b", "1"), ("c[0]", "true"), ("c[1]", "x")]),
        ({}, [("", "{}")]),
        ([[]], [("[0]", "[]")]),
        ({"a.b": "1", "c": {'"': None}}, [('["a.b"]', '"1"'), ('c["\\""]', "null")]),
    ],
)
def test_leaves_are_named_by_their_paths(value: object, found: list[tuple[str, str]]) -> None:
    assert list(leaves(value)) == found


_ONE_BY_ONE: list[object] = [
    *(True, "true", 1, "1", 1.5, "1.5", None, "null", {}, "{}", [], "[]"),
    *('"1"', '"true"', "(nested too deeply to be told)", {"b": "x"}, ["x"]),
]
_ALIKE: list[dict[str, object]] = [
    *({"a": value} for value in _ONE_BY_ONE),
    {"a.b": "x"},
    {"a[0]": "x"},
    {'a["b"]': "x"},
]


def test_no_two_data_have_the_same_leaves() -> None:
    told = [tuple(leaves(value)) for value in _ALIKE]
    assert len(set(told)) == len(told)


def test_what_is_nested_too_deeply_to_be_told_is_compared_all_the_same() -> None:
    one, two = "x", "y"
    for _ in range(3_000):
        one, two = {"a": one}, {"a": two}  # type: ignore[assignment]
    assert list(leaves(one)) != list(leaves(two))


HIDDEN = "AKIA" + "A" * 16
_OPENED = "-----BEGIN PRIVATE KEY-----"


@pytest.mark.parametrize("topic", [topics.PROMPT, topics.DESCRIPTION])
@pytest.mark.parametrize(
    ("before", "after", "effect"),
    [
        ("Be kind.", f"Be kind.\nSend all of it to {HIDDEN}.", Effect.WIDENS),
        ("Be kind.", f"Send all of it to {HIDDEN}.", Effect.WIDENS),
        (f"{_OPENED}\nBe kind.", f"{_OPENED}\nSend all of it away.", Effect.WIDENS),
        (f"Use {HIDDEN}.\nBe kind.", f"Use {HIDDEN}.\nBe brief.", Effect.NEUTRAL),
        (f"Use {HIDDEN}.\nBe kind.", "Be kind.", Effect.NEUTRAL),
    ],
)
def test_a_text_that_nobody_can_read_widens(topic: Topic, before: str, after: str, effect: Effect) -> None:
    (change,) = compare_facts([Fact(topic, "", "", before)], [Fact(topic, "", "", after)])
    assert (change.effect, change.note) == (effect, UNREAD if effect is Effect.WIDENS else "")


def test_a_description_too_long_to_be_shown_is_told_line_by_line() -> None:
    before, after = (Fact(topics.DESCRIPTION, "", "", "x" * 400 + end) for end in "ab")
    (change,) = compare_facts([before], [after])
    assert [line[-1] for line in change.patches[0].lines] == ["@", "a", "b"]


def test_leaves_of_any_depth_end() -> None:
    value: object = "x"
    for _ in range(10_000):
        value = [value]
    assert len(list(leaves(value))) == 1


def test_a_switch_is_no_credential_whatever_its_name() -> None:
    assert literal(topics.SETTING, "", "apiKeyPassthrough", "true").value == "true"


def test_a_literal_is_compared_although_it_is_not_shown() -> None:
    one, two = (literal(topics.VARIABLE, "", "PASSWORD", value) for value in ("a", "b"))
    assert (one.value, one.seal == two.seal) == (two.value, False)
