import random
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kagent_render.api.hub import LabelRequirement, LabelSelector
from kagent_render.graph.attachment import BrokenHarness, BrokenTemplate, candidate_pairs
from tests.graph.build import EVERYTHING, harness, inventory, match, pairs_of, rule, template


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        pytest.param([harness()], [], id="a Harness alone yields nothing"),
        pytest.param([template("t")], ["ns/h/t"], id="an include without its Harness is a candidate"),
        pytest.param([harness(), template("t")], ["ns/h/t"], id="included and admitted"),
        pytest.param([harness(admission=None), template("t")], ["ns/h/t"], id="included, not admitted"),
        pytest.param([harness(), template("t", include=())], [], id="admitted, not included: silence"),
        pytest.param(
            [harness("a"), harness("b"), template("t", include=("b", "a"))],
            ["ns/a/t", "ns/b/t"],
            id="one candidate per include",
        ),
        pytest.param(
            [template("t", include=("h", "h"))], ["ns/h/t"], id="an include given twice counts once"
        ),
        pytest.param(
            [harness("a"), harness("b"), template("t", include=None)],
            ["ns/a/t", "ns/b/t"],
            id="without an include list every admitting Harness",
        ),
        pytest.param(
            [harness(admission=None), template("t", include=None)],
            [],
            id="without an include list an omitted selector admits nothing",
        ),
        pytest.param(
            [harness(namespace="other"), template("t", include=None)],
            [],
            id="a Harness of another namespace admits nothing",
        ),
        pytest.param(
            [
                template("z", include=("h",), namespace="b"),
                template("a", include=("h", "g"), namespace="b"),
                template("m", include=("h",), namespace="a"),
            ],
            ["a/h/m", "b/g/a", "b/h/a", "b/h/z"],
            id="sorted by namespace, Harness and template",
        ),
    ],
)
def test_which_pairs_are_asked_for(objects: list, expected: list[str]) -> None:  # type: ignore[type-arg]
    assert pairs_of(candidate_pairs(inventory(*objects))) == expected


@pytest.mark.parametrize(
    ("selector", "labels", "admitted"),
    [
        pytest.param(EVERYTHING, {}, True, id="an empty selector admits all"),
        pytest.param(match(k="v"), {"k": "v"}, True, id="matchLabels holds"),
        pytest.param(match(k="v"), {"k": "w"}, False, id="matchLabels, another value"),
        pytest.param(match(k="v"), {}, False, id="matchLabels, no label"),
        pytest.param(match(k="v", l="w"), {"k": "v"}, False, id="every label counts"),
        pytest.param(rule("k", "In", "a", "b"), {"k": "b"}, True, id="In, second value"),
        pytest.param(rule("k", "NotIn", "a"), {"k": "b"}, True, id="NotIn, another value"),
        pytest.param(rule("k", "NotIn", "a"), {}, True, id="NotIn, no label"),
        pytest.param(rule("k", "NotIn", "a"), {"k": "a"}, False, id="NotIn, the value"),
        pytest.param(rule("k", "Exists"), {"k": ""}, True, id="Exists, empty value"),
        pytest.param(rule("k", "Exists"), {}, False, id="Exists, no label"),
        pytest.param(rule("k", "DoesNotExist"), {}, True, id="DoesNotExist, no label"),
        pytest.param(rule("k", "DoesNotExist"), {"k": "v"}, False, id="DoesNotExist, a label"),
    ],
)
def test_the_selector_alone_decides_without_an_include_list(
    selector: LabelSelector, labels: Mapping[str, str], admitted: bool
) -> None:
    objects = inventory(harness(admission=selector), template("t", include=None, labels=labels))
    assert pairs_of(candidate_pairs(objects)) == ["ns/h/t"] * admitted


_LABELS = st.dictionaries(st.sampled_from("abc"), st.sampled_from("xyz"), max_size=3)
_RULES = st.builds(
    LabelRequirement,
    st.sampled_from("abc"),
    st.sampled_from(["In", "NotIn", "Exists", "DoesNotExist"]),
    st.lists(st.sampled_from("xyz"), max_size=3).map(tuple),
)
_SELECTORS = st.none() | st.lists(_RULES, max_size=3).map(lambda rules: LabelSelector(tuple(rules)))


@given(st.lists(_SELECTORS, max_size=6), st.lists(_LABELS, max_size=6), st.randoms(use_true_random=False))
def test_filing_harnesses_by_label_finds_what_asking_each_of_them_finds(
    selectors: list[LabelSelector | None], labels: list[dict[str, str]], rng: random.Random
) -> None:
    harnesses = [harness(f"h{i}", selector) for i, selector in enumerate(selectors)]
    templates = [template(f"t{i}", include=None, labels=each) for i, each in enumerate(labels)]
    objects = [*harnesses, *templates]
    rng.shuffle(objects)
    asked = [
        f"ns/{h.name}/{t.name}"
        for h in harnesses
        for t in templates
        if h.admission is not None and h.admission.admits(t.labels)
    ]
    assert pairs_of(candidate_pairs(inventory(*objects))) == asked


def test_an_entry_of_the_include_list_is_known_by_its_index() -> None:
    found = candidate_pairs(inventory(harness("b"), template("t", include=("b", "a"))))
    assert [(c.pair.harness, c.include, c.harness is None) for c in found] == [
        ("a", 1, True),
        ("b", 0, False),
    ]


def test_an_included_harness_that_is_broken_blocks_the_candidate() -> None:
    (found,) = candidate_pairs(inventory(template("t"), broken=[("Harness", "h")]))
    assert (found.harness, found.blocked) == (None, True)


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        pytest.param([], [], id="of which nothing could be read"),
        pytest.param([BrokenHarness("ns", "h", None)], [], id="with no selector that could be read"),
        pytest.param([BrokenHarness("ns", "h", match(k="v"))], ["ns/h/t"], id="that admits the template"),
        pytest.param([BrokenHarness("ns", "h", match(k="w"))], [], id="that does not admit the template"),
        pytest.param([BrokenHarness("other", "h", EVERYTHING)], [], id="of another namespace"),
    ],
)
def test_a_broken_harness_asks_for_templates_without_an_include_list_by_its_selector(
    broken: list[BrokenHarness], expected: list[str]
) -> None:
    objects = inventory(template("t", include=None, labels={"k": "v"}), broken=[("Harness", "h")])
    found = candidate_pairs(objects, broken_harnesses=broken)
    assert pairs_of(found) == expected
    assert all(candidate.blocked and candidate.harness is None for candidate in found)


def test_an_identity_that_also_has_a_broken_document_blocks_its_pairs() -> None:
    objects = inventory(harness(), template("t"), template("u"), broken=[("AgentTemplate", "t")])
    assert [(c.pair.template, c.blocked) for c in candidate_pairs(objects)] == [("t", True), ("u", False)]


@pytest.mark.parametrize(
    ("broken", "expected"),
    [
        pytest.param(BrokenTemplate("ns", "t", ("h", "g"), {}), ["ns/g/t", "ns/h/t"], id="by its includes"),
        pytest.param(BrokenTemplate("ns", "t", (), {}), [], id="by its empty includes"),
        pytest.param(BrokenTemplate("ns", "t", None, {"k": "v"}), ["ns/h/t"], id="by its labels"),
        pytest.param(BrokenTemplate("ns", "t", None, {}), [], id="by labels that no Harness admits"),
        pytest.param(BrokenTemplate("other", "t", ("h",), {}), ["other/h/t"], id="alone in its namespace"),
    ],
)
def test_a_broken_template_lists_its_pairs_as_blocked(broken: BrokenTemplate, expected: list[str]) -> None:
    found = candidate_pairs(inventory(harness(admission=match(k="v"))), [broken])
    assert pairs_of(found) == expected
    assert all(candidate.blocked and candidate.template is None for candidate in found)


def test_many_harnesses_and_templates_meet_only_where_a_label_agrees() -> None:
    count = 3_000  # asking every Harness about every template would be nine million questions
    harnesses = [harness(f"h{i:04}", match(team=str(i))) for i in range(count)]
    templates = [template(f"t{i:04}", include=None, labels={"team": str(i)}) for i in range(count)]
    found = candidate_pairs(inventory(*harnesses, *templates))
    assert pairs_of(found) == [f"ns/h{i:04}/t{i:04}" for i in range(count)]
