"""What is deleted is ours and named by nothing, and has been so for a while."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_apply.cluster.obsolete import Grace, all_named, names_of, obsolete_names, obsolete_objects
from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
from kagent_apply.instances.requests import AgentName
from tests.apply.cluster.objects import live_template

AGENT = AgentName("agent-team", "runtime", "agent")
OTHER = AgentName("agent-team", "runtime", "other")


@pytest.mark.parametrize(
    ("fields", "named", "agents", "owned", "goes"),
    [
        ({}, {}, {AGENT}, (), True),
        ({}, {"agent-team": frozenset({"x"})}, {AGENT}, (), False),
        ({}, {"elsewhere": frozenset({"x"})}, {AGENT}, (), True),
        ({}, {"agent-team": frozenset({"y"})}, {AGENT}, (), True),
        ({"is_ours": False}, {}, {AGENT}, ("agent-team",), False),
        ({"deleting": True}, {}, {AGENT}, (), False),
        ({}, {}, {OTHER}, (), False),
        ({}, {}, set(), (), False),
        ({}, {}, set(), ("agent-team",), True),
        ({}, {}, set(), ("elsewhere",), False),
        ({}, {}, {dataclasses.replace(AGENT, namespace="elsewhere")}, (), False),
    ],
)
def test_a_custom_resource_goes_that_is_ours_of_an_agent_of_ours_and_not_named(
    fields: dict[str, bool],
    named: dict[str, frozenset[str]],
    agents: set[AgentName],
    owned: tuple[str, ...],
    goes: bool,
) -> None:
    found = obsolete_objects([live_template("x", **fields)], named, agents, owned)  # type: ignore[arg-type]
    assert bool(found) is goes


_HASH = "0123456789ab"


@pytest.mark.parametrize(
    ("name", "goes"),
    [
        (f"agent-runtime-{_HASH}", True),
        (f"agent-runtime-reviewer-{_HASH}", True),
        (f"agent-runtime-kept-{_HASH}", False),
        ("agent-runtime", False),
        (f"agent-runtime{_HASH}", False),
        (f"agent-runtime-{_HASH[:-1]}", False),
        (f"agent-runtime-{_HASH[:-1]}g", False),
        (f"agent-runtime-{_HASH.upper()}", False),
        (f"other-runtime-{_HASH}", False),
        (f"x-agent-runtime-{_HASH}", False),
        (_HASH, False),
        ("", False),
    ],
)
def test_a_template_of_substrate_s_goes_that_has_the_name_of_an_agent_of_ours(name: str, goes: bool) -> None:
    named = {"agent-team": frozenset({f"agent-runtime-kept-{_HASH}"})}
    assert bool(obsolete_names("agent-team", [name], named, [AGENT])) is goes
    assert not obsolete_names("elsewhere", [name], named, [AGENT])


def test_long_names_and_those_with_dots_are_known_as_they_are_cut() -> None:
    long = AgentName("n", "r" * 30, "a.b" + "t" * 40)
    name = f"{'a-b' + 't' * 40}-{'r' * 6}-{_HASH}"
    assert obsolete_names("n", [name], {}, [long]) == [name]


def test_every_source_that_names_a_template_counts() -> None:
    member = PreparedMember("", "served", "sha256:0", b"")
    revision = PreparedRevision(AGENT, "sha256:1", "ate.dev/v1alpha1", {}, (member,))
    named = all_named({"agent-team": ["a"], "b": ["c"]}, {"agent-team": {"d"}}, names_of([revision]))
    assert named == {"agent-team": frozenset({"a", "d", "served"}), "b": frozenset({"c"})}


_NAMES = st.sets(st.sampled_from("abcdefgh"))
_SPACES = st.dictionaries(st.sampled_from(["n", "m"]), _NAMES)


@settings(max_examples=50, deadline=None)
@given(
    live=st.lists(st.tuples(st.sampled_from(["n", "m"]), st.sampled_from("abcdefgh"), st.booleans())),
    sources=st.lists(_SPACES, max_size=3),
    owned=st.sets(st.sampled_from(["n", "m"])),
    known=st.booleans(),
)
def test_nothing_goes_that_anything_names_or_that_is_not_ours(
    live: list[tuple[str, str, bool]], sources: list[dict[str, set[str]]], owned: set[str], known: bool
) -> None:
    templates = [live_template(name, namespace, is_ours=ours) for namespace, name, ours in live]
    agents = {AgentName("n", "runtime", "agent")} if known else set()
    gone = obsolete_objects(templates, all_named(*sources), agents, owned)
    for found in gone:
        assert found.is_ours
        space = found.identity.namespace
        assert all(found.identity.name not in source.get(space, ()) for source in sources)
        assert space in owned or (known and space == "n")


def test_what_is_obsolete_without_a_break_is_due_after_the_grace() -> None:
    grace = Grace(10.0)
    assert grace.due(["a"], 0.0) == []
    assert grace.due(["a", "b"], 9.9) == []
    assert grace.due(["a", "b"], 10.0) == ["a"]
    assert grace.due(["b", "a"], 20.0) == ["a", "b"]


@pytest.mark.parametrize("how", ["needed again", "unknown"])
def test_a_break_begins_the_grace_anew(how: str) -> None:
    grace = Grace(10.0)
    grace.due(["a"], 0.0)
    if how == "needed again":
        grace.due([], 5.0)
    else:
        grace.restart()
    assert grace.due(["a"], 10.0) == []
    assert grace.due(["a"], 20.0) == ["a"]


@settings(max_examples=50, deadline=None)
@given(
    rounds=st.lists(st.tuples(st.integers(0, 5), st.sets(st.sampled_from("abc"))), max_size=12),
)
def test_nothing_is_due_that_was_needed_within_the_grace(rounds: list[tuple[int, set[str]]]) -> None:
    grace, now, needed_at = Grace(7.0), 0.0, dict.fromkeys("abc", 0.0)
    for step, obsolete in rounds:
        now += step
        for key in set("abc") - obsolete:
            needed_at[key] = now
        for key in grace.due(sorted(obsolete), now):
            assert key in obsolete
            assert now - needed_at[key] >= 7.0
