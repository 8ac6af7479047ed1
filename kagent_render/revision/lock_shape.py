"""Decodes a lock's document into its values; fields that a newer schema revision added are passed over."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, TypeVar

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
    LockedInput,
    LockedPrompt,
    LockedSkill,
    LockedTemplate,
    LockSchema,
    PluginManifest,
)
from kagent_render.revision.lock_document import API_VERSION, KIND
from kagent_render.revision.retained import RetainedRevision

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_render.diagnostics.diagnostic import FieldPath

Record = TypeVar("Record")

# Names become file names, so that a lock from elsewhere must not lead out of its folder.
_OBJECT_NAME: Final = re.compile(r"[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?")
_WORDS: Final = {str: "text", int: "an integer", bool: "true or false", dict: "a mapping", list: "a list"}


class ShapeError(ValueError):
    """A document that is no lock; `path` leads to the field at fault."""

    def __init__(self, path: FieldPath, problem: str) -> None:
        super().__init__(problem)
        self.path = path
        self.problem = problem


class Node:
    """A mapping of the document with its place, read field by field; raises ShapeError."""

    def __init__(self, value: Any, path: FieldPath = ()) -> None:
        if not isinstance(value, dict):
            raise ShapeError(path, "is not a mapping")
        self.value = value
        self.path = path

    def text(self, name: str) -> str:
        """A required text."""
        found: str = self._typed(name, str)
        return found

    def optional_text(self, name: str) -> str | None:
        """A text, or None where the field is absent."""
        return self.text(name) if name in self.value else None

    def integer(self, name: str) -> int:
        """A required integer from 1."""
        found: int = self._typed(name, int)
        if found < 1 or isinstance(found, bool):
            raise ShapeError((*self.path, name), "is not a positive integer")
        return found

    def flag(self, name: str, default: bool | None = None) -> bool:
        """True or false; required where there is no default."""
        if default is not None and name not in self.value:
            return default
        found: bool = self._typed(name, bool)
        return found

    def node(self, name: str) -> Node:
        """A required mapping."""
        return Node(self._typed(name, dict), (*self.path, name))

    def text_map(self, name: str) -> dict[str, str]:
        """A mapping of texts; empty where it is absent."""
        entries: dict[str, str] = self._typed(name, dict) if name in self.value else {}
        for key, value in entries.items():
            if not isinstance(value, str):
                raise ShapeError((*self.path, name, key), "is not text")
        return entries

    def texts(self, name: str) -> tuple[str, ...]:
        """A required list of texts."""
        items: list[Any] = self._typed(name, list)
        for index, item in enumerate(items):
            if not isinstance(item, str):
                raise ShapeError((*self.path, name, index), "is not text")
        return tuple(items)

    def records(self, name: str, decode: Callable[[Node], Record]) -> tuple[Record, ...]:
        """A required list of mappings, each decoded."""
        items: list[Any] = self._typed(name, list)
        return tuple(decode(Node(item, (*self.path, name, index))) for index, item in enumerate(items))

    def _typed(self, name: str, kind: type) -> Any:
        if name not in self.value:
            raise ShapeError((*self.path, name), "is missing")
        if not isinstance(self.value[name], kind):
            raise ShapeError((*self.path, name), f"is not {_WORDS[kind]}")
        return self.value[name]


def decode_lock(value: Any) -> Lock:
    """The lock in a document; raises ShapeError."""
    document = Node(value)
    for name, expected in (("apiVersion", API_VERSION), ("kind", KIND)):
        if document.text(name) != expected:
            raise ShapeError((name,), f"is not `{expected}`")
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
        egress=spec.records(
            "egress", lambda node: LockedEgress(node.text("boundary"), node.texts("origins"))
        ),
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
    )


def _capabilities(node: Node) -> LockedCapabilities:
    return LockedCapabilities(node.text("record"), node.text("version"), node.text("digest"))


def _boundary(node: Node) -> LockedBoundary:
    adapter = node.node("adapter")
    boundary = LockedBoundary(
        path=node.text("path"),
        adapter=Adapter(adapter.text("name"), adapter.text("format")),
        requirements=node.texts("requirements"),
        actor_template=node.text("actorTemplate"),
        spec_digest=node.text("specDigest"),
    )
    if not _OBJECT_NAME.fullmatch(boundary.actor_template):
        raise ShapeError((*node.path, "actorTemplate"), "is not the name of an object")
    if node.text("manifest") != boundary.manifest:
        raise ShapeError((*node.path, "manifest"), "is not the path of the ActorTemplate's manifest")
    return boundary


def _retained(node: Node) -> RetainedRevision:
    retained = RetainedRevision(node.text("revision"), node.texts("actorTemplates"))
    for index, name in enumerate(retained.actor_templates):
        if not _OBJECT_NAME.fullmatch(name):
            raise ShapeError((*node.path, "actorTemplates", index), "is not the name of an object")
    return retained
