"""The lock as its document: keys in the design's order, lists sorted, and the revision's digest."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import TYPE_CHECKING, Any, Final

from kagent_render.revision.canonical_json import canonical, digest
from kagent_render.revision.canonical_yaml import dump

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from kagent_render.revision.lock import (
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
    )
    from kagent_render.revision.retained import RetainedRevision

API_VERSION: Final = "render.kagent.dev/v1alpha1"
KIND: Final = "PreparedRevision"

_FIELD_DIGEST_LENGTH: Final = 12
_DIGESTED: Final = (
    *("target", "harness", "templates", "bindings", "prompts", "inputs", "artifacts", "credentials"),
    *("egress", "boundaries"),
)
_FOR_PEOPLE: Final = frozenset({"labels", "description"})


def seal(lock: Lock) -> Lock:
    """The same lock with the revision that its content has."""
    return dataclasses.replace(lock, revision=revision_of(lock))


def seal_with_document(lock: Lock) -> tuple[Lock, dict[str, Any]]:
    """The sealed lock and its document, which is made once where both are needed."""
    document = to_document(lock)
    spec = document["spec"]
    spec["revision"] = document_revision(spec)
    return dataclasses.replace(lock, revision=spec["revision"]), document


def set_retained(document: dict[str, Any], retained: Iterable[RetainedRevision]) -> None:
    """Put what a lock retains into its document: the one field that no seal covers and history decides."""
    document["spec"]["retained"] = _retained(retained)


def revision_of(lock: Lock) -> str:
    """`sha256:` over the RFC 8785 form of what decides how the pair runs."""
    return document_revision(_spec(lock))


def document_revision(spec: Mapping[str, Any]) -> str:
    """The revision of a lock document's spec, fields of newer schema revisions included.

    Templates count without labels and description, boundaries by path and spec digest; schema, capabilities
    and what is retained do not count.
    """
    content = {name: spec[name] for name in _DIGESTED}
    content["templates"] = [
        {name: value for name, value in template.items() if name not in _FOR_PEOPLE}
        for template in spec["templates"]
    ]
    content["boundaries"] = [
        {"path": boundary["path"], "specDigest": boundary["specDigest"]} for boundary in spec["boundaries"]
    ]
    return digest(content)


def field_digests(spec: Mapping[str, Any]) -> dict[str, str]:
    """12 hex digits per top-level field, so that a stale lock can name what was edited without history."""
    return {
        name: hashlib.sha256(canonical(spec[name])).hexdigest()[:_FIELD_DIGEST_LENGTH]
        for name in sorted(spec)
    }


def dump_lock(lock: Lock) -> str:
    """The lock file's text; two locks with the same content have the same text."""
    return dump(to_document(lock))


def to_document(lock: Lock) -> dict[str, Any]:
    """The lock as plain data."""
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {
            "namespace": lock.pair.namespace,
            "name": f"{lock.pair.template}-{lock.pair.harness}",
        },
        "spec": _spec(lock),
    }


def _spec(lock: Lock) -> dict[str, Any]:
    return {
        "schema": {"version": lock.schema.version, "revision": lock.schema.revision},
        "revision": lock.revision,
        "target": lock.target,
        "harness": _harness(lock.harness),
        "templates": _sorted(lock.templates, _template, "path"),
        "bindings": _sorted(lock.bindings, _binding, "path"),
        "prompts": _sorted(lock.prompts, _prompt, "path"),
        "inputs": _sorted(lock.inputs, _input, "kind", "name", "key", "apiVersion"),
        "artifacts": sorted(map(_artifact, lock.artifacts), key=lambda item: canonical(item["source"])),
        "credentials": _sorted(lock.credentials, _credential, "boundary", "name", "key", "env"),
        "egress": _sorted(lock.egress, _egress, "boundary"),
        "capabilities": _capabilities(lock.capabilities),
        "boundaries": _sorted(lock.boundaries, _boundary, "path"),
        "retained": _retained(lock.retained),
    }


def _retained(retained: Iterable[RetainedRevision]) -> list[dict[str, Any]]:
    return [
        {"revision": earlier.revision, "actorTemplates": sorted(earlier.actor_templates)}
        for earlier in retained
    ]


def _sorted(items: Iterable[Any], write: Callable[[Any], dict[str, Any]], *by: str) -> list[dict[str, Any]]:
    return sorted(map(write, items), key=lambda item: tuple(item.get(name, "") for name in by))


def _harness(harness: LockedHarness) -> dict[str, Any]:
    return {
        "apiVersion": harness.api_version,
        "name": harness.name,
        "variant": str(harness.variant),
        "image": harness.image,
        "specDigest": harness.spec_digest,
        "fields": dict(sorted(harness.fields.items())),
    }


def _template(template: LockedTemplate) -> dict[str, Any]:
    document: dict[str, Any] = {
        "path": template.path,
        "name": template.name,
        "apiVersion": template.api_version,
        "specDigest": template.spec_digest,
        "fields": dict(sorted(template.fields.items())),
    }
    if template.labels:
        document["labels"] = dict(sorted(template.labels.items()))
    if template.description:
        document["description"] = template.description
    return document


def _binding(binding: LockedBinding) -> dict[str, Any]:
    return {
        "path": binding.path,
        "isolation": str(binding.isolation),
        "boundary": binding.boundary,
        "description": binding.description,
    }


def _prompt(prompt: LockedPrompt) -> dict[str, Any]:
    return {
        "path": prompt.path,
        "template": prompt.template,
        "digest": prompt.digest,
        "text": prompt.text,
    }


def _input(used: LockedInput) -> dict[str, Any]:
    key = {} if used.key is None else {"key": used.key}
    return {
        "apiVersion": used.api_version,
        "kind": used.kind,
        "name": used.name,
        **key,
        "digest": used.digest,
        "usedBy": sorted(used.used_by),
    }


def _artifact(artifact: LockedArtifact) -> dict[str, Any]:
    document: dict[str, Any] = {"source": dict(artifact.source), "treeDigest": artifact.tree_digest}
    if artifact.manifest is not None:
        version = artifact.manifest.version
        document["manifest"] = {"name": artifact.manifest.name}
        if version is not None:
            document["manifest"]["version"] = version
    document["skills"] = _sorted(artifact.skills, _skill, "path", "name")
    return document


def _skill(skill: LockedSkill) -> dict[str, Any]:
    return {"name": skill.name, "path": skill.path, "digest": skill.digest}


def _credential(credential: LockedCredential) -> dict[str, Any]:
    optional = {"optional": True} if credential.optional else {}
    bindings = {"bindings": _sorted(credential.bindings, _header, "hostname", "header")}
    return {
        "boundary": credential.boundary,
        "env": credential.env,
        "name": credential.name,
        "key": credential.key,
        **optional,
        **(bindings if credential.bindings else {}),
    }


def _header(header: LockedHeader) -> dict[str, Any]:
    prefix = {"prefix": header.prefix} if header.prefix else {}
    return {"hostname": header.hostname, "header": header.header, **prefix}


def _egress(egress: LockedEgress) -> dict[str, Any]:
    rules = {} if egress.rules is None else {"rules": [dict(rule) for rule in egress.rules]}
    return {"boundary": egress.boundary, "origins": sorted(egress.origins), **rules}


def _capabilities(capabilities: LockedCapabilities) -> dict[str, Any]:
    return {
        "record": capabilities.record,
        "version": capabilities.version,
        "digest": capabilities.digest,
    }


def _boundary(boundary: LockedBoundary) -> dict[str, Any]:
    return {
        "path": boundary.path,
        "adapter": {"name": boundary.adapter.name, "format": boundary.adapter.format},
        "requirements": sorted(boundary.requirements),
        "actorTemplate": boundary.actor_template,
        "specDigest": boundary.spec_digest,
        "manifest": boundary.manifest,
    }
