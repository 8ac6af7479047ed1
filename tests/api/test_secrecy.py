"""No message, hint or quoted line ever shows a value of the manifest that may be a credential."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.api.manifests import decode_text, decode_value, manifest, yaml_manifest

if TYPE_CHECKING:
    from kagent_render.diagnostics.diagnostic import Diagnostic

WORD = "hush-hush-value"

SPECS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "env literal": ("v1alpha2", "Harness", {"python": {}, "env": [{"name": "A", "value": [WORD]}]}),
    "misspelt env literal": ("v1alpha2", "Harness", {"python": {}, "env": [{"name": "A", "valeu": WORD}]}),
    "env literal beside a reference": (
        "v1alpha2",
        "Harness",
        {"python": {}, "env": [{"name": "A", "value": WORD, "credentialRef": {"name": "s", "key": "k"}}]},
    ),
    "env literal set twice": (
        "v1alpha2",
        "Harness",
        {"python": {}, "env": [{"name": "A", "value": WORD}, {"name": "A", "value": WORD}]},
    ),
    "header literal": (
        "v1alpha3",
        "RemoteMCPServer",
        {"description": "d", "url": "https://h", "headersFrom": [{"name": "A", "value": {"x": WORD}}]},
    ),
    "default header": ("v1alpha3", "ModelConfig", {"model": "m", "defaultHeaders": {"A": [WORD]}}),
    "directory token": (
        "v1alpha3",
        "ModelConfig",
        {
            "model": "m",
            "provider": "AzureOpenAI",
            "azureOpenAI": {"azureEndpoint": "https://h", "apiVersion": "v", "azureAdToken": WORD},
        },
    ),
    "address": ("v1alpha3", "RemoteMCPServer", {"description": "d", "url": f"https://u:{WORD}@h"}),
    "variable of a plugin": (
        "v1alpha1",
        "AgentPlugin",
        {"agentRef": "a", "image": "i", "env": [{"name": "A", "value": WORD, "valueFrom": {"x": WORD}}]},
    ),
    "config of a plugin": ("v1alpha1", "AgentPlugin", {"agentRef": "a", "image": "i", "config": {"a": WORD}}),
    "image of a plugin": ("v1alpha1", "AgentPlugin", {"agentRef": "a", "image": f"https://u:{WORD}@h/i"}),
    "variable of an agent": (
        "v1alpha1",
        "PlatformAgent",
        {"deployment": {"env": [{"name": "A", "value": [WORD]}]}},
    ),
    "variable of an agent's sidecar": (
        "v1alpha1",
        "PlatformAgent",
        {"deployment": {"sidecars": [{"env": [{"name": "A", "value": WORD}]}]}},
    ),
    "enum": ("v1alpha3", "ModelConfig", {"model": "m", "provider": WORD}),
    "Git address": (
        "v1alpha2",
        "AgentTemplate",
        {
            "modelConfig": {"name": "m"},
            "skills": [{"name": "s", "source": {"git": {"url": f"https://{WORD}@h", "commit": WORD}}}],
        },
    ),
}


def told_text(told: list[Diagnostic]) -> str:
    return " ".join(f"{fault.message} {fault.hint} {fault.field}" for fault in told)


@pytest.mark.parametrize("name", SPECS)
def test_messages_never_show_a_value(name: str) -> None:
    _, told = decode_value(manifest(*SPECS[name]))
    assert told
    assert WORD not in told_text(told)


@pytest.mark.parametrize("name", [name for name in SPECS if name != "enum"])
def test_lines_with_a_literal_are_not_quoted(name: str) -> None:
    _, told = decode_value(manifest(*SPECS[name]))
    assert all(fault.sensitive for fault in told)


def test_a_fault_on_the_line_of_a_literal_is_sensitive_and_one_beside_it_is_not() -> None:
    spec = "python: {}\nworkload: {image: x}\nsubstrate: {}\nenv: [{name: A, value: x}]"
    _, told = decode_text(yaml_manifest("v1alpha2", "Harness", spec))
    assert {fault.sensitive for fault in told} == {False}
    flow = "{python: {}, workload: {image: x}, env: [{name: A, value: x}]}"
    _, told = decode_text(yaml_manifest("v1alpha2", "Harness", flow))
    assert [(fault.field, fault.sensitive) for fault in told] == [("spec.workload.image", True)]


def test_an_unknown_field_that_holds_a_credential_is_sensitive() -> None:
    token = "ghp_" + "a1" * 18
    _, told = decode_text(yaml_manifest("v1alpha3", "ModelConfig", f"model: m\napiKey: {token}\nmodle: x"))
    assert {fault.field: fault.sensitive for fault in told} == {"spec.apiKey": True, "spec.modle": False}


FIELDS = (
    *("name", "value", "env", "git", "url", "source", "skills", "tools", "python", "model"),
    *("agentRef", "image", "config", "harness", "deployment", "valueFrom"),
)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.just(WORD), st.just(f"https://u:{WORD}@h")),
    lambda below: st.one_of(
        st.lists(below, max_size=3),
        st.dictionaries(
            st.sampled_from(FIELDS),
            below,
            max_size=4,
        ),
    ),
    max_leaves=12,
)


@settings(max_examples=150, deadline=None)
@given(
    subject=st.one_of(
        st.tuples(
            st.sampled_from(["v1alpha2", "v1alpha3"]),
            st.sampled_from(["Harness", "AgentTemplate", "ModelConfig", "RemoteMCPServer"]),
        ),
        st.tuples(st.just("v1alpha1"), st.sampled_from(["AgentPlugin", "PlatformAgent"])),
    ),
    spec=values,
)
def test_any_value_is_judged_without_being_shown(subject: tuple[str, str], spec: Any) -> None:
    version, kind = subject
    inventory, told = decode_value(manifest(version, kind, spec))
    assert WORD not in told_text(told)
    assert bool(inventory.broken) == any(fault.is_error for fault in told)
