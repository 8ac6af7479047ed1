"""Live objects are read whatever their shape, and only what the renderer wrote is ours."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kagent_apply.cluster.live import LiveObject, LivePool, LiveTemplate, Readiness, read_live, readiness
from kagent_apply.cluster.resources import ACTOR_TEMPLATES, AGENT_TEMPLATES, HARNESSES, WATCHED, WORKER_POOLS
from kagent_render.target.ate_v1alpha1 import BINDING_PATH
from tests.apply.cluster.objects import actor_template, coordinator_lock

REVIEWER = "incident-coordinator-python-runtime-reviewer-94622919e233"


def _served(value: dict[str, Any]) -> dict[str, Any]:
    value["metadata"] |= {"uid": "u", "resourceVersion": "7", "generation": 3}
    return value


def _template(value: dict[str, Any]) -> LiveTemplate:
    live = read_live(ACTOR_TEMPLATES, _served(value))
    assert isinstance(live, LiveTemplate)
    return live


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (None, Readiness.PENDING),
        ({}, Readiness.PENDING),
        ({"phase": ""}, Readiness.PENDING),
        ({"phase": "ResumeGoldenActor"}, Readiness.PENDING),
        ({"phase": "WaitGoldenActor"}, Readiness.PENDING),
        ({"phase": "Ready"}, Readiness.READY),
        ({"phase": "Failed"}, Readiness.FAILED),
        ({"phase": "ready"}, Readiness.PENDING),
        ({"conditions": [{"type": "Ready", "status": "True"}]}, Readiness.READY),
        ({"conditions": [{"type": "Ready", "status": "False"}]}, Readiness.PENDING),
        ({"phase": "Failed", "conditions": [{"type": "Ready", "status": "True"}]}, Readiness.FAILED),
        ({"phase": 5}, Readiness.PENDING),
        ({"conditions": {"type": "Ready", "status": "True"}}, Readiness.PENDING),
        ({"conditions": ["Ready", None]}, Readiness.PENDING),
        ("Ready", Readiness.PENDING),
        ([], Readiness.PENDING),
    ],
)
def test_readiness_is_what_the_phase_says(status: Any, expected: Readiness) -> None:
    assert readiness(status) is expected


@pytest.mark.parametrize("name", [None, REVIEWER])
def test_what_the_renderer_wrote_is_ours(name: str | None) -> None:
    live = _template(actor_template(name=name) if name else actor_template())
    assert live.is_ours
    assert (live.harness, live.agent_template) == ("python-runtime", "incident-coordinator")


def test_the_digest_is_the_lock_s() -> None:
    by_name = {found["actorTemplate"]: found for found in coordinator_lock()["spec"]["boundaries"]}
    assert (
        _template(actor_template()).spec_digest == by_name[actor_template()["metadata"]["name"]]["specDigest"]
    )
    assert _template(actor_template(name=REVIEWER)).spec_digest == by_name[REVIEWER]["specDigest"]


def _label(name: str, text: str | None) -> Any:
    def change(value: dict[str, Any]) -> None:
        labels = value["metadata"]["labels"]
        labels.pop(name) if text is None else labels.update({name: text})

    return change


def _annotation(name: str, text: str | None) -> Any:
    def change(value: dict[str, Any]) -> None:
        annotations = value["metadata"]["annotations"]
        annotations.pop(name, None) if text is None else annotations.update({name: text})

    return change


def _spec(value: dict[str, Any]) -> None:
    value["spec"]["containers"][0]["image"] = "registry.example.com/other@sha256:" + "1" * 64


def _no_spec(value: dict[str, Any]) -> None:
    del value["spec"]


def _name(value: dict[str, Any]) -> None:
    value["metadata"]["name"] = value["metadata"]["name"][:-12] + "0" * 12


def _namespace(value: dict[str, Any]) -> None:
    value["metadata"]["namespace"] = "elsewhere"


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(_label("app.kubernetes.io/managed-by", "helm"), id="managed by another"),
        pytest.param(_label("app.kubernetes.io/managed-by", None), id="managed by nobody"),
        pytest.param(_label("kagent.dev/revision", None), id="no revision"),
        pytest.param(_label("kagent.dev/revision", "0" * 12), id="another revision"),
        pytest.param(_label("kagent.dev/harness", "other"), id="another Harness"),
        pytest.param(_label("kagent.dev/agent-template", None), id="no template"),
        pytest.param(_annotation("argocd.argoproj.io/sync-options", None), id="Argo CD prunes it"),
        pytest.param(_annotation("kustomize.toolkit.fluxcd.io/prune", "enabled"), id="Flux prunes it"),
        pytest.param(_annotation(BINDING_PATH, "reviewer"), id="another boundary"),
        pytest.param(_spec, id="another spec"),
        pytest.param(_no_spec, id="no spec"),
        pytest.param(_name, id="a name of one's own"),
        pytest.param(_namespace, id="copied to another namespace"),
    ],
)
def test_what_is_not_just_as_the_renderer_writes_it_is_not_ours(change: Any) -> None:
    value = actor_template()
    change(value)
    assert not _template(value).is_ours


@pytest.mark.parametrize(
    "metadata",
    [
        None,
        [],
        "x",
        {},
        {"name": "a", "namespace": "b"},
        {"name": "a", "namespace": "b", "uid": 5},
        {"name": "a", "namespace": "b", "uid": "u" * 2000},
        {"name": "../../secrets", "namespace": "b", "uid": "u"},
        {"name": "a?b=c", "namespace": "b", "uid": "u"},
        {"name": "a" * 254, "namespace": "b", "uid": "u"},
        {"name": "a", "namespace": "", "uid": "u"},
        {"name": "a", "uid": "u"},
        {"name": {"a": 1}, "namespace": "b", "uid": "u"},
    ],
)
def test_what_cannot_be_an_object_is_left_out(metadata: Any) -> None:
    assert all(read_live(resource, {"metadata": metadata}) is None for resource in WATCHED)


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=20, deadline=None)
@given(spec=_JSON, status=_JSON, labels=_JSON, managed=_JSON, generation=_JSON)
def test_an_object_of_any_shape_is_read(
    spec: Any, status: Any, labels: Any, managed: Any, generation: Any
) -> None:
    metadata = {
        "name": "a",
        "namespace": "b",
        "uid": "u",
        "labels": labels,
        "annotations": labels,
        "managedFields": managed,
        "generation": generation,
    }
    for resource in WATCHED:
        value = {
            "apiVersion": f"{resource.group}/{resource.versions[0]}",
            "kind": resource.kind,
            "metadata": metadata,
            "spec": spec,
            "status": status,
        }
        live = read_live(resource, value)
        assert live is not None
        assert live.identity.name == "a"
        assert not (isinstance(live, LiveTemplate) and live.is_ours)


def test_a_spec_that_is_nested_without_end_has_no_digest() -> None:
    deep: Any = {}
    for _ in range(100_000):
        deep = {"a": deep}
    live = _template({**actor_template(), "spec": deep})
    assert (live.spec_digest, live.is_ours) == ("", False)


def test_a_huge_spec_is_read() -> None:
    value = actor_template()
    value["spec"]["containers"][0]["env"] = [{"name": "A", "value": "x" * 3_000_000}]
    live = _template(value)
    assert live.spec_digest.startswith("sha256:")
    assert not live.is_ours


def test_what_is_being_deleted_says_so() -> None:
    value = actor_template()
    value["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    assert _template(value).identity.deleting


def _harness(**changes: Any) -> dict[str, Any]:
    image = "registry.example.com/agent@sha256:" + "0" * 64
    value: dict[str, Any] = {
        "apiVersion": "kagent.dev/v1alpha3",
        "kind": "Harness",
        "metadata": {"namespace": "team", "name": "runtime"},
        "spec": {
            "kagent": {},
            "workload": {"image": image},
            "substrate": {"workerPoolRef": {"name": "pool"}, "snapshotPolicy": {"location": "s3://a/b"}},
        },
    }
    value["spec"] |= changes
    return _served(value)


def _digest(resource: Any, value: dict[str, Any]) -> str:
    live = read_live(resource, json.loads(json.dumps(value)))
    assert isinstance(live, LiveObject)
    return live.spec_digest


def test_what_a_server_adds_does_not_change_the_digest_of_an_object() -> None:
    bare, served = _harness(), _harness()
    served["metadata"] |= {
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": "{}"},
        "creationTimestamp": "2026-01-01T00:00:00Z",
        "finalizers": ["x"],
        "managedFields": [{"manager": "kubectl"}],
        "ownerReferences": [],
        "selfLink": "x",
    }
    served["status"] = {"observedGeneration": 1, "surprise": {}}
    assert _digest(HARNESSES, bare) == _digest(HARNESSES, served) != ""


def test_defaults_that_a_server_writes_are_those_of_the_digest() -> None:
    template: dict[str, Any] = {
        "apiVersion": "kagent.dev/v1alpha3",
        "kind": "AgentTemplate",
        "metadata": {"namespace": "team", "name": "lead"},
        "spec": {
            "modelConfig": {"name": "m"},
            "tools": [{"agent": {"name": "a", "description": "b", "templateRef": {"name": "c"}}}],
        },
    }
    bare = _digest(AGENT_TEMPLATES, _served(template))
    template["spec"]["tools"][0]["agent"]["isolation"] = "Shared"
    assert bare == _digest(AGENT_TEMPLATES, _served(template)) != ""
    template["spec"]["tools"][0]["agent"]["isolation"] = "Dedicated"
    assert bare != _digest(AGENT_TEMPLATES, _served(template))


@pytest.mark.parametrize(
    "changes", [{"unknown": 1}, {"kagent": None}, {"workload": {"image": 5}}, {"env": "x"}]
)
def test_an_object_that_is_not_valid_has_no_digest(changes: dict[str, Any]) -> None:
    assert _digest(HARNESSES, _harness(**changes)) == ""


def test_a_worker_pool_has_the_name_that_selects_it() -> None:
    value = _served({"metadata": {"namespace": "a", "name": "b", "labels": {"kagent.dev/worker-pool": "c"}}})
    live = read_live(WORKER_POOLS, value)
    assert isinstance(live, LivePool)
    assert live.selected_by == "c"
