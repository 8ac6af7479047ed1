"""The fields of the custom resource of June 2026: what the API server takes, and what it refuses."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from kagent_render.source.yaml import read_yaml
from kagent_render.target.custom_resource import resource_faults
from tests.running import EXAMPLE

MANIFESTS = sorted((EXAMPLE / "rendered").rglob("actortemplates/*.yaml"))
Spec = dict[str, Any]


def written() -> Spec:
    value: Spec = read_yaml(MANIFESTS[0].read_bytes())[0].value
    return copy.deepcopy(value)


@pytest.mark.parametrize("path", MANIFESTS, ids=lambda path: path.stem)
def test_what_is_rendered_has_no_fault(path: Any) -> None:
    assert resource_faults(read_yaml(path.read_bytes())[0].value) == []


def container(change: Callable[[Spec], Any]) -> Callable[[Spec], Any]:
    return lambda spec: change(spec["containers"][0])


def variable(**entry: Any) -> Callable[[Spec], Any]:
    return container(lambda it: it["env"].append(entry))


SECRET = {"secretKeyRef": {"name": "a", "key": "b"}}
FAULTS: dict[str, Callable[[Spec], Any]] = {
    "spec.pauseImage": lambda spec: spec.update(pauseImage="registry.example.com/pause"),
    "spec.hostPath": lambda spec: spec.update(hostPath="/"),
    "spec.sandboxClass": lambda spec: spec.update(sandboxClass="none"),
    "spec.workerSelector.matchLabels": lambda spec: spec.update(workerSelector={"matchLabels": {"a": "-"}}),
    "spec.snapshotsConfig": lambda spec: spec.update(snapshotsConfig="s3://x"),
    "spec.snapshotsConfig.location": lambda spec: spec["snapshotsConfig"].pop("location"),
    "spec.snapshotsConfig.onPause": lambda spec: spec["snapshotsConfig"].update(onPause="None"),
    "spec.containers": lambda spec: spec.update(containers=[]),
    "spec.containers[0]": lambda spec: spec.update(containers=["a"]),
    "spec.containers[0].image": container(lambda it: it.update(image="a:b")),
    "spec.containers[0].args": container(lambda it: it.update(args=["x"])),
    "spec.containers[0].command": container(lambda it: it.update(command="sh")),
    "spec.containers[0].env": variable(name="PORT", value="1"),
    "spec.containers[0].env[8]": variable(name="A"),
    "spec.containers[0].env[8].name": variable(name="A=B", value=""),
    "spec.containers[0].env[8].value": variable(name="A", value=1),
    "spec.containers[0].env[8].valueFrom.secretKeyRef": variable(name="A", valueFrom={}),
    "spec.containers[0].env[8].valueFrom.fieldRef": variable(name="A", valueFrom={**SECRET, "fieldRef": {}}),
    "spec.containers[0].readyz.httpGet.port": container(lambda it: it["readyz"]["httpGet"].update(port=True)),
    "spec.containers[0].readyz.httpGet.path": container(lambda it: it["readyz"]["httpGet"].update(path="x")),
    "spec.containers[0].volumeMounts[0].mountPath": container(
        lambda it: it["volumeMounts"][0].update(mountPath="/data/../etc")
    ),
    "spec.volumes": lambda spec: spec.update(volumes=spec["volumes"] * 2),
    "spec.volumes[0].hostPath": lambda spec: spec["volumes"][0].update(hostPath={}),
}


@pytest.mark.parametrize("field", FAULTS)
def test_each_fault_is_told_at_its_field(field: str) -> None:
    value = written()
    value["spec"]["containers"][0]["env"] = value["spec"]["containers"][0]["env"][:8]
    FAULTS[field](value["spec"])
    assert [fault.path for fault in resource_faults(value)] == [field]


@pytest.mark.parametrize("spec", [None, [], "x", {}])
def test_what_is_no_spec_is_refused(spec: Any) -> None:
    assert resource_faults({"spec": spec})


def test_a_key_that_could_be_a_secret_is_not_repeated() -> None:
    value = written()
    value["spec"]["<script>"] = 1
    (fault,) = resource_faults(value)
    assert "script" not in fault.path + fault.message
