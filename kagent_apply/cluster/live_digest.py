"""Digests of live specs, as locks have them of committed ones (DESIGN 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.api.decoding import decode_document
from kagent_render.revision.canonical_json import CanonicalFormError, canonical, digest
from kagent_render.source.document import Document
from kagent_render.target.actor_template import identity_hash
from kagent_render.target.ate_v1alpha1 import BINDING_PATH

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.diagnostics.diagnostic import FieldPath


def actor_template_digest(spec: object) -> str:
    """The digest of an ActorTemplate's spec; empty where it has no canonical form."""
    try:
        return digest(spec)
    except (CanonicalFormError, RecursionError):
        return ""


def is_named_by_content(
    name: str,
    namespace: str,
    harness: str,
    template: str,
    annotations: Mapping[str, Any],
    spec: object,
) -> bool:
    """Whether the hash in an ActorTemplate's name is of its own identity and spec (DESIGN 12)."""
    path = annotations.get(BINDING_PATH, "")
    if not (harness and template and isinstance(path, str)):
        return False
    try:
        made = identity_hash(namespace, harness, template, path, canonical(spec))
    except (CanonicalFormError, RecursionError):
        return False
    return name.endswith(f"-{made}")


def object_digest(value: Mapping[str, Any]) -> str:
    """The digest of a Harness's or an AgentTemplate's spec with defaults; empty where it is not valid.

    What a server adds to the metadata is none of the spec, and a status neither.
    """
    metadata = value.get("metadata")
    if not isinstance(metadata, dict):
        return ""
    bare = {
        "apiVersion": value.get("apiVersion"),
        "kind": value.get("kind"),
        "metadata": {key: metadata.get(key) for key in ("name", "namespace")},
        "spec": value.get("spec"),
    }
    try:
        resource = decode_document(Document("", bare, _Nowhere())).resource
        return digest(resource.spec) if resource is not None else ""
    except (CanonicalFormError, RecursionError):
        return ""


class _Nowhere:
    """A live object is in no file."""

    def locate(self, field: FieldPath) -> tuple[int, int]:  # noqa: ARG002
        return 1, 1

    def locate_literal(self, field: FieldPath) -> tuple[int, int] | None:  # noqa: ARG002
        return None
