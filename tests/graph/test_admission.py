import pytest

from kagent_render.api.hub import AgentTemplate, Isolation, LabelRequirement, LabelSelector
from kagent_render.diagnostics.reasons import Condition
from tests.graph.build import DEDICATED, bind, faults, graph_of, graphs, harness, match, pair, rule, template

INCLUDE = "spec.harnesses.include"
LABELS = "metadata.labels"


@pytest.mark.parametrize(
    ("child", "expected"),
    [
        pytest.param(template("c"), [], id="included and admitted"),
        pytest.param(template("c", include=("g", "h")), [], id="included among others"),
        pytest.param(template("c", include=None), [], id="no include list, admitted"),
        pytest.param(template("c", include=()), [("NotIncluded", "c", INCLUDE)], id="nothing included"),
        pytest.param(template("c", include=("g",)), [("NotIncluded", "c", INCLUDE)], id="another included"),
        pytest.param(template("c", labels={"off": ""}), [("NotAdmitted", "c", LABELS)], id="not admitted"),
        pytest.param(
            template("c", include=None, labels={"off": ""}),
            [("NotAdmitted", "c", LABELS)],
            id="no include list, not admitted",
        ),
        pytest.param(
            template("c", include=(), labels={"off": ""}),
            [("NotAdmitted", "c", LABELS), ("NotIncluded", "c", INCLUDE)],
            id="neither",
        ),
    ],
)
@pytest.mark.parametrize("root_include", [("h",), None], ids=["include", "selector"])
@pytest.mark.parametrize("isolation", list(Isolation))
def test_every_template_of_the_tree_must_include_and_be_admitted(
    child: AgentTemplate,
    expected: list[tuple[str, str, str]],
    root_include: tuple[str, ...] | None,
    isolation: Isolation,
) -> None:
    root = template("r", bind("c", isolation=isolation), include=root_include)
    graph = graph_of("r", harness(admission=rule("off", "DoesNotExist")), root, child)
    assert faults(graph.diagnostics) == expected
    assert graph.is_sound is not bool(expected)
    assert {fault.condition for fault in graph.diagnostics} <= {Condition.ACCEPTED}
    assert {fault.pair for fault in graph.diagnostics} <= {pair("h", "r")}


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_a_template_at_any_depth_counts(depth: int) -> None:
    chain = [template(f"t{i}", bind(f"t{i + 1}", isolation=DEDICATED)) for i in range(depth)]
    graph = graph_of("t0", harness(), *chain, template(f"t{depth}", include=()))
    assert faults(graph.diagnostics) == [("NotIncluded", f"t{depth}", INCLUDE)]


def test_a_template_used_twice_is_told_once_at_its_first_binding() -> None:
    root = template("r", bind("c", "one"), bind("c", "two", DEDICATED))
    (fault,) = graph_of("r", harness(), root, template("c", include=())).diagnostics
    assert fault.message == (
        "AgentTemplate `c` (bound as `one`) does not include Harness `h`, on which its tree runs"
    )


def test_not_included_says_what_to_add_and_where() -> None:
    root = template("coordinator", bind("incident-researcher", "researcher"), include=("python-runtime",))
    child = template("incident-researcher", include=())
    (fault,) = graphs(harness("python-runtime"), root, child)["ns/python-runtime/coordinator"].diagnostics
    assert fault.source is not None
    assert fault.source.path == "ns/AgentTemplate-incident-researcher.yaml"
    assert fault.hint == (
        "add `python-runtime` to `spec.harnesses.include` of AgentTemplate `incident-researcher`"
    )


_CREATE = "create Harness `pyhton-runtime` in namespace `ns`, or remove the entry"


@pytest.mark.parametrize(
    ("others", "hint"),
    [
        pytest.param(["python-runtime"], "change it to `python-runtime`", id="a near name"),
        pytest.param(["claude"], _CREATE, id="none near"),
        pytest.param([], _CREATE, id="none that is not included already"),
    ],
)
def test_an_include_of_no_harness_is_told_at_its_entry(others: list[str], hint: str) -> None:
    included = "pyhton-runtimes"
    root = template("r", include=(included, "pyhton-runtime"))
    found = graphs(harness(included), *map(harness, others), root)
    assert found[f"ns/{included}/r"].is_sound
    (fault,) = found["ns/pyhton-runtime/r"].diagnostics
    assert (fault.reason.value, fault.field) == ("HarnessNotFound", "spec.harnesses.include[1].name")
    assert fault.message == (
        "AgentTemplate `r` includes Harness `pyhton-runtime`, which does not exist in namespace `ns`"
    )
    assert fault.hint == hint


def test_a_harness_of_another_namespace_is_not_found() -> None:
    graph = graph_of("r", harness(namespace="other"), template("r"))
    assert faults(graph.diagnostics) == [("HarnessNotFound", "r", "spec.harnesses.include[0].name")]


def test_a_missing_harness_does_not_hide_what_is_wrong_with_the_tree() -> None:
    graph = graph_of("r", template("r", bind("gone"), bind("r", "again")))
    assert {reason for reason, _, _ in faults(graph.diagnostics)} == {
        "HarnessNotFound",
        "TemplateNotFound",
        "CycleDetected",
    }


def test_a_missing_harness_asks_no_other_template_to_include_it() -> None:
    graph = graph_of("r", template("r", bind("c")), template("c", include=()))
    assert faults(graph.diagnostics) == [("HarnessNotFound", "r", "spec.harnesses.include[0].name")]


def test_a_broken_harness_is_not_missing_and_blocks() -> None:
    graph = graph_of("r", template("r"), broken=[("Harness", "h")])
    assert (graph.diagnostics, graph.blocked, graph.is_sound) == ((), True, False)


def test_a_harness_that_admits_nothing_is_told_to_say_whom_it_admits() -> None:
    (fault,) = graph_of("r", harness(admission=None), template("r")).diagnostics
    assert (fault.reason.value, fault.field) == ("NotAdmitted", LABELS)
    assert fault.message == (
        "Harness `h` has no `spec.allowedAgentTemplates`, so it does not admit AgentTemplate `r`"
    )
    assert fault.hint == "add `spec.allowedAgentTemplates.selector` to Harness `h`"


@pytest.mark.parametrize(
    ("selector", "unmet", "remedy"),
    [
        pytest.param(match(k="v"), "label `k` must be `v` but is missing", "add label `k: v`", id="missing"),
        pytest.param(
            match(other="v"),
            "label `other` must be `v` but is `x`",
            "change label `other` to `v`",
            id="another value",
        ),
        pytest.param(
            rule("k", "In", "a", "b"),
            "label `k` must be `a` or `b` but is missing",
            "add label `k: a`",
            id="two values",
        ),
        pytest.param(
            rule("k", "In", *"abcdefgh"),
            "label `k` must be `a` or `b` or `c` or one of 5 more but is missing",
            "add label `k: a`",
            id="many values",
        ),
        pytest.param(
            rule("other", "NotIn", "x", "y"),
            "label `other` must not be `x`",
            "change label `other`",
            id="NotIn",
        ),
        pytest.param(rule("k", "Exists"), "label `k` is missing", "add label `k`", id="Exists"),
        pytest.param(
            rule("other", "DoesNotExist"),
            "label `other` must be absent",
            "remove label `other`",
            id="DoesNotExist",
        ),
        pytest.param(
            LabelSelector((*match(k="v", l="w").requirements, LabelRequirement("other", "Exists"))),
            "label `k` must be `v` but is missing and label `l` must be `w` but is missing",
            "add label `k: v`, and add label `l: w`",
            id="two rules, a third one holds",
        ),
    ],
)
def test_not_admitted_says_what_of_the_selector_does_not_hold(
    selector: LabelSelector, unmet: str, remedy: str
) -> None:
    (fault,) = graph_of("r", harness(admission=selector), template("r", labels={"other": "x"})).diagnostics
    assert (fault.reason.value, fault.field) == ("NotAdmitted", LABELS)
    assert fault.message == f"Harness `h` does not admit AgentTemplate `r`: {unmet}"
    assert fault.hint == f"{remedy} in `metadata.labels` of AgentTemplate `r`"
