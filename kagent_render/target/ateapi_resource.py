"""The ActorTemplate of Substrate's own API in protojson form, whatever its release (facts 10.2, 4.2)."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from typing import TYPE_CHECKING, Any

from kagent_render.api.names import is_dns_label, is_label_value
from kagent_render.api.user_information import has_user_information
from kagent_render.revision.canonical_json import canonical
from kagent_render.revision.canonical_yaml import dump
from kagent_render.target.actor_template import (
    ActorTemplate,
    BuiltManifest,
    actor_template_name,
    identity_hash,
)
from kagent_render.target.environment_limits import Limits
from kagent_render.target.generation import Setting
from kagent_render.target.template_rules import is_pinned_image

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.hub import AgentTemplate, Harness
    from kagent_render.compile.environment import EnvVar
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.target.releases import Release

IS_RESOURCE = False
INJECTS_CREDENTIALS = True

PLACEHOLDER = "kagent-credential-injected"
"""What a container has where a credential belongs; the egress gateway puts the credential there."""

MAX_VALUE = 32_768
MAX_NAME = 256
"""Characters of a variable's value and of its name."""

CONTAINER = "containers[0]"
SETTINGS: Mapping[Setting, str] = {
    Setting.IMAGE: f"{CONTAINER}.image",
    Setting.WORKER_POOL: "workerSelector.matchLabels",
    Setting.SNAPSHOT_LOCATION: "snapshotConfig.storageLocation",
}

_SNAPSHOTS = "snapshotConfig."
_LONGEST = {Setting.SNAPSHOT_LOCATION: 1024, Setting.IMAGE: 512}
_HEADING = "# binding path: "
_LOCATION = re.compile(r"[a-z][a-z0-9+.-]*://[!-.0-~][!-~]*")


def limits_of(target: str) -> Limits:
    """What every release of the API allows, told by the name of its target."""
    return Limits(target, _characters, MAX_VALUE, "characters", MAX_NAME)


def _characters(variable: EnvVar) -> int:
    return len(variable.value) if isinstance(variable.value, str) else 0


def build_resource(actor: ActorTemplate, fixed: Mapping[str, Any], release: Release) -> BuiltManifest:
    """The resource as one release has it; `fixed` are the values that nobody chooses, by field.

    It has no labels, so that a comment says which Dedicated boundary it is.
    """
    spec = _spec(actor, fixed)
    form = canonical(spec)
    name = actor_template_name(actor, form).replace(".", "-")  # a resource is named as a label of DNS is
    value = _resource(name, actor.namespace, spec)
    _assert_readable(value, release)
    digest = f"sha256:{hashlib.sha256(form).hexdigest()}"
    return BuiltManifest(name, digest, value, _heading(actor.path))


def _assert_readable(value: dict[str, Any], release: Release) -> None:
    """That the manifest is the message that it stands for: what is wrong with it here is a fault of ours.

    The values of variables are texts that were looked at one by one. Without them, and without their names,
    the resources of a Harness are alike, and one of them is read.
    """
    metadata = {**value["metadata"], "name": "name"}
    containers = [{**container, "env": _names(container["env"])} for container in value["containers"]]
    faults = _faults(canonical({**value, "metadata": metadata, "containers": containers}), release)
    if faults or not is_dns_label(value["metadata"]["name"]):
        raise AssertionError("; ".join(faults) or "`metadata.name`: it is no label of DNS")


def _names(env: list[dict[str, str]]) -> list[dict[str, str]]:
    return [{"name": variable["name"]} for variable in env]


@functools.lru_cache(maxsize=256)
def _faults(form: bytes, release: Release) -> tuple[str, ...]:
    from kagent_render.target.template_reading import read_template

    read = read_template(json.loads(form), release)
    return tuple(f"`{fault.path}`: {fault.message}" for fault in read) if isinstance(read, list) else ()


def _resource(name: str, namespace: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"metadata": {"atespace": namespace, "name": name}, **spec}


def _heading(path: str) -> str:
    return f"{_HEADING}{path}\n" if path else ""


def _spec(actor: ActorTemplate, fixed: Mapping[str, Any]) -> dict[str, Any]:
    scopes = {field: value for field, value in fixed.items() if field.startswith(_SNAPSHOTS)}
    snapshots = {field.removeprefix(_SNAPSHOTS): value for field, value in scopes.items()}
    return {
        "workerSelector": {"matchLabels": {"kagent.dev/worker-pool": actor.worker_pool}},
        "containers": [
            {
                "name": fixed[f"{CONTAINER}.name"],
                "image": actor.image,
                "env": [_env_entry(variable) for variable in actor.env],
                "wakeupProbe": fixed[f"{CONTAINER}.wakeupProbe"],
                "volumeMounts": fixed[f"{CONTAINER}.volumeMounts"],
            }
        ],
        "volumes": fixed["volumes"],
        "snapshotConfig": {**snapshots, "storageLocation": actor.snapshot_location},
        "sandboxConfig": fixed["sandboxConfig"],
    }


def _env_entry(variable: EnvVar) -> dict[str, str]:
    """A variable; protojson leaves out what is empty."""
    value = variable.value if isinstance(variable.value, str) else PLACEHOLDER
    return {"name": variable.name, **({"value": value} if value else {})}


def identity_fields(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and atespace."""
    for name in ("name", "atespace"):
        yield f"metadata.{name}", value["metadata"][name]


def is_intact(content: bytes, value: Any, name: str, namespace: str, harness: str, template: str) -> bool:
    """Whether a manifest is one that was built for a pair: its name is made of its content and its path."""
    try:
        path = _path_in(content.decode())
        spec = {field: part for field, part in value.items() if field != "metadata"}
        if not name.endswith(f"-{identity_hash(namespace, harness, template, path, canonical(spec))}"):
            return False
        return (_heading(path) + dump(_resource(name, namespace, spec))).encode() == content
    except (KeyError, TypeError, AttributeError, ValueError):
        return False


def _path_in(text: str) -> str:
    line = text.partition("\n")[0]
    return line.removeprefix(_HEADING) if line.startswith(_HEADING) else ""


def otherwise_protected(value: dict[str, Any]) -> None:
    """Nothing: a manifest says nothing of pruning."""


def check_names(template: AgentTemplate, harness: Harness) -> Iterator[Diagnostic]:  # noqa: ARG001 - no labels
    """Nothing: no label of a manifest carries a name."""
    return iter(())


def setting_problem(target: str, setting: Setting, text: str) -> str | None:
    """Why no release's manifest can hold what somebody chose, told by the name of the target."""
    what, longest = f"the {setting}", _LONGEST.get(setting)
    if longest is not None and len(text) > longest:
        return f"{what} has {len(text)} characters, and `{target}` allows {longest}"
    if setting is Setting.IMAGE and not is_pinned_image(text):
        return (
            f"`{target}` takes {what} as a registry's reference, which has letters, digits and `-._:/` alone"
        )
    if setting is Setting.SNAPSHOT_LOCATION and not _is_location(text):
        return f"`{target}` takes {what} as a URI without user information, such as `gs://bucket/agents`"
    if setting is Setting.WORKER_POOL and not is_label_value(text):
        return f"`{target}` looks for {what} by a label, which cannot have this value"
    return None


def _is_location(text: str) -> bool:
    return _LOCATION.fullmatch(text) is not None and not has_user_information(text)
