"""An agent's lock as its document: keys in one order, lists sorted, and the revision's digest."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from kagent_render.revision.canonical_json import digest
from kagent_render.revision.canonical_yaml import dump
from kagent_render.revision.lock_document import API_VERSION

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.agentplugin.images import PluginImage, PluginManifest, PullFailure
    from kagent_render.agentplugin.lock import AgentLock, LockedAgent, LockedImageVolumes, LockedPlugin

KIND: Final = "PreparedPlatformAgent"

_NOT_DIGESTED: Final = frozenset({"schema", "revision"})


def seal(lock: AgentLock) -> AgentLock:
    """The same lock with the revision that its content has."""
    return dataclasses.replace(lock, revision=document_revision(to_document(lock)))


def document_revision(document: Mapping[str, Any]) -> str:
    """The revision of a lock's document, fields of newer schema revisions included.

    `sha256:` over the RFC 8785 form of its spec without schema and revision, with the namespace, which the
    output depends on too.
    """
    content = {name: value for name, value in document["spec"].items() if name not in _NOT_DIGESTED}
    return digest({"namespace": document["metadata"]["namespace"], **content})


def dump_lock(lock: AgentLock) -> str:
    """The lock file's text; two locks with the same content have the same text."""
    return dump(to_document(lock))


def to_document(lock: AgentLock) -> dict[str, Any]:
    """The lock as plain data."""
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {"namespace": lock.namespace, "name": lock.agent.name},
        "spec": _spec(lock),
    }


def _spec(lock: AgentLock) -> dict[str, Any]:
    return {
        "schema": {"version": lock.schema.version, "revision": lock.schema.revision},
        "revision": lock.revision,
        "upstream": lock.upstream,
        "agent": _agent(lock.agent),
        "imageVolumes": _image_volumes(lock.image_volumes),
        "plugins": sorted(map(_plugin, lock.plugins), key=lambda plugin: plugin["name"]),
        "config": [{"key": key, "digest": found} for key, found in sorted(lock.config.items())],
        "configHash": lock.config_hash,
        "files": [{"name": name, "digest": found} for name, found in sorted(lock.files.items())],
    }


def _agent(agent: LockedAgent) -> dict[str, Any]:
    return {
        "apiVersion": agent.api_version,
        "name": agent.name,
        "specDigest": agent.spec_digest,
        **({"annotations": dict(sorted(agent.annotations.items()))} if agent.annotations else {}),
        "fields": dict(sorted(agent.fields.items())),
    }


def _image_volumes(volumes: LockedImageVolumes) -> dict[str, Any]:
    version = {} if volumes.kube_version is None else {"kubeVersion": volumes.kube_version}
    return {"supported": volumes.supported, "decidedBy": volumes.decided_by, **version}


def _plugin(plugin: LockedPlugin) -> dict[str, Any]:
    return {
        "name": plugin.name,
        "apiVersion": plugin.api_version,
        "specDigest": plugin.spec_digest,
        "fields": dict(sorted(plugin.fields.items())),
        **({"profile": plugin.profile} if plugin.profile else {}),
        **({"image": _image(plugin.image)} if plugin.image is not None else {}),
        **({"pullFailure": _pull_failure(plugin.pull_failure)} if plugin.pull_failure is not None else {}),
        "configDigest": plugin.config_digest,
        "status": {"phase": plugin.phase, "reason": plugin.reason},
    }


def _image(image: PluginImage) -> dict[str, Any]:
    return {
        "reference": image.reference,
        "digest": image.digest,
        **({"manifest": _manifest(image.manifest)} if image.manifest is not None else {}),
        **({"note": image.note} if image.note else {}),
    }


def _pull_failure(failure: PullFailure) -> dict[str, Any]:
    hint = {"hint": failure.hint} if failure.hint else {}
    return {"reference": failure.reference, "cause": failure.cause, **hint}


def _manifest(manifest: PluginManifest) -> dict[str, Any]:
    return {
        "name": manifest.name,
        **({"version": manifest.version} if manifest.version else {}),
        **({"requiresPlugins": list(manifest.requires_plugins)} if manifest.requires_plugins else {}),
        **({"requiresEnv": list(manifest.requires_env)} if manifest.requires_env else {}),
    }
