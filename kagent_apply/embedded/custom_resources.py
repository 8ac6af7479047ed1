"""June's custom resource as the newest generation's ActorTemplate, so that its revisions run here as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from google.protobuf import json_format

from kagent_apply.embedded.refusal import ControlError
from kagent_render.target.ateapi_resource import PLACEHOLDER
from kagent_render.target.messages import ateapi_pb2

if TYPE_CHECKING:
    from collections.abc import Mapping

_CLASSES: Final = {
    "gvisor": ("SANDBOX_CLASS_GVISOR", "gvisor-default"),
    "microvm": ("SANDBOX_CLASS_MICROVM", "microvm"),
}
_SCOPES: Final = {"Full": "SNAPSHOT_CONTENT_SCOPE_FULL", "Data": "SNAPSHOT_CONTENT_SCOPE_DATA"}


def from_custom_resource(manifest: Mapping[str, Any]) -> ateapi_pb2.ActorTemplate:
    """What `ate.dev/v1alpha1` says, in the newest words (facts 4.2, 10.1, 10.2); raises ControlError.

    In the place of a Secret's value is what containers of `ateapi` have. The pause image and the labels are
    left out, and so is what a pause keeps, which v0.4.0 does not ask.
    """
    try:
        return json_format.ParseDict(_template(manifest), ateapi_pb2.ActorTemplate())
    except (KeyError, TypeError, AttributeError, ValueError, json_format.ParseError) as error:
        raise ControlError(
            "INVALID_ARGUMENT", "the manifest is no ActorTemplate of `ate.dev/v1alpha1`"
        ) from error


def _template(manifest: Mapping[str, Any]) -> dict[str, Any]:
    if (manifest["apiVersion"], manifest["kind"]) != ("ate.dev/v1alpha1", "ActorTemplate"):
        raise ValueError(manifest["kind"])
    metadata, spec = manifest["metadata"], manifest["spec"]
    sandbox, config = _CLASSES[spec.get("sandboxClass", "gvisor")]
    return {
        "metadata": {"atespace": metadata["namespace"], "name": metadata["name"]},
        "workerSelector": {"matchLabels": dict(spec.get("workerSelector", {}).get("matchLabels", {}))},
        "containers": [_container(container) for container in spec["containers"]],
        "volumes": [{"name": volume["name"], "durableDir": {}} for volume in spec.get("volumes", ())],
        "snapshotConfig": {
            "onCommit": _SCOPES[spec["snapshotsConfig"].get("onCommit", "Full")],
            "storageLocation": spec["snapshotsConfig"]["location"],
        },
        "sandboxConfig": {"sandboxClass": sandbox, "configName": config},
    }


def _container(container: Mapping[str, Any]) -> dict[str, Any]:
    read = {
        "name": container["name"],
        "image": container["image"],
        "command": list(container.get("command", ())),
        "env": [_variable(entry) for entry in container.get("env", ())],
        "volumeMounts": [
            {"name": mount["name"], "mountPath": mount["mountPath"]}
            for mount in container.get("volumeMounts", ())
        ],
    }
    if probe := container.get("readyz"):
        asked = probe["httpGet"]
        read["wakeupProbe"] = {"httpGet": {"path": asked.get("path", "/readyz"), "port": asked["port"]}}
    return read


def _variable(entry: Mapping[str, Any]) -> dict[str, str]:
    value = PLACEHOLDER if "valueFrom" in entry else entry.get("value", "")
    return {"name": entry["name"], "value": value}
