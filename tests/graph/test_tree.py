import pytest

from kagent_render.api.hub import AgentTemplate
from kagent_render.diagnostics.reasons import Condition
from kagent_render.graph.tree import MAX_NODES, Unfolding, build_tree
from tests.graph.build import DEDICATED, MCP, SHARED, bind, faults, namespace_of, template

REF = "agent.templateRef.name"


def unfold(root: str, *templates: AgentTemplate, broken: tuple[str, ...] = ()) -> Unfolding:
    namespace = namespace_of(*templates, broken=[("AgentTemplate", name) for name in broken])
    return build_tree(namespace.templates[root], namespace)


def paths(unfolding: Unfolding) -> list[str]:
    return [node.path for node in unfolding.tree.nodes]


def test_a_template_without_agent_tools_is_a_tree_of_one() -> None:
    (root,) = unfold("r", template("r", MCP)).tree.nodes
    assert (root.path, root.parent, root.binding, root.tool, root.boundary) == ("", None, None, None, "")
    assert (root.name, root.description, root.isolation) == ("r", "the r agent", DEDICATED)


def test_every_binding_is_a_node_of_its_own() -> None:
    diamond = [
        template("r", bind("left"), bind("right", isolation=DEDICATED)),
        template("left", bind("shared", "one", DEDICATED)),
        template("right", MCP, bind("shared", "two"), MCP, bind("shared", "three", DEDICATED)),
        template("shared"),
    ]
    unfolding = unfold("r", *diamond)
    assert [(node.path, node.parent, node.tool, node.boundary) for node in unfolding.tree.nodes] == [
        ("", None, None, ""),
        ("left", "", 0, ""),
        ("left/one", "left", 0, "left/one"),
        ("right", "", 1, "right"),
        ("right/two", "right", 1, "right"),
        ("right/three", "right", 3, "right/three"),
    ]
    assert unfolding.diagnostics == ()


def test_children_are_in_document_order() -> None:
    root = unfold(
        "r", template("r", bind("b", "z"), MCP, bind("a", "m"), bind("b", "a")), *leaves("ab")
    ).tree.root
    assert [(child.tool, child.name, child.template.name) for child in root.children] == [
        (0, "z", "b"),
        (2, "m", "a"),
        (3, "a", "b"),
    ]


def leaves(names: str) -> list[AgentTemplate]:
    return [template(name) for name in names]


def test_a_node_answers_to_its_binding_not_to_its_template() -> None:
    node = unfold("r", template("r", bind("c", "reviewer")), template("c")).tree.nodes[1]
    assert (node.name, node.description, node.isolation) == ("reviewer", "asks c", SHARED)


@pytest.mark.parametrize(
    ("templates", "expected"),
    [
        pytest.param([template("r", bind("gone"))], [("TemplateNotFound", "r", 0)], id="missing"),
        pytest.param(
            [template("r", MCP, bind("a"), bind("gone")), template("a", bind("lost"))],
            [("TemplateNotFound", "a", 0), ("TemplateNotFound", "r", 2)],
            id="every missing one is told",
        ),
        pytest.param(
            [template("r", bind("a", "x"), bind("a", "y")), template("a", bind("gone"))],
            [("TemplateNotFound", "a", 0)],
            id="a template used twice is told once",
        ),
        pytest.param([template("r", bind("r"))], [("CycleDetected", "r", 0)], id="self reference"),
        pytest.param(
            [template("r", bind("a")), template("a", MCP, bind("r"))],
            [("CycleDetected", "a", 1)],
            id="mutual",
        ),
        pytest.param(
            [template("r", bind("a")), template("a", bind("b")), template("b", bind("a"), bind("b"))],
            [("CycleDetected", "b", 0), ("CycleDetected", "b", 1)],
            id="two cycles below the root",
        ),
        pytest.param(
            [template("r", bind("a"), bind("b")), template("a", bind("b")), template("b", bind("a"))],
            [("CycleDetected", "a", 0), ("CycleDetected", "b", 0)],
            id="one cycle met from both sides is told at both closing bindings",
        ),
        pytest.param(
            [template("r", bind("a"), bind("a", "b")), template("a", bind("c")), template("c")],
            [],
            id="a diamond is no cycle",
        ),
        pytest.param(
            [template("r", bind("r"), bind("gone"), bind("a")), template("a", bind("gone"))],
            [("CycleDetected", "r", 0), ("TemplateNotFound", "a", 0), ("TemplateNotFound", "r", 1)],
            id="one fault hides no other",
        ),
        pytest.param(
            [template("r", bind("a")), template("a", namespace="other")],
            [("TemplateNotFound", "r", 0)],
            id="another namespace is out of reach",
        ),
    ],
)
def test_what_keeps_references_from_resolving(
    templates: list[AgentTemplate], expected: list[tuple[str, str, int]]
) -> None:
    unfolding = unfold("r", *templates)
    told = [(reason, name, f"spec.tools[{tool}].{REF}") for reason, name, tool in expected]
    assert sorted(faults(unfolding.diagnostics)) == told
    assert {fault.condition for fault in unfolding.diagnostics} <= {Condition.RESOLVED_REFS}
    assert not unfolding.blocked


@pytest.mark.parametrize(
    ("bindings", "cycle"),
    [
        pytest.param({"r": "r"}, "r -> r", id="self reference"),
        pytest.param({"r": "a", "a": "r"}, "r -> a -> r", id="through the root"),
        pytest.param(
            {"r": "a", "a": "b", "b": "c", "c": "a"}, "a -> b -> c -> a", id="without the way to it"
        ),
    ],
)
def test_a_cycle_is_spelled_out(bindings: dict[str, str], cycle: str) -> None:
    (fault,) = unfold("r", *(template(name, bind(to)) for name, to in bindings.items())).diagnostics
    assert fault.message == f"agent bindings form the cycle `{cycle}`"


def test_a_binding_that_closes_two_cycles_spells_out_the_first() -> None:
    templates = [template("r", bind("a"), bind("c")), template("a", bind("b")), template("c", bind("b"))]
    (fault,) = unfold("r", *templates, template("b", bind("r"))).diagnostics
    assert fault.message == "agent bindings form the cycle `r -> a -> b -> r`"


@pytest.mark.parametrize(
    ("existing", "hint"),
    [
        pytest.param("incident-researcher", "change it to `incident-researcher`", id="a near name"),
        pytest.param(
            "x",
            "create AgentTemplate `incident-resaercher` in namespace `ns`, or remove the binding",
            id="none",
        ),
    ],
)
def test_a_missing_template_is_told_with_a_way_out(existing: str, hint: str) -> None:
    root = template("r", bind("incident-resaercher", "researcher"))
    (fault,) = unfold("r", root, template(existing)).diagnostics
    assert fault.message == (
        "binding `researcher` names AgentTemplate `incident-resaercher`, which does not exist in "
        "namespace `ns`"
    )
    assert fault.hint == hint


def test_a_broken_template_blocks_and_is_not_missing() -> None:
    unfolding = unfold("r", template("r", bind("a"), bind("b")), template("b"), broken=("a",))
    assert (paths(unfolding), unfolding.diagnostics, unfolding.blocked) == (["", "b"], (), True)


def test_a_broken_template_that_the_tree_does_not_need_blocks_nothing() -> None:
    assert not unfold("r", template("r"), broken=("a",)).blocked


def test_a_fault_leaves_the_rest_of_the_tree_standing() -> None:
    unfolding = unfold("r", template("r", bind("gone"), bind("r", "again"), bind("a")), template("a"))
    assert paths(unfolding) == ["", "a"]


def wide(width: int) -> list[AgentTemplate]:
    return [template("r", *(bind("leaf", f"b{i}") for i in range(width))), template("leaf")]


def deep(depth: int) -> list[AgentTemplate]:
    chain = [template(f"t{i}", bind(f"t{i + 1}", isolation=DEDICATED)) for i in range(depth)]
    return [template("r", bind("t0")), *chain, template(f"t{depth}")]


def layered(width: int, depth: int) -> list[AgentTemplate]:
    """Templates whose unfolding has `width ** depth` leaves."""
    fan = [template(f"t{i}", *(bind(f"t{i + 1}", f"b{n}") for n in range(width))) for i in range(depth)]
    return [template("r", bind("t0")), *fan, template(f"t{depth}")]


@pytest.mark.parametrize(
    ("templates", "holder", "tool"),
    [
        pytest.param(wide(63), None, 0, id="63 bindings make 64 nodes"),
        pytest.param(wide(64), "r", 63, id="64 bindings"),
        pytest.param(wide(5_000), "r", 63, id="5,000 bindings"),
        pytest.param(deep(62), None, 0, id="64 levels"),
        pytest.param(deep(63), "t62", 0, id="65 levels"),
        pytest.param(deep(5_000), "t62", 0, id="5,000 levels"),
        pytest.param(layered(2, 4), None, 0, id="32 nodes"),
        # The root and t0 to t49 leave 13 places for the leaves of t49.
        pytest.param(layered(50, 50), "t49", 13, id="50 to the 50th"),
    ],
)
def test_a_tree_ends_at_its_64th_node(templates: list[AgentTemplate], holder: str | None, tool: int) -> None:
    unfolding = unfold("r", *templates)
    expected = [("TreeTooLarge", holder, f"spec.tools[{tool}].agent")] if holder else []
    assert faults(unfolding.diagnostics) == expected
    assert len(unfolding.tree.nodes) <= MAX_NODES
    assert (len(unfolding.tree.nodes) == MAX_NODES) or not holder


def test_a_tree_too_large_still_tells_what_was_met() -> None:
    bindings = [bind("leaf", f"b{i}") for i in range(70)]
    root = template("r", bind("r", "again"), bind("gone"), *bindings)
    found = faults(unfold("r", root, template("leaf")).diagnostics)
    assert found == [
        ("CycleDetected", "r", f"spec.tools[0].{REF}"),
        ("TreeTooLarge", "r", "spec.tools[65].agent"),
        ("TemplateNotFound", "r", f"spec.tools[1].{REF}"),
    ]


def test_references_without_a_node_do_not_count() -> None:
    root = template(
        "r", *(bind("gone", f"g{i}") for i in range(100)), *(bind("leaf", f"b{i}") for i in range(63))
    )
    assert {reason for reason, _, _ in faults(unfold("r", root, template("leaf")).diagnostics)} == {
        "TemplateNotFound"
    }


def test_too_large_names_the_root_and_the_limit() -> None:
    (fault,) = unfold("r", *deep(70)).diagnostics
    assert fault.message == "the tree of AgentTemplate `r` has more than 64 nodes, counting each binding"
    assert fault.hint == "remove agent bindings from the tree of AgentTemplate `r`"
