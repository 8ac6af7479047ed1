"""Decodes a lock's document into its values; fields that a newer schema revision added are passed over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.diagnostics.diagnostic import PairRef
from kagent_render.revision.lock import (
    Adapter,
    Lock,
    LockedArtifact,
    LockedBinding,
    LockedBoundary,
    LockedCapabilities,
    LockedCredential,
    LockedEgress,
    LockedHarness,
    LockedHeader,
    LockedInput,
    LockedPrompt,
    LockedSkill,
    LockedTemplate,
    LockSchema,
    PluginManifest,
)
from kagent_render.revision.lock_node import ShapeError
from kagent_render.revision.retained import RetainedRevision

if TYPE_CHECKING:
    from kagent_render.revision.lock_node import Node


def decode_lock(document: Node) -> Lock:
    """The lock in a document of the right kind; raises ShapeError."""
    lock = _decode_spec(document.node("metadata").text("namespace"), document.node("spec"))
    if document.node("metadata").text("name") != f"{lock.pair.template}-{lock.pair.harness}":
        raise ShapeError(("metadata", "name"), "does not name the root template and the Harness of the lock")
    return lock


def _decode_spec(namespace: str, spec: Node) -> Lock:
    harness = _harness(spec.node("harness"))
    templates = spec.records("templates", _template)
    root = next((template.name for template in templates if not template.path), None)
    if root is None:
        raise ShapeError((*spec.path, "templates"), "has no root template")
    schema = spec.node("schema")
    return Lock(
        pair=PairRef(namespace, harness.name, root),
        target=spec.text("target"),
        harness=harness,
        templates=templates,
        bindings=spec.records("bindings", _binding),
        prompts=spec.records("prompts", _prompt),
        inputs=spec.records("inputs", _input),
        artifacts=spec.records("artifacts", _artifact),
        credentials=spec.records("credentials", _credential),
        egress=spec.records("egress", _egress),
        capabilities=_capabilities(spec.node("capabilities")),
        boundaries=spec.records("boundaries", _boundary),
        retained=spec.records("retained", _retained),
        schema=LockSchema(schema.integer("version"), schema.integer("revision")),
        revision=spec.text("revision"),
    )


def _harness(node: Node) -> LockedHarness:
    return LockedHarness(
        api_version=node.text("apiVersion"),
        name=node.text("name"),
        variant=node.text("variant"),
        image=node.text("image"),
        spec_digest=node.text("specDigest"),
        fields=node.text_map("fields"),
    )


def _template(node: Node) -> LockedTemplate:
    return LockedTemplate(
        path=node.text("path"),
        name=node.text("name"),
        api_version=node.text("apiVersion"),
        spec_digest=node.text("specDigest"),
        fields=node.text_map("fields"),
        labels=node.text_map("labels"),
        description=node.optional_text("description") or "",
    )


def _binding(node: Node) -> LockedBinding:
    return LockedBinding(
        path=node.text("path"),
        isolation=node.text("isolation"),
        boundary=node.text("boundary"),
        description=node.text("description"),
    )


def _prompt(node: Node) -> LockedPrompt:
    return LockedPrompt(node.text("path"), node.flag("template"), node.text("digest"), node.text("text"))


def _input(node: Node) -> LockedInput:
    return LockedInput(
        api_version=node.text("apiVersion"),
        kind=node.text("kind"),
        name=node.text("name"),
        digest=node.text("digest"),
        used_by=node.texts("usedBy"),
        key=node.optional_text("key"),
    )


def _artifact(node: Node) -> LockedArtifact:
    manifest = None
    if "manifest" in node.value:
        block = node.node("manifest")
        manifest = PluginManifest(block.text("name"), block.optional_text("version"))
    return LockedArtifact(
        source=node.node("source").value,
        tree_digest=node.text("treeDigest"),
        skills=node.records("skills", _skill),
        manifest=manifest,
    )


def _skill(node: Node) -> LockedSkill:
    return LockedSkill(node.text("name"), node.text("path"), node.text("digest"))


def _credential(node: Node) -> LockedCredential:
    return LockedCredential(
        boundary=node.text("boundary"),
        env=node.text("env"),
        name=node.text("name"),
        key=node.text("key"),
        optional=node.flag("optional", default=False),
        bindings=node.records("bindings", _header) if "bindings" in node.value else (),
    )


def _header(node: Node) -> LockedHeader:
    return LockedHeader(node.text("hostname"), node.text("header"), node.optional_text("prefix") or "")


def _egress(node: Node) -> LockedEgress:
    rules = node.records("rules", lambda rule: rule.value) if "rules" in node.value else None
    return LockedEgress(node.text("boundary"), node.texts("origins"), rules)


def _capabilities(node: Node) -> LockedCapabilities:
    return LockedCapabilities(node.text("record"), node.text("version"), node.text("digest"))


def _boundary(node: Node) -> LockedBoundary:
    adapter = node.node("adapter")
    boundary = LockedBoundary(
        path=node.text("path"),
        adapter=Adapter(adapter.text("name"), adapter.text("format")),
        requirements=node.texts("requirements"),
        actor_template=node.object_name("actorTemplate"),
        spec_digest=node.text("specDigest"),
    )
    if node.text("manifest") != boundary.manifest:
        raise ShapeError((*node.path, "manifest"), "is not the path of the ActorTemplate's manifest")
    return boundary


def _retained(node: Node) -> RetainedRevision:
    return RetainedRevision(node.text("revision"), node.object_names("actorTemplates"))
