"""What another target may change, field by field: everything else of an output stays byte for byte.

The page `docs/targets.md` has its table from here, and the tests hold both against the golden directories.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

CONTAINER = "containers[0]"


@dataclass(frozen=True)
class Row:
    """Where something stands for each target; empty where it does not. `moved`: its value is the same.

    `told` says what a table shows in place of a value, by target.
    """

    what: str
    old: str
    new: str
    moved: bool = False
    told: tuple[str, str] = ("", "")


MANIFEST = (
    Row("version", "apiVersion", ""),
    Row("kind", "kind", ""),
    Row("namespace", "metadata.namespace", "metadata.atespace", moved=True),
    Row("name", "metadata.name", "metadata.name", told=("its own digest", "its own digest")),
    Row("labels", "metadata.labels", ""),
    Row("annotations", "metadata.annotations", "", told=("", "a Dedicated boundary has a comment instead")),
    Row("pause image", "spec.pauseImage", ""),
    Row("worker pool", "spec.workerSelector", "workerSelector", moved=True),
    Row("sandbox", "spec.sandboxClass", "sandboxConfig"),
    Row("container", f"spec.{CONTAINER}.name", f"{CONTAINER}.name", moved=True),
    Row("image", f"spec.{CONTAINER}.image", f"{CONTAINER}.image", moved=True),
    Row("readiness", f"spec.{CONTAINER}.readyz", f"{CONTAINER}.wakeupProbe"),
    Row("mounts", f"spec.{CONTAINER}.volumeMounts", f"{CONTAINER}.volumeMounts"),
    Row("volumes", "spec.volumes", "volumes"),
    Row("snapshot location", "spec.snapshotsConfig.location", "snapshotConfig.storageLocation", moved=True),
    Row("content of snapshots", "spec.snapshotsConfig.onCommit", "snapshotConfig.onCommit"),
    Row("content while paused", "spec.snapshotsConfig.onPause", ""),
)
"""The fields of an ActorTemplate besides its environment."""

ENV = f"{CONTAINER}.env[]"
LITERAL = Row("literal", f"spec.{ENV}.value", f"{ENV}.value", moved=True, told=("", "left out where empty"))
CREDENTIAL = Row("credential", f"spec.{ENV}.valueFrom.secretKeyRef", f"{ENV}.value")
GIVEN = Row("variables of the target", "", ENV)

LOCK = (
    Row("target", "target", "target"),
    Row("revision", "revision", "revision", told=("its own digest", "its own digest")),
    Row("pause image", "inputs[spec.substrate.pauseImage]", ""),
    Row(
        "where credentials go",
        "",
        "credentials[].bindings",
        told=("", "`hostname`, `header` and `prefix` of each header"),
    ),
    Row("egress policy", "", "egress[].rules", told=("", "a rule for each origin")),
    Row("ActorTemplate", "boundaries[].actorTemplate", "boundaries[].actorTemplate", told=("its name",) * 2),
    Row(
        "its digest",
        "boundaries[].specDigest",
        "boundaries[].specDigest",
        told=("of `spec`", "of all but `metadata`"),
    ),
    Row("its file", "boundaries[].manifest", "boundaries[].manifest", told=("by its name",) * 2),
)
"""The fields of a lock, below `spec`, that may differ."""


def at(value: Any, path: str) -> Any:
    """What stands at a path; None where nothing does."""
    for step in path.replace("[0]", ".0").split("."):
        value = value[int(step)] if step == "0" else (value or {}).get(step)
    return value


def leaves(value: Any, path: str = "") -> Iterator[str]:
    """The path of every scalar, the one container apart as the first of its list."""
    if isinstance(value, Mapping) and value:
        for name, inner in value.items():
            yield from leaves(inner, f"{path}.{name}" if path else name)
    elif isinstance(value, list) and value and path.endswith("containers"):
        for index, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{index}]")
    else:
        yield path


def is_below(path: str, field: str) -> bool:
    """Whether a path is a field or stands below it."""
    return path == field or path.startswith((f"{field}.", f"{field}["))


def environment(container: Mapping[str, Any]) -> dict[str, Any]:
    """Each variable by its name: a text, or what refers to a Secret."""
    return {
        entry["name"]: entry["valueFrom"] if "valueFrom" in entry else entry.get("value", "")
        for entry in container["env"]
    }


def without(lock: Any) -> Any:
    """A lock without what may differ."""
    spec = dict(lock["spec"])
    del spec["target"], spec["revision"]
    spec["inputs"] = [found for found in spec["inputs"] if found.get("key") != "spec.substrate.pauseImage"]
    spec["credentials"] = [_but(found, "bindings") for found in spec["credentials"]]
    spec["egress"] = [_but(found, "rules") for found in spec["egress"]]
    named = ("actorTemplate", "specDigest", "manifest")
    spec["boundaries"] = [_but(found, *named) for found in spec["boundaries"]]
    return {**lock, "spec": spec}


def _but(entry: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name not in names}
