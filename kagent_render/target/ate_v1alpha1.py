"""Target `ate.dev/v1alpha1`: the custom resource of June 2026 (facts 10.1, 4.2)."""

from __future__ import annotations

import dataclasses
import hashlib
import re
from typing import TYPE_CHECKING, Any

from kagent_render.api.names import is_dns_subdomain
from kagent_render.compile.environment import EnvVar, Provenance
from kagent_render.diagnostics.reasons import Reason
from kagent_render.revision.canonical_json import canonical
from kagent_render.target.actor_template import (
    ActorTemplate,
    BuiltManifest,
    actor_template_name,
    identity_hash,
)
from kagent_render.target.flux import without_substitution

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.api.hub import AgentTemplate, Harness
    from kagent_render.diagnostics.diagnostic import Diagnostic

TARGET = "ate.dev/v1alpha1"
MAX_ENV = 32
MAX_LABEL = 63
MAX_ENV_BYTES = 131_071
"""Bytes of one `NAME=value`: what Linux lets one string of an environment be (MAX_ARG_STRLEN less NUL)."""

BINDING_PATH = "render.kagent.dev/binding-path"
"""The annotation that says which Dedicated boundary an ActorTemplate is; the root's has none."""

_Identity = tuple[str, str, str, str]
"""Namespace, Harness, template and binding path."""

_ENV_NAME = re.compile("[ -<>-~]+")
_NO_TEXT = re.compile("[\0\x7f-\x84\x86-\x9f\ufffe\uffff]")
_SECRET_KEY = re.compile("[-._a-zA-Z0-9]+")
_PROTECTION = {
    "argocd.argoproj.io/compare-options": "IgnoreExtraneous",
    "argocd.argoproj.io/sync-options": "Prune=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}


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


def _annotations(path: str, spec: dict[str, Any], protect: bool) -> dict[str, str]:
    annotations = dict(_PROTECTION) if protect else {}
    env = (variable for container in spec["containers"] for variable in container["env"])
    annotations.update(without_substitution(variable["value"] for variable in env if "value" in variable))
    if path:
        annotations[BINDING_PATH] = path
    return annotations


def is_intact(value: Any, name: str, namespace: str, harness: str, template: str) -> bool:
    """Whether a manifest is one that was built for a pair: its name is made of its spec, the rest of both.

    Protection from pruning may have been set otherwise when it was built.
    """
    try:
        path = value["metadata"].get("annotations", {}).get(BINDING_PATH, "")
        identity, spec = (namespace, harness, template, path), value["spec"]
        if not name.endswith(f"-{identity_hash(*identity, canonical(spec))}"):
            return False
        return any(value == _object(name, identity, spec, protect) for protect in (True, False))
    except (KeyError, TypeError, AttributeError, ValueError):
        return False


def toggle_protection(value: dict[str, Any]) -> dict[str, Any]:
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
    own = [variable for variable in env[: len(env) - len(documents)] if variable.origin is not None]
    room = MAX_ENV - (len(env) - len(own))
    if len(env) > MAX_ENV:
        yield _misfit(
            own[room],
            Reason.ENV_LIMIT_EXCEEDED,
            f"the boundary needs {len(env)} environment variables, and `{TARGET}` allows {MAX_ENV}",
            "remove variables from the Harness, or bind a Shared agent as Dedicated",
        )
    for variable in (*own, *documents):
        if variable.size > MAX_ENV_BYTES:
            yield _misfit(
                _at_value(variable),
                Reason.ENV_VALUE_TOO_LONG,
                f"`{variable.name}` takes {variable.size} bytes, and `{TARGET}` allows {MAX_ENV_BYTES}",
                "shorten the text that it carries, or bind a Shared agent as Dedicated",
            )
    for variable in own:
        yield from _check_entry(variable)


def _check_entry(variable: EnvVar) -> Iterator[Diagnostic]:
    """Names that an ActorTemplate cannot hold although the input kinds can."""
    if not _ENV_NAME.fullmatch(variable.name):
        yield _misfit(
            variable,
            Reason.NAME_INVALID,
            "the name of an environment variable must be printable ASCII without `=`",
            "rename the variable",
        )
    value = variable.value
    if isinstance(value, str):
        if _NO_TEXT.search(value):
            message = f"the value of `{variable.name}` holds a character that no manifest can"
            yield _misfit(variable, Reason.INVALID_SPEC, message, "remove its control characters")
    elif not is_dns_subdomain(value.name) or not _SECRET_KEY.fullmatch(value.key):
        message = f"`{variable.name}` refers to a Secret name or key that no Secret can have"
        yield _misfit(variable, Reason.CREDENTIAL_UNSUPPORTED, message, "correct the reference")


def _at_value(variable: EnvVar) -> EnvVar:
    """The variable with the field of its value where it is an entry of a Harness's `env`."""
    origin = variable.origin
    if origin is None or origin.field[:2] != ("spec", "env"):
        return variable
    field = (*origin.field[:-1], "value")
    return dataclasses.replace(variable, origin=Provenance(origin.document, field))


_LITERALS = frozenset({"defaultHeaders", "env", "headersFrom"})
"""Fields whose texts may be credentials, so that no excerpt shows them."""


def _misfit(variable: EnvVar, reason: Reason, message: str, hint: str) -> Diagnostic:
    assert variable.origin is not None
    document, field = variable.origin.document, variable.origin.field
    return document.fault(reason, field, message, hint=hint, sensitive=not _LITERALS.isdisjoint(field))
