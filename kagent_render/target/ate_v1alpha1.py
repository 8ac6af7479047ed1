"""Target `ate.dev/v1alpha1`: the custom resource of June 2026 (facts 10.1, 4.2)."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

from kagent_render.diagnostics.reasons import Reason
from kagent_render.revision.canonical_json import canonical
from kagent_render.revision.canonical_yaml import dump
from kagent_render.target import environment_limits
from kagent_render.target.actor_template import (
    ActorTemplate,
    BuiltManifest,
    actor_template_name,
    identity_hash,
)
from kagent_render.target.environment_limits import Limits
from kagent_render.target.flux import without_substitution
from kagent_render.target.generation import Setting

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.api.hub import AgentTemplate, Harness
    from kagent_render.compile.environment import EnvVar
    from kagent_render.compile.policy import Policy
    from kagent_render.diagnostics.diagnostic import Diagnostic

TARGET = "ate.dev/v1alpha1"
IS_RESOURCE = True
INJECTS_CREDENTIALS = False
RESERVED: Mapping[str, str] = {}

MAX_LABEL = 63
MAX_ENV_BYTES = 131_071
"""Bytes of one `NAME=value`: what Linux lets one string of an environment be (MAX_ARG_STRLEN less NUL)."""

BINDING_PATH = "render.kagent.dev/binding-path"
"""The annotation that says which Dedicated boundary an ActorTemplate is; the root's has none."""

CONTAINER = "spec.containers[0]"
SETTINGS: Mapping[Setting, str] = {
    Setting.PAUSE_IMAGE: "spec.pauseImage",
    Setting.IMAGE: f"{CONTAINER}.image",
    Setting.WORKER_POOL: "spec.workerSelector.matchLabels",
    Setting.SNAPSHOT_LOCATION: "spec.snapshotsConfig.location",
}
FIXED: Mapping[str, Any] = {
    "spec.sandboxClass": "gvisor",
    "spec.volumes": [{"name": "data", "durableDir": {}}],
    f"{CONTAINER}.name": "kagent",
    f"{CONTAINER}.readyz": {"httpGet": {"path": "/readyz", "port": 8081}},
    f"{CONTAINER}.volumeMounts": [{"name": "data", "mountPath": "/data"}],
    "spec.snapshotsConfig.onPause": "Full",
    "spec.snapshotsConfig.onCommit": "Data",
}

_LIMITS = Limits(TARGET, lambda variable: variable.size, MAX_ENV_BYTES, "bytes")
_Identity = tuple[str, str, str, str]
"""Namespace, Harness, template and binding path."""

_PROTECTION = {
    "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
    "argocd.argoproj.io/sync-options": "Prune=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}


def variables(policy: Policy) -> tuple[EnvVar, ...]:  # noqa: ARG001 - other generations tell addresses
    """Nothing besides the variables of all."""
    return ()


def build_manifest(actor: ActorTemplate, *, protect: bool) -> BuiltManifest:
    """The custom resource with every server default written out, so that a controller's diff is empty."""
    spec = _spec(actor)
    form = canonical(spec)
    name = actor_template_name(actor, form)
    value = _object(name, (actor.namespace, actor.harness, actor.template, actor.path), spec, protect)
    return BuiltManifest(name, f"sha256:{hashlib.sha256(form).hexdigest()}", value)


def _object(name: str, identity: _Identity, spec: dict[str, Any], protect: bool) -> dict[str, Any]:
    namespace, harness, template, path = identity
    metadata: dict[str, Any] = {
        "name": name,
        "namespace": namespace,
        "labels": {
            "app.kubernetes.io/managed-by": "kagent",
            "kagent.dev/agent-template": template,
            "kagent.dev/harness": harness,
            "kagent.dev/revision": name[-12:],
        },
    }
    if annotations := _annotations(path, spec, protect):
        metadata["annotations"] = annotations
    return {"apiVersion": TARGET, "kind": "ActorTemplate", "metadata": metadata, "spec": spec}


def _spec(actor: ActorTemplate) -> dict[str, Any]:
    return {
        "pauseImage": actor.pause_image,
        "sandboxClass": FIXED["spec.sandboxClass"],
        "containers": [
            {
                "name": FIXED[f"{CONTAINER}.name"],
                "image": actor.image,
                "env": [_env_entry(variable) for variable in actor.env],
                "readyz": FIXED[f"{CONTAINER}.readyz"],
                "volumeMounts": FIXED[f"{CONTAINER}.volumeMounts"],
            }
        ],
        "volumes": FIXED["spec.volumes"],
        "workerSelector": {"matchLabels": {"kagent.dev/worker-pool": actor.worker_pool}},
        "snapshotsConfig": {
            "location": actor.snapshot_location,
            "onPause": FIXED["spec.snapshotsConfig.onPause"],
            "onCommit": FIXED["spec.snapshotsConfig.onCommit"],
        },
    }


def _env_entry(variable: EnvVar) -> dict[str, Any]:
    value = variable.value
    if isinstance(value, str):
        return {"name": variable.name, "value": value}
    reference: dict[str, Any] = {"name": value.name, "key": value.key}
    if value.optional:
        reference["optional"] = True
    return {"name": variable.name, "valueFrom": {"secretKeyRef": reference}}


def _annotations(path: str, spec: dict[str, Any], protect: bool) -> dict[str, str]:
    annotations = dict(_PROTECTION) if protect else {}
    env = (variable for container in spec["containers"] for variable in container["env"])
    annotations.update(without_substitution(variable["value"] for variable in env if "value" in variable))
    if path:
        annotations[BINDING_PATH] = path
    return annotations


def identity_fields(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Name and namespace, labels, annotations."""
    metadata = value["metadata"]
    for name in ("name", "namespace"):
        yield f"metadata.{name}", metadata[name]
    for block in ("labels", "annotations"):
        for name, text in metadata.get(block, {}).items():
            yield f"metadata.{block}[{name}]", text


def is_intact(content: bytes, value: Any, name: str, namespace: str, harness: str, template: str) -> bool:
    """Whether a manifest is one that was built for a pair: its name is made of its spec, the rest of both.

    Protection from pruning may have been set otherwise when it was built.
    """
    try:
        path = value["metadata"].get("annotations", {}).get(BINDING_PATH, "")
        identity, spec = (namespace, harness, template, path), value["spec"]
        if not name.endswith(f"-{identity_hash(*identity, canonical(spec))}"):
            return False
        if all(value != _object(name, identity, spec, protect) for protect in (True, False)):
            return False
        # Read as it is here, it may say something else to another reader of YAML.
        return dump(value).encode() == content
    except (KeyError, TypeError, AttributeError, ValueError):
        return False


def otherwise_protected(value: dict[str, Any]) -> dict[str, Any]:
    """The same manifest as the other setting of RenderConfig's `retention.protect` would have it."""
    metadata = dict(value["metadata"])
    annotations = metadata.pop("annotations", {})
    others = {name: text for name, text in annotations.items() if name not in _PROTECTION}
    toggled = others if len(others) < len(annotations) else {**_PROTECTION, **others}
    return {**value, "metadata": {**metadata, **({"annotations": toggled} if toggled else {})}}


def check_names(template: AgentTemplate, harness: Harness) -> Iterator[Diagnostic]:
    """Names that are too long for the labels that carry them (facts 4.2)."""
    for resource in (harness, template):
        if len(resource.name) > MAX_LABEL:
            yield resource.document.fault(
                Reason.NAME_INVALID,
                ("metadata", "name"),
                f"the name has {len(resource.name)} characters, and a label holds {MAX_LABEL}",
                hint="shorten the name",
            )


def check_environment(env: tuple[EnvVar, ...], documents: tuple[EnvVar, ...]) -> Iterator[Diagnostic]:
    """What does not fit the generation, at the field that brought it; `documents` are the last of `env`."""
    return environment_limits.check_environment(_LIMITS, env, documents)


def setting_problem(setting: Setting, text: str) -> str | None:  # noqa: ARG001 - any text will do
    """Nothing: the custom resource takes any text."""
    return None
