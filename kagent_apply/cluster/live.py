"""Objects as a cluster has them, read into the little that is needed; they may have any shape."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.cluster.live_digest import actor_template_digest, is_named_by_content, object_digest
from kagent_apply.cluster.ownership import Owners, read_owners
from kagent_apply.cluster.status_pieces import status_pieces
from kagent_render.api.names import is_dns_subdomain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_apply.cluster.resources import Resource
    from kagent_apply.cluster.status_pieces import Pieces

MANAGED_BY: Final = "app.kubernetes.io/managed-by"
HARNESS: Final = "kagent.dev/harness"
AGENT_TEMPLATE: Final = "kagent.dev/agent-template"
REVISION: Final = "kagent.dev/revision"
WORKER_POOL: Final = "kagent.dev/worker-pool"
_PROTECTION: Final = {
    "argocd.argoproj.io/sync-options": "Prune=false",
    "kustomize.toolkit.fluxcd.io/prune": "disabled",
}
_LONGEST: Final = 1024


class Readiness(StrEnum):
    """How far Substrate is with an ActorTemplate (facts 10.1)."""

    PENDING = "pending"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Identity:
    """Which object it is, and which state of it: `generation` counts changes of its spec."""

    api_version: str
    namespace: str
    name: str
    uid: str
    resource_version: str
    generation: int
    deleting: bool = False


@dataclass(frozen=True, slots=True)
class LiveTemplate:
    """An ActorTemplate; `spec_digest` is what a lock would say of its spec, empty where none can.

    `harness` and `agent_template` are its labels. `is_ours`: the renderer wrote it, since its name is made of
    its content, and it is labelled and protected from pruning as the renderer does.
    """

    identity: Identity
    spec_digest: str
    readiness: Readiness
    harness: str
    agent_template: str
    is_ours: bool


@dataclass(frozen=True, slots=True)
class LiveObject:
    """A Harness or an AgentTemplate; `spec_digest` is of its defaulted spec, empty where it is not valid.

    `status` has the pieces of its status that may be ours to write, `owners` say whose they are.
    """

    identity: Identity
    spec_digest: str
    status: Pieces
    owners: Owners


@dataclass(frozen=True, slots=True)
class LivePool:
    """A WorkerPool, and the name by which actors select it; empty where it has none."""

    identity: Identity
    selected_by: str = field(default="")


Live = LiveTemplate | LiveObject | LivePool


def read_live(resource: Resource, value: object) -> Live | None:
    """What is needed of an object; None where it has no identity."""
    if not isinstance(value, dict) or (identity := _identity(value)) is None:
        return None
    match resource.kind:
        case "ActorTemplate":
            return _template(identity, value)
        case "WorkerPool":
            return LivePool(identity, _text(_labels(value).get(WORKER_POOL)))
        case _:
            return LiveObject(
                identity,
                object_digest(value),
                status_pieces(resource.kind, value.get("status")),
                read_owners(resource.kind, _mapping(value.get("metadata")).get("managedFields")),
            )


def readiness(status: object) -> Readiness:
    """What the phase says, or where there is none the condition `Ready`."""
    found = _mapping(status)
    match found.get("phase"):
        case "Ready":
            return Readiness.READY
        case "Failed":
            return Readiness.FAILED
        case None | "":
            return Readiness.READY if _is_ready(found.get("conditions")) else Readiness.PENDING
        case _:
            return Readiness.PENDING


def _is_ready(conditions: object) -> bool:
    return isinstance(conditions, list) and any(
        isinstance(found, dict) and found.get("type") == "Ready" and found.get("status") == "True"
        for found in conditions
    )


def _template(identity: Identity, value: Mapping[str, Any]) -> LiveTemplate:
    labels, spec = _labels(value), value.get("spec")
    harness, template = _text(labels.get(HARNESS)), _text(labels.get(AGENT_TEMPLATE))
    annotations = _mapping(_mapping(value.get("metadata")).get("annotations"))
    ours = (
        labels.get(MANAGED_BY) == "kagent"
        and labels.get(REVISION) == identity.name[-12:]
        and all(annotations.get(name) == text for name, text in _PROTECTION.items())
        and is_named_by_content(identity.name, identity.namespace, harness, template, annotations, spec)
    )
    digest = actor_template_digest(spec)
    return LiveTemplate(identity, digest, readiness(value.get("status")), harness, template, ours)


def _identity(value: Mapping[str, Any]) -> Identity | None:
    metadata = _mapping(value.get("metadata"))
    namespace, name, uid = (_text(metadata.get(key)) for key in ("namespace", "name", "uid"))
    if not (is_dns_subdomain(namespace) and is_dns_subdomain(name) and uid):
        return None
    generation = metadata.get("generation")
    return Identity(
        _text(value.get("apiVersion")),
        namespace,
        name,
        uid,
        _text(metadata.get("resourceVersion")),
        generation if isinstance(generation, int) and generation > 0 else 0,
        deleting=metadata.get("deletionTimestamp") is not None,
    )


def _labels(value: Mapping[str, Any]) -> Mapping[str, Any]:
    return _mapping(_mapping(value.get("metadata")).get("labels"))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= _LONGEST else ""
