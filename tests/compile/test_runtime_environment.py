"""The environment of a boundary: what is fixed, in which order, and what collides (facts 4.1)."""

from __future__ import annotations

import pytest

from kagent_render.api.hub import SecretKeyRef
from kagent_render.compile.adapters.adapter import ModelVariable
from kagent_render.compile.adapters.python import configuration as python
from kagent_render.compile.environment import EnvVar, Provenance, deduplicate
from kagent_render.compile.policy import Policy
from kagent_render.compile.runtime_environment import (
    FIXED_NAMES,
    RESERVED_NAMES,
    check_collisions,
    check_environment,
    fixed_variables,
    harness_variables,
    order_environment,
)
from kagent_render.diagnostics.diagnostic import Severity
from tests.manifests import HARNESS, documents, inventory, told


def variables(*names: str, value: str = "") -> tuple[EnvVar, ...]:
    """Variables whose origin is the Harness's entry with their index."""
    (document,) = documents(HARNESS)
    return tuple(
        EnvVar(name, value or name.lower(), Provenance(document, ("spec", "env", index, "name")))
        for index, name in enumerate(names)
    )


@pytest.mark.parametrize("tools", [True, False])
def test_the_fixed_variables_stand_in_their_order(tools: bool) -> None:
    policy = Policy("t", controller_name="c", controller_namespace="n", tools_url="https://tools")
    found = {variable.name: variable.value for variable in fixed_variables("name", "ns", policy, tools=tools)}
    assert list(found) == list(FIXED_NAMES if tools else FIXED_NAMES[:-1])
    assert found == {
        "KAGENT_NAME": "name",
        "KAGENT_NAMESPACE": "ns",
        "KAGENT_URL": "http://c.n:8083",
        "KAGENT_GRPC_URL": "c.n:8084",
        "PORT": "80",
        "KAGENT_A2A_GRPC_ADDRESS": "[::]:80",
        "KAGENT_PRE_RESPONSE_TRACE_FLUSH": "true",
        **({"KAGENT_TOOLS_URL": "https://tools"} if tools else {}),
    }


def test_a_harness_s_entries_are_values_or_references_in_its_order() -> None:
    reference = "credentialRef: {name: s, key: k, optional: true}"
    env = f"[{{name: B, value: x}}, {{name: A, {reference}}}, {{name: C, value: ''}}]"
    harness = inventory(HARNESS + f"  env: {env}\n").harnesses["team", "runtime"]
    found = harness_variables(harness)
    assert [(variable.name, variable.value) for variable in found] == [
        ("B", "x"),
        ("A", SecretKeyRef("s", "k", optional=True)),
        ("C", ""),
    ]
    assert [variable.origin and variable.origin.field for variable in found] == [
        ("spec", "env", index, "name") for index in range(3)
    ]


@pytest.mark.parametrize(
    ("adapter", "harness", "fixed", "expected"),
    [
        pytest.param("AB", "CD", "EF", "ABCDEF", id="adapter, Harness, fixed"),
        pytest.param("AB", "BC", "C", "ABC", id="a name keeps its first place"),
        pytest.param("AA", "", "A", "A", id="once"),
        pytest.param("", "", "", "", id="nothing"),
    ],
)
def test_each_name_stands_once_at_its_first_place(
    adapter: str, harness: str, fixed: str, expected: str
) -> None:
    parts = [
        [EnvVar(name, part) for name in names]
        for part, names in zip("123", (adapter, harness, fixed), strict=True)
    ]
    assert "".join(variable.name for variable in order_environment(*parts)) == expected


def test_the_last_value_of_a_name_counts() -> None:
    found = deduplicate([EnvVar("A", "1"), EnvVar("B", "2"), EnvVar("A", "3")])
    assert [(variable.name, variable.value) for variable in found] == [("A", "3"), ("B", "2")]


@pytest.mark.parametrize("name", sorted(RESERVED_NAMES))
def test_a_name_that_is_set_for_every_runtime_is_reserved(name: str) -> None:
    assert told(list(check_environment((), variables("OTHER", name), python, {}))) == [
        ("ReservedEnvName", "spec.env[1].name")
    ]


def test_a_provider_s_variable_may_be_overridden_with_a_warning() -> None:
    (fault,) = check_environment(
        variables("OPENAI_API_KEY", value="ours"), variables("LEVEL", "OPENAI_API_KEY"), python, {}
    )
    assert told([fault]) == [("EnvOverridesProvider", "spec.env[1].name")]
    assert fault.severity is Severity.WARNING


def test_two_agents_may_need_a_variable_with_one_value_only() -> None:
    document = documents(HARNESS)[0]
    first, second = (Provenance(document, ("spec", "tools", index)) for index in range(2))
    same = [ModelVariable(EnvVar("A", "x"), first), ModelVariable(EnvVar("A", "x"), second)]
    other = [*same[:1], ModelVariable(EnvVar("A", SecretKeyRef("s", "k")), second)]
    assert list(check_collisions(same, frozenset())) == []
    assert told(list(check_collisions(other, frozenset()))) == [("CredentialUnsupported", "spec.tools[1]")]
    assert list(check_collisions(other, frozenset("A"))) == []


@pytest.mark.parametrize(
    ("variable", "size"),
    [
        (EnvVar("A", "x"), 3),
        (EnvVar("A", ""), 2),
        (EnvVar("A", "ü"), 4),
        (EnvVar("A", SecretKeyRef("a-long-name", "key")), 2),
    ],
)
def test_a_size_is_in_bytes_of_name_and_value(variable: EnvVar, size: int) -> None:
    assert variable.size == size
