"""What has not the shape of an ActorTemplate of `ateapi`: each fault at its path, in words that help."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from kagent_render.target.template_fault import TemplateFault
from kagent_render.target.template_reading import read_template
from tests.target.templates import ABSENT, IMAGE, RULES, TEMPLATE, changed

HIDDEN = "a value that nobody may see"


def faults(document: Any) -> list[TemplateFault]:
    read = read_template(document)
    assert isinstance(read, list), "the document was taken"
    return read


def test_a_template_is_read_whole_and_written_the_same() -> None:
    read = read_template(TEMPLATE)
    assert not isinstance(read, list)
    assert MessageToDict(read) == TEMPLATE


NAMES: dict[str, tuple[str, Any, str, str]] = {
    "the probe of September": ("containers.0.readyz", {}, "since v0.4.0-alpha1", "write `wakeupProbe`"),
    "the snapshots of September": ("snapshotsConfig", {}, "since v0.4.0-alpha1", "write `snapshotConfig`"),
    "what a pause captures": ("snapshotConfig.onPause", HIDDEN, "v0.4.0 has none any more", "remove it"),
    "what follows a pause": ("snapshotConfig.onResume", {}, "v0.4.0 has none any more", "remove it"),
    "the same in snake case": ("snapshotConfig.on_pause", {}, "v0.4.0 has none any more", "remove it"),
    "one trust bundle": (
        "volumes.1.systemInfo.dataSources.0.trustBundle.name",
        HIDDEN,
        "v0.4.0 takes several",
        "write `names`, a list",
    ),
    "headers of the betas": (
        "defaultEgressPolicy.rules.0.https.effects.injectStaticHeaders",
        [],
        "v0.2's betas",
        "write `replaceHeaders`",
    ),
    "hosts of the betas": (
        "defaultEgressPolicy.rules.0.hostnames",
        {},
        "v0.2's betas",
        "name the hosts in a rule's `http`, `https` or `tlsPassthrough`",
    ),
    "an apiVersion": ("apiVersion", "ate.dev/v1alpha1", "resources of `ateapi` have none", "remove it"),
    "a kind": ("kind", "ActorTemplate", "resources of `ateapi` have none", "remove it"),
    "a namespace": ("metadata.namespace", "payments", "another name", "write `atespace`"),
    "labels": ("metadata.labels", {}, "resources of `ateapi` have none", "remove it"),
    "the custom resource's location": ("snapshotConfig.location", "", "custom resource", "`storageLocation`"),
    "a Secret": ("containers.0.env.0.valueFrom", {}, "June 2026", "`replaceHeaders`"),
    "snake case": ("worker_selector", {}, "another spelling of `workerSelector`", "write `workerSelector`"),
    "snake case within": ("containers.0.volume_mounts", [], "another spelling", "write `volumeMounts`"),
    "a field of a fork": ("volumes.4.externalVolumeTemplate.seeded", True, "is no field of", "remove"),
    "a mistyped name": ("contianers", [], "is no field of `ActorTemplate`", "write `containers`"),
}


@pytest.mark.parametrize(("path", "value", "message", "hint"), NAMES.values(), ids=NAMES)
def test_a_name_that_is_not_of_this_generation_is_told_with_the_one_that_is(
    path: str, value: Any, message: str, hint: str
) -> None:
    document = {**TEMPLATE, "defaultEgressPolicy": {"rules": RULES}}
    (fault,) = faults(changed(document, path, value))
    assert fault.path == _written(path)
    assert message in fault.message
    assert hint in fault.hint


def _written(path: str) -> str:
    steps = [f"[{step}]" if step.isdecimal() else f".{step}" for step in path.split(".")]
    return "".join(steps).removeprefix(".")


def test_all_names_that_are_none_are_told() -> None:
    document = changed(TEMPLATE, "containers.0.readyz", {"httpGet": {}})
    document = changed(document, "snapshotsConfig", {"location": HIDDEN})
    document = changed(document, "metadata.labels", {})
    paths = [fault.path for fault in faults(document)]
    assert sorted(paths) == ["containers[0].readyz", "metadata.labels", "snapshotsConfig"]


JUNE = {
    "apiVersion": "ate.dev/v1alpha1",
    "kind": "ActorTemplate",
    "metadata": {},
    "spec": {"pauseImage": IMAGE},
}
AUGUST = {**JUNE, "spec": {"containers": []}}


@pytest.mark.parametrize(
    ("document", "kind"),
    [
        (JUNE, "the custom resource of June 2026"),
        (AUGUST, "the custom resource of August 2026"),
        ({**JUNE, "spec": None}, "a Kubernetes object"),
        ({"apiVersion": "apps/v1", "kind": "Deployment", "spec": {}}, "a Kubernetes object"),
        ({**TEMPLATE, "spec": {}}, "a Kubernetes object"),
    ],
    ids=["June's", "August's", "nothing", "another kind", "a field too many"],
)
def test_a_kubernetes_object_is_one_fault_that_says_which(document: Any, kind: str) -> None:
    (fault,) = faults(document)
    assert fault.path == "spec"
    assert fault.message == f"this is {kind}, not a resource of `ateapi`"


SHAPES: dict[str, tuple[str, Any, str]] = {
    "null": ("containers.0.env", None, "null is no value"),
    "null in a list": ("containers.0.args.0", None, "null is no value"),
    "null for a message": ("snapshotConfig", None, "null is no value"),
    "a number for an enum": ("sandboxConfig.sandboxClass", 1, "a name that `SandboxClass` has"),
    "a truth value for an enum": ("sandboxConfig.sandboxClass", True, "a name that `SandboxClass` has"),
    "the custom resource's class": ("sandboxConfig.sandboxClass", "gvisor", "a name that `SandboxClass` has"),
    "nothing of an enum": ("sandboxConfig.sandboxClass", "SANDBOX_CLASS_UNSPECIFIED", "a name that"),
    "a list for an enum": ("snapshotConfig.onCommit", ["x"], "a name that `SnapshotContentScope` has"),
    "a list for a mapping": ("metadata", [], "must be a mapping"),
    "text for a mapping": ("volumes.0.durableDir", HIDDEN, "must be a mapping"),
    "a mapping for a list": ("containers", {}, "must be a list"),
    "text for a list": ("containers.0.command", HIDDEN, "must be a list"),
    "a number for text": ("containers.0.env.0.value", 80, "must be text"),
    "a truth value for text": ("containers.0.env.0.value", True, "must be text"),
    "half a character": ("containers.0.env.0.value", "\ud800", "must be text"),
    "text for a number": ("containers.0.wakeupProbe.httpGet.port", "8081", "must be a whole number"),
    "a truth value for a number": ("containers.0.wakeupProbe.timeoutSeconds", True, "must be a whole number"),
    "a fraction": ("containers.0.wakeupProbe.timeoutSeconds", 1.5, "must be a whole number"),
    "a number without end": ("containers.0.wakeupProbe.timeoutSeconds", 1 << 31, "must be a whole number"),
    "a version without end": ("metadata.version", "9223372036854775808", "must be a whole number"),
    "a version that is no number": ("metadata.version", "1e3", "must be a whole number"),
    "a time of its own kind": ("metadata.createTime", "2026-09-01 12:00", "must be a time"),
    "a day that is none": ("metadata.createTime", "2026-02-30T12:00:00Z", "must be a time"),
    "a time elsewhere": ("metadata.createTime", "2026-09-01T12:00:00+01:00", "must be a time"),
    "a label that is a number": ("workerSelector.matchLabels.pool", 1, "must be texts"),
    "labels in a list": ("workerSelector.matchLabels", [], "must be a mapping"),
}


@pytest.mark.parametrize(("path", "value", "message"), SHAPES.values(), ids=SHAPES)
def test_a_value_of_another_type_is_one_fault_at_its_path(path: str, value: Any, message: str) -> None:
    (fault,) = faults(changed(TEMPLATE, path, value))
    assert fault.path == _written(path.replace(".pool", ""))
    assert message in fault.message
    assert HIDDEN not in fault.message + fault.hint


@pytest.mark.parametrize("document", [None, [], "text", 1, {}])
def test_what_is_no_mapping_or_an_empty_one_is_told_and_raises_nothing(document: Any) -> None:
    assert faults(document)


@pytest.mark.parametrize(
    "key",
    ["<b>x</b>", "a\x1b[31mb", "::error::x", "", "x" * 65, 3, None, ("a",), f"ghp_{'a1' * 18}"],
)
def test_a_key_that_no_field_can_have_is_not_shown(key: Any) -> None:
    (fault,) = faults(changed(TEMPLATE, "metadata", {**TEMPLATE["metadata"], key: HIDDEN}))
    assert fault == TemplateFault(
        ("metadata",), "a key is the name of no field of `ResourceMetadata`", "remove it"
    )


ACCEPTED: dict[str, tuple[str, Any]] = {
    "a version as protojson writes it": ("metadata.version", "7"),
    "a version as people write it": ("metadata.version", 7),
    "a time": ("metadata.createTime", "2026-09-01T12:00:00.500Z"),
    "no worker selector": ("workerSelector", ABSENT),
    "no probe": ("containers.0.wakeupProbe", ABSENT),
    "nothing of what a suspend captures": ("snapshotConfig.onCommit", ABSENT),
    "rules for new Actors": ("defaultEgressPolicy", {"rules": RULES}),
    "a status": ("status", {"goldenSnapshotStatus": {"errorMessage": "no such image"}}),
}


@pytest.mark.parametrize(("path", "value"), ACCEPTED.values(), ids=ACCEPTED)
def test_what_a_file_may_have_or_leave_out_is_taken(path: str, value: Any) -> None:
    assert not isinstance(read_template(changed(TEMPLATE, path, value)), list)
