"""Target `ate.dev/v1alpha1`: the custom resource of June 2026 (facts 10.1, 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.diagnostics.reasons import Reason
from kagent_render.revision.canonical_json import digest
from kagent_render.target.actor_template import ActorTemplate, Manifest, actor_template_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.compile.environment import EnvVar
    from kagent_render.diagnostics.diagnostic import Diagnostic

TARGET = "ate.dev/v1alpha1"
MAX_ENV = 32
MAX_ENV_BYTES = 131_071
"""Bytes of one `NAME=value`: what Linux lets one string of an environment be (MAX_ARG_STRLEN less NUL)."""

_PROTECTION = {
    "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
    "argocd.argoproj.io/sync-options": "Prune=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}
_NO_SUBSTITUTION = {"kustomize.toolkit.fluxcd.io/substitute": "disabled"}


def build_manifest(actor: ActorTemplate, *, protect: bool) -> Manifest:
    """The custom resource with every server default written out, so that a controller's diff is empty."""
    spec = _spec(actor)
    name = actor_template_name(actor, spec)
    metadata: dict[str, Any] = {
        "name": name,
        "namespace": actor.namespace,
        "labels": {
            "app.kubernetes.io/managed-by": "kagent",
            "kagent.dev/agent-template": actor.template,
            "kagent.dev/harness": actor.harness,
            "kagent.dev/revision": name[-12:],
        },
    }
    if annotations := _annotations(actor, protect):
        metadata["annotations"] = annotations
    value = {"apiVersion": TARGET, "kind": "ActorTemplate", "metadata": metadata, "spec": spec}
    return Manifest(name, digest(spec), value)


def _spec(actor: ActorTemplate) -> dict[str, Any]:
    return {
        "pauseImage": actor.pause_image,
        "sandboxClass": "gvisor",
        "containers": [
            {
                "name": "kagent",
                "image": actor.image,
                "env": [_env_entry(variable) for variable in actor.env],
                "readyz": {"httpGet": {"path": "/readyz", "port": 8081}},
                "volumeMounts": [{"name": "data", "mountPath": "/data"}],
            }
        ],
        "volumes": [{"name": "data", "durableDir": {}}],
        "workerSelector": {"matchLabels": {"kagent.dev/worker-pool": actor.worker_pool}},
        "snapshotsConfig": {"location": actor.snapshot_location, "onPause": "Full", "onCommit": "Data"},
    }


def _env_entry(variable: EnvVar) -> dict[str, Any]:
    value = variable.value
    if isinstance(value, str):
        return {"name": variable.name, "value": value}
    reference: dict[str, Any] = {"name": value.name, "key": value.key}
    if value.optional:
        reference["optional"] = True
    return {"name": variable.name, "valueFrom": {"secretKeyRef": reference}}


def _annotations(actor: ActorTemplate, protect: bool) -> dict[str, str]:
    annotations = dict(_PROTECTION) if protect else {}
    if any(isinstance(variable.value, str) and "${" in variable.value for variable in actor.env):
        annotations.update(_NO_SUBSTITUTION)
    return annotations


def check_limits(env: tuple[EnvVar, ...], documents: tuple[EnvVar, ...]) -> Iterator[Diagnostic]:
    """What does not fit the generation, at the field that grew it; `documents` are the last of `env`."""
    own = [variable for variable in env[: len(env) - len(documents)] if variable.origin is not None]
    room = MAX_ENV - (len(env) - len(own))
    if len(env) > MAX_ENV and (origin := own[room].origin):
        yield origin.document.fault(
            Reason.ENV_LIMIT_EXCEEDED,
            origin.field,
            f"the boundary needs {len(env)} environment variables, and `{TARGET}` allows {MAX_ENV}",
            hint="remove variables from the Harness, or bind a Shared agent as Dedicated",
        )
    for variable in env:
        if variable.size > MAX_ENV_BYTES and (origin := variable.origin):
            yield origin.document.fault(
                Reason.ENV_VALUE_TOO_LONG,
                origin.field,
                f"`{variable.name}` takes {variable.size} bytes, and `{TARGET}` allows {MAX_ENV_BYTES}",
                hint="shorten the text that it carries, or bind a Shared agent as Dedicated",
            )
