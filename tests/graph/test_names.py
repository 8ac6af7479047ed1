import pytest

from kagent_render.api.hub import AgentTemplate
from kagent_render.diagnostics.reasons import Condition
from kagent_render.graph.names import check_names, fold_name
from tests.graph.build import DEDICATED, MCP, bind, faults, graph_of, harness, template


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        pytest.param("a", True, id="one letter"),
        pytest.param("Reviewer", True, id="upper case"),
        pytest.param("a-b_c9", True, id="hyphen, underscore, digit"),
        pytest.param("a" + "b" * 63, True, id="64 characters"),
        pytest.param("users", True, id="begins like the reserved name"),
        pytest.param("a" * 65, False, id="65 characters"),
        pytest.param("", False, id="empty"),
        pytest.param("9a", False, id="digit first"),
        pytest.param("_a", False, id="underscore first"),
        pytest.param("-a", False, id="hyphen first"),
        pytest.param("a.b", False, id="dot"),
        pytest.param("a/b", False, id="slash"),
        pytest.param("a b", False, id="blank"),
        pytest.param("a\n", False, id="line feed at the end"),
        pytest.param("é", False, id="letter beyond ASCII"),
        pytest.param("a٣", False, id="digit beyond ASCII"),
        pytest.param("\u212aelvin", False, id="Kelvin sign, whose lower case is ASCII"),
        pytest.param("user", False, id="reserved"),
        pytest.param("USER", False, id="reserved in another case"),
    ],
)
def test_which_binding_names_are_valid(name: str, valid: bool) -> None:
    graph = graph_of("r", harness(), template("r", MCP, bind("c", name)), template("c"))
    expected = [] if valid else [("NameInvalid", "r", "spec.tools[1].agent.name")]
    assert faults(graph.diagnostics) == expected
    assert {fault.condition for fault in graph.diagnostics} <= {Condition.COMPATIBLE}


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        pytest.param(
            "9a",
            "binding name `9a` does not match `[A-Za-z][A-Za-z0-9_-]{0,63}`",
            "use ASCII letters, digits, `_` and `-`, beginning with a letter",
            id="pattern",
        ),
        pytest.param(
            "x" * 1_000_000,
            "a binding name has 1000000 characters",
            "shorten it to at most 64",
            id="a long name is not repeated",
        ),
        pytest.param("User", "binding name `User` is reserved", "rename the binding", id="reserved"),
    ],
)
def test_an_invalid_name_is_told_with_the_rule(name: str, message: str, hint: str) -> None:
    (fault,) = graph_of("r", harness(), template("r", bind("c", name)), template("c")).diagnostics
    assert (fault.message, fault.hint) == (message, hint)


@pytest.mark.parametrize(
    ("first", "second"),
    [("a", "a"), ("a", "A"), ("a-b", "a_b"), ("A-b", "a_B"), ("9", "9")],
)
def test_names_that_fold_alike_are_one_name(first: str, second: str) -> None:
    assert fold_name(first) == fold_name(second)
    graph = graph_of("r", harness(), template("r", bind("c", first), bind("c", second)), template("c"))
    found = [fault for fault in graph.diagnostics if fault.reason == "DuplicateBindingName"]
    assert faults(found) == [("DuplicateBindingName", "r", "spec.tools[1].agent.name")]
    assert found[0].condition is Condition.RESOLVED_REFS
    assert found[0].message == (
        f"binding `{second}` has the name of binding `{first}` in one runtime boundary, "
        "where case is ignored and `-` is `_`"
    )
    assert found[0].hint == f"rename binding `{second}` of AgentTemplate `r`"


def shared_child(*bindings: str) -> AgentTemplate:
    return template("c", *(bind("leaf", name, DEDICATED) for name in bindings))


@pytest.mark.parametrize(
    ("root", "child", "expected"),
    [
        pytest.param(
            template("r", bind("c"), bind("leaf", "x")),
            shared_child("x"),
            [("c", 0)],
            id="a Shared child's binding is declared in its parent's boundary",
        ),
        pytest.param(
            template("r", bind("c")), shared_child("c"), [("c", 0)], id="a child's binding named as the child"
        ),
        pytest.param(
            template("r", bind("c", isolation=DEDICATED), bind("leaf", "x")),
            shared_child("x"),
            [],
            id="a Dedicated child has a boundary of its own",
        ),
        pytest.param(
            template("r", bind("c", isolation=DEDICATED), bind("leaf", "C")),
            shared_child(),
            [("r", 1)],
            id="a Dedicated binding is declared in its parent's boundary",
        ),
        pytest.param(
            template("r", bind("c", "one"), bind("c", "two")),
            shared_child("x"),
            [("c", 0)],
            id="a Shared template used twice declares its bindings twice",
        ),
        pytest.param(
            template("r", bind("c", "one"), bind("c", "two", DEDICATED)),
            shared_child("x"),
            [],
            id="used once in each of two boundaries",
        ),
        pytest.param(
            template("r", bind("c"), bind("leaf", "x"), bind("leaf", "X")),
            shared_child("x", "y"),
            [("c", 0), ("r", 2)],
            id="every later one is told",
        ),
    ],
)
def test_names_are_unique_in_a_boundary(
    root: AgentTemplate, child: AgentTemplate, expected: list[tuple[str, int]]
) -> None:
    graph = graph_of("r", harness(), root, child, template("leaf"))
    told = [("DuplicateBindingName", name, f"spec.tools[{tool}].agent.name") for name, tool in expected]
    assert faults(graph.diagnostics) == told


def test_a_binding_met_twice_is_told_to_part_not_to_rename() -> None:
    root = template("r", bind("c", "one"), bind("c", "two"))
    (fault,) = graph_of("r", harness(), root, shared_child("x"), template("leaf")).diagnostics
    assert fault.message.startswith("binding `two/x` has the name of binding `one/x` in one runtime boundary")
    assert fault.hint == "set `isolation: Dedicated` on binding `two`"


def test_a_name_taken_by_a_template_met_often_is_told_once() -> None:
    root = template("r", *(bind("c", f"b{i}") for i in range(5)))
    graph = graph_of("r", harness(), root, shared_child("x", "9"), template("leaf"))
    (boundary, *_) = graph.boundaries
    assert sorted(faults(check_names(boundary))) == [
        ("DuplicateBindingName", "c", "spec.tools[0].agent.name"),
        ("DuplicateBindingName", "c", "spec.tools[1].agent.name"),
        ("NameInvalid", "c", "spec.tools[1].agent.name"),
    ]


def test_names_of_bindings_without_a_node_count_too() -> None:
    graph = graph_of("r", harness(), template("r", bind("gone", "a"), bind("c", "a")), template("c"))
    assert ("DuplicateBindingName", "r", "spec.tools[1].agent.name") in faults(graph.diagnostics)
