import pytest

from kagent_render.api.hub import AgentTemplate
from kagent_render.diagnostics.reasons import Condition
from tests.graph.build import DEDICATED, MCP, bind, faults, graph_of, harness, template


def boundaries_of(*templates: AgentTemplate) -> list[tuple[str, list[str], list[str]]]:
    return [
        (part.path, [node.path for node in part.shared], [node.path for node in part.dedicated])
        for part in graph_of("r", harness(), *templates).boundaries
    ]


LEAF = template("leaf")


@pytest.mark.parametrize(
    ("templates", "expected"),
    [
        pytest.param([template("r")], [("", [], [])], id="a root alone"),
        pytest.param(
            [template("r", bind("leaf", "b"), bind("leaf", "a"))],
            [("", ["b", "a"], [])],
            id="Shared children run with the root, in tree order",
        ),
        pytest.param(
            [template("r", bind("leaf", "a", DEDICATED))],
            [("", [], ["a"]), ("a", [], [])],
            id="a Dedicated child has a runtime of its own",
        ),
        pytest.param(
            [
                template("r", bind("s"), bind("leaf", "d", DEDICATED)),
                template("s", bind("leaf", "e", DEDICATED)),
            ],
            [("", ["s"], ["s/e", "d"]), ("s/e", [], []), ("d", [], [])],
            id="Dedicated bindings of the head and of its Shared children",
        ),
        pytest.param(
            [
                template("r", bind("s")),
                template("s", bind("d", isolation=DEDICATED)),
                template("d", bind("leaf", "t"), bind("leaf", "e", DEDICATED)),
            ],
            [("", ["s"], ["s/d"]), ("s/d", ["s/d/t"], ["s/d/e"]), ("s/d/e", [], [])],
            id="a Dedicated edge resets the Shared level",
        ),
    ],
)
def test_which_nodes_run_in_one_runtime(
    templates: list[AgentTemplate], expected: list[tuple[str, list[str], list[str]]]
) -> None:
    assert boundaries_of(*templates, LEAF) == expected
    assert graph_of("r", harness(), *templates, LEAF).diagnostics == ()


@pytest.mark.parametrize(
    ("templates", "expected"),
    [
        pytest.param([template("r", bind("s")), template("s", MCP)], [], id="one level"),
        pytest.param(
            [template("r", bind("s")), template("s", MCP, bind("leaf"))], [("s", 1)], id="two levels"
        ),
        pytest.param(
            [template("r", bind("s")), template("s", bind("t")), template("t", bind("leaf"))],
            [("s", 0), ("t", 0)],
            id="three levels, told at each",
        ),
        pytest.param(
            [template("r", bind("s", isolation=DEDICATED)), template("s", bind("leaf"))],
            [],
            id="Shared below Dedicated",
        ),
        pytest.param(
            [
                template("r", bind("d", isolation=DEDICATED)),
                template("d", bind("s")),
                template("s", bind("leaf")),
            ],
            [("s", 0)],
            id="two levels below Dedicated",
        ),
        pytest.param(
            [template("r", bind("s", "a"), bind("s", "b", DEDICATED)), template("s", bind("leaf"))],
            [("s", 0)],
            id="a template that is allowed elsewhere",
        ),
    ],
)
def test_one_shared_level_per_boundary(
    templates: list[AgentTemplate], expected: list[tuple[str, int]]
) -> None:
    graph = graph_of("r", harness(), *templates, LEAF)
    told = [("SharedDepthExceeded", name, f"spec.tools[{tool}].agent") for name, tool in expected]
    assert faults(graph.diagnostics) == told
    assert {fault.condition for fault in graph.diagnostics} <= {Condition.COMPATIBLE}


def test_a_shared_binding_too_deep_is_told_even_when_it_names_nothing() -> None:
    graph = graph_of("r", harness(), template("r", bind("s")), template("s", bind("gone")))
    assert {reason for reason, _, _ in faults(graph.diagnostics)} == {
        "SharedDepthExceeded",
        "TemplateNotFound",
    }


def test_a_template_reached_twice_through_shared_is_told_at_the_first() -> None:
    root = template("r", bind("s", "one"), bind("s", "other"))
    (fault,) = graph_of("r", harness(), root, template("s", bind("gone", "two"))).diagnostics[:1]
    assert fault.hint == "set `isolation: Dedicated` on binding `two` or on binding `one`"


def test_the_depth_fault_names_both_bindings() -> None:
    graph = graph_of(
        "r", harness(), template("r", bind("s", "one")), template("s", bind("leaf", "two")), LEAF
    )
    (fault,) = graph.diagnostics
    assert fault.message == (
        "binding `two` is Shared in AgentTemplate `s`, which binding `one` reaches as Shared too"
    )
    assert fault.hint == "set `isolation: Dedicated` on binding `two` or on binding `one`"
