"""Reads the lock of a PlatformAgent; fields that a newer schema revision added are passed over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.agentplugin.images import PluginImage, PluginManifest, PullFailure
from kagent_render.agentplugin.lock import (
    SCHEMA,
    AgentLock,
    LockedAgent,
    LockedImageVolumes,
    LockedPlugin,
)
from kagent_render.agentplugin.lock_document import KIND, document_revision, dump_lock
from kagent_render.revision.lock import LockSchema
from kagent_render.revision.lock_file import LockKind, LockProblem, read_lock_file
from kagent_render.revision.lock_node import ShapeError

if TYPE_CHECKING:
    from kagent_render.revision.lock_node import Node


def read_agent_lock(text: bytes, path: str) -> AgentLock | LockProblem[AgentLock]:
    """The lock in the file `path` with the content `text`, or the first problem with it."""
    return read_lock_file(text, path, PREPARED_PLATFORM_AGENT)


def _decode(document: Node) -> AgentLock:
    metadata, spec = document.node("metadata"), document.node("spec")
    schema = spec.node("schema")
    lock = AgentLock(
        namespace=metadata.text("namespace"),
        upstream=spec.text("upstream"),
        agent=_agent(spec.node("agent")),
        image_volumes=_image_volumes(spec.node("imageVolumes")),
        plugins=spec.records("plugins", _plugin),
        config=dict(spec.records("config", lambda node: (node.text("key"), node.text("digest")))),
        config_hash=spec.text("configHash"),
        files=dict(spec.records("files", lambda node: (node.text("name"), node.text("digest")))),
        schema=LockSchema(schema.integer("version"), schema.integer("revision")),
        revision=spec.text("revision"),
    )
    if metadata.text("name") != lock.agent.name:
        raise ShapeError(("metadata", "name"), "does not name the PlatformAgent of the lock")
    return lock


def _agent(node: Node) -> LockedAgent:
    return LockedAgent(
        api_version=node.text("apiVersion"),
        name=node.object_name("name"),
        spec_digest=node.text("specDigest"),
        fields=node.text_map("fields"),
        annotations=node.text_map("annotations"),
    )


def _image_volumes(node: Node) -> LockedImageVolumes:
    return LockedImageVolumes(
        node.flag("supported"), node.text("decidedBy"), node.optional_text("kubeVersion")
    )


def _plugin(node: Node) -> LockedPlugin:
    status = node.node("status")
    return LockedPlugin(
        name=node.text("name"),
        api_version=node.text("apiVersion"),
        spec_digest=node.text("specDigest"),
        fields=node.text_map("fields"),
        config_digest=node.text("configDigest"),
        phase=status.text("phase"),
        reason=status.text("reason"),
        profile=node.optional_text("profile") or "",
        image=_image(node.node("image")) if "image" in node.value else None,
        pull_failure=_pull_failure(node.node("pullFailure")) if "pullFailure" in node.value else None,
    )


def _pull_failure(node: Node) -> PullFailure:
    return PullFailure(node.text("reference"), node.text("cause"), node.optional_text("hint"))


def _image(node: Node) -> PluginImage:
    return PluginImage(
        reference=node.text("reference"),
        digest=node.text("digest"),
        manifest=_manifest(node.node("manifest")) if "manifest" in node.value else None,
        note=node.optional_text("note") or "",
    )


def _manifest(node: Node) -> PluginManifest:
    return PluginManifest(
        name=node.text("name"),
        version=node.optional_text("version") or "",
        requires_plugins=node.texts("requiresPlugins") if "requiresPlugins" in node.value else (),
        requires_env=node.texts("requiresEnv") if "requiresEnv" in node.value else (),
    )


PREPARED_PLATFORM_AGENT: Final[LockKind[AgentLock]] = LockKind(
    KIND, SCHEMA, _decode, document_revision, dump_lock
)
"""The kind of an agent's lock."""
