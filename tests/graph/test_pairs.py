"""Whole pairs: the proposal's example, every fault at once, and properties of random template graphs."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_render.api.hub import AgentTemplate, Isolation
from kagent_render.graph.attachment import BrokenTemplate
from kagent_render.graph.pairs import MAX_FAULTS, PairGraph, resolve_pairs
from kagent_render.graph.tree import MAX_NODES
from tests.graph.build import (
    DEDICATED,
    EVERYTHING,
    bind,
    faults,
    graph_of,
    graphs,
    harness,
    inventory,
    match,
    pair,
    template,
)


def test_the_example_of_the_proposal_makes_three_pairs() -> None:
    runtime = {"example.com/runtime": "python"}
    common = {"include": ("python-runtime",), "labels": runtime, "namespace": "agent-team"}
    found = graphs(
        harness("python-runtime", match(**runtime), namespace="agent-team"),
        template(
            "incident-coordinator",
            bind("incident-researcher", "researcher"),
            bind("incident-reviewer", "reviewer", DEDICATED),
            **common,  # type: ignore[arg-type]
        ),
        template("incident-researcher", **common),  # type: ignore[arg-type]
        template("incident-reviewer", **common),  # type: ignore[arg-type]
    )
    assert {name: [part.path for part in graph.boundaries] for name, graph in found.items()} == {
        "agent-team/python-runtime/incident-coordinator": ["", "reviewer"],
        "agent-team/python-runtime/incident-researcher": [""],
        "agent-team/python-runtime/incident-reviewer": [""],
    }
    assert all(graph.is_sound for graph in found.values())


def test_every_fault_of_a_pair_is_collected_in_source_order_with_its_pair() -> None:
    root = template("r", bind("c", "user"), bind("gone"), bind("c", "USER"), bind("r"))
    graph = graph_of("r", harness(admission=match(k="v")), root, template("c", bind("c"), include=()))
    assert faults(graph.diagnostics) == [
        ("NotAdmitted", "c", "metadata.labels"),
        ("NotIncluded", "c", "spec.harnesses.include"),
        ("SharedDepthExceeded", "c", "spec.tools[0].agent"),
        ("DuplicateBindingName", "c", "spec.tools[0].agent.name"),
        ("CycleDetected", "c", "spec.tools[0].agent.templateRef.name"),
        ("NotAdmitted", "r", "metadata.labels"),
        ("NameInvalid", "r", "spec.tools[0].agent.name"),
        ("TemplateNotFound", "r", "spec.tools[1].agent.templateRef.name"),
        ("DuplicateBindingName", "r", "spec.tools[2].agent.name"),
        ("NameInvalid", "r", "spec.tools[2].agent.name"),
        ("CycleDetected", "r", "spec.tools[3].agent.templateRef.name"),
    ]
    assert {fault.pair for fault in graph.diagnostics} == {pair("h", "r")}


def test_a_pair_of_a_broken_root_is_blocked_without_a_tree() -> None:
    broken = BrokenTemplate("ns", "r", ("h",), {})
    (graph,) = resolve_pairs(inventory(harness(), broken=[("AgentTemplate", "r")]), [broken])
    assert (graph.tree, graph.boundaries, graph.diagnostics) == (None, (), ())
    assert (graph.blocked, graph.is_sound) == (True, False)


@pytest.mark.parametrize(
    "chain", [("r",), ("r", "a"), ("r", "a", "b")], ids=["one level", "two levels", "three levels"]
)
def test_a_broken_template_blocks_every_pair_above_it(chain: tuple[str, ...]) -> None:
    below = (*chain[1:], "broken")
    templates = [
        template(name, bind(child, isolation=DEDICATED)) for name, child in zip(chain, below, strict=True)
    ]
    found = graphs(harness(), *templates, template("other"), broken=[("AgentTemplate", "broken")])
    assert {name: graph.blocked for name, graph in found.items()} == {
        **{f"ns/h/{name}": True for name in chain},
        "ns/h/other": False,
    }
    assert all(graph.diagnostics == () for graph in found.values())


NAMES = [f"t{i}" for i in range(7)]
_BINDINGS = st.lists(
    st.tuples(st.sampled_from([*NAMES, "gone", "broken"]), st.sampled_from(Isolation)), max_size=3
)
_GRAPHS = st.dictionaries(st.sampled_from(NAMES), _BINDINGS, max_size=len(NAMES))
Edges = dict[str, list[tuple[str, Isolation]]]


def from_edges(edges: Edges) -> list[AgentTemplate]:
    return [
        template(name, *(bind(to, f"b{i}", isolation) for i, (to, isolation) in enumerate(targets)))
        for name, targets in edges.items()
    ]


def resolve_edges(edges: Edges) -> dict[str, PairGraph]:
    return graphs(harness(), *from_edges(edges), broken=[("AgentTemplate", "broken")])


def unfolded(edges: Edges, line: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Every path from the last of `line`, by brute force; a cycle's path ends with the repeated name."""
    if line[-1] in line[:-1] or line[-1] not in edges:
        return [line]
    return [line, *(path for to, _ in edges[line[-1]] for path in unfolded(edges, (*line, to)))]


@given(_GRAPHS)
@settings(max_examples=150, deadline=None)
def test_the_tree_of_a_random_graph_is_its_unfolding(edges: Edges) -> None:
    for graph in resolve_edges(edges).values():
        root = graph.candidate.pair.template
        lines = unfolded(edges, (root,))
        cyclic = [line for line in lines if line[-1] in line[:-1]]
        missing = {line[-2] for line in lines if line[-1] not in {*edges, "broken"}}
        nodes = [line for line in lines if line[-1] in edges and line not in cyclic]
        assert graph.tree is not None
        assert len(graph.tree.nodes) == min(len(nodes), MAX_NODES)
        told = {reason for reason, _, _ in faults(graph.diagnostics)}
        if len(nodes) > MAX_NODES:
            assert "TreeTooLarge" in told
            continue
        assert "TreeTooLarge" not in told
        assert [node.template.name for node in graph.tree.nodes] == [line[-1] for line in nodes]
        assert closing(graph, "CycleDetected") == {line[-2] for line in cyclic}
        assert closing(graph, "TemplateNotFound") == missing
        assert graph.blocked == any(line[-1] == "broken" for line in lines)


def closing(graph: PairGraph, reason: str) -> set[str]:
    return {name for found, name, _ in faults(graph.diagnostics) if found == reason}


@given(_GRAPHS)
@settings(max_examples=100, deadline=None)
def test_every_node_is_in_exactly_one_boundary(edges: Edges) -> None:
    for graph in resolve_edges(edges).values():
        assert graph.tree is not None
        members = [node for part in graph.boundaries for node in part.nodes]
        assert sorted(node.path for node in members) == sorted(node.path for node in graph.tree.nodes)
        assert all(node.boundary == part.path for part in graph.boundaries for node in part.nodes)
        declared = [node.path for part in graph.boundaries for node in part.dedicated]
        assert sorted(declared) == sorted(part.path for part in graph.boundaries if part.path)


@given(_GRAPHS, st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_the_order_of_the_inventory_changes_nothing(edges: Edges, rng: random.Random) -> None:
    objects = [
        harness(),
        harness("g", EVERYTHING),
        *from_edges(edges),
        template("v3", bind("t0"), include=None),
    ]
    shuffled = rng.sample(objects, len(objects))
    assert resolve_pairs(inventory(*shuffled)) == resolve_pairs(inventory(*objects))


def test_two_thousand_templates_that_name_missing_ones_are_all_told() -> None:
    templates = [template(f"t{i:05}", bind(f"t{i:05}x", "next")) for i in range(2_000)]
    found = resolve_pairs(inventory(harness(), *templates))
    assert len(found) == len(templates)
    assert found[123].diagnostics[0].hint == "change it to `t00123`"


def test_templates_that_all_bind_each_other_end_at_the_limit() -> None:
    names = [f"t{i}" for i in range(30)]
    templates = [template(name, *(bind(other) for other in names)) for name in names]
    found = resolve_pairs(inventory(harness(), *templates))
    assert all(len(graph.tree.nodes) == MAX_NODES for graph in found if graph.tree)
    assert all("TreeTooLarge" in {fault.reason.value for fault in graph.diagnostics} for graph in found)
    assert all(len(graph.diagnostics) <= MAX_FAULTS for graph in found)
