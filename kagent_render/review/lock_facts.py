"""The facts that a pair's lock tells by itself: no tool lists and no model names are among them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.api.hub import Variant
from kagent_render.artifacts.source_identity import nameable_source, source_text
from kagent_render.review import topics
from kagent_render.review.effect import DEDICATED, HELD, INERT
from kagent_render.review.fact import Fact
from kagent_render.target.generations import generation_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_render.revision.lock import Lock, LockedArtifact, LockedEgress

_ITS_NAMES: Final = (Variant.PYTHON, Variant.KAGENT)
_ONE_RUNTIME: Final = "python, or kagent"
"""The runtime that v1alpha2 and v1alpha3 call differently, so that only another one is a change."""

ROOT = "the root"
"""What the root of a tree is called where its binding path would be empty."""


def lock_facts(lock: Lock) -> Iterator[Fact]:
    """Every fact of a lock."""
    yield Fact(topics.TARGET, "", "", lock.target)
    variant = lock.harness.variant
    yield Fact(topics.VARIANT, "", "", _ONE_RUNTIME if variant in _ITS_NAMES else variant)
    yield Fact(topics.IMAGE, "", "", lock.harness.image)
    yield Fact(topics.VERSION, "", f"Harness {lock.harness.name}", lock.harness.api_version)
    record = lock.capabilities
    yield Fact(topics.RECORD, "", "", f"{record.record} {record.version}", record.digest)
    yield from _tree(lock)
    for artifact in lock.artifacts:
        yield from _artifact(artifact)
    yield from _boundaries(lock)
    for earlier in lock.retained:
        yield Fact(topics.RETAINED, "", earlier.revision, " ".join(sorted(earlier.actor_templates)))


def _tree(lock: Lock) -> Iterator[Fact]:
    for template in lock.templates:
        if template.path:
            yield Fact(topics.AGENT, template.path, "", template.name)
        yield Fact(topics.VERSION, template.path, f"AgentTemplate {template.name}", template.api_version)
        if template.description:
            yield Fact(topics.DESCRIPTION, template.path, "of the template", template.description)
        for name, value in template.labels.items():
            yield Fact(topics.LABEL, template.path, name, value)
    for binding in lock.bindings:
        shared = f"Shared with {binding.boundary or ROOT}"
        isolation = DEDICATED if binding.isolation == DEDICATED else shared
        yield Fact(topics.ISOLATION, binding.path, "", isolation)
        if binding.description:
            yield Fact(topics.DESCRIPTION, binding.path, "of the binding", binding.description)
    for prompt in lock.prompts:
        yield Fact(topics.PROMPT, prompt.path, "", prompt.text)


def _artifact(artifact: LockedArtifact) -> Iterator[Fact]:
    source = nameable_source(dict(artifact.source))
    text = source_text(source).replace("`", "") if source is not None else ""
    for skill in artifact.skills:
        inside = f"skill {skill.path} {skill.name}"
        yield Fact(topics.SKILL, skill.path, skill.name, skill.digest, inside=inside)
        yield Fact(topics.SOURCE, skill.path, skill.name, text, str(artifact.source), inside)
        if (manifest := artifact.manifest) is not None:
            package = f"{manifest.name} {manifest.version or ''}".strip()
            yield Fact(topics.PACKAGE, skill.path, skill.name, package, artifact.tree_digest, inside)


def _boundaries(lock: Lock) -> Iterator[Fact]:
    for boundary in lock.boundaries:
        inside = boundary_holder(boundary.path)
        adapter = f"{boundary.adapter.name} {boundary.adapter.format}"
        yield Fact(topics.VERSION, boundary.path, "adapter", adapter, inside=inside)
        for requirement in boundary.requirements:
            yield Fact(topics.REQUIREMENT, boundary.path, requirement, inside=inside)
    injected = generation_of(lock.target).INJECTS_CREDENTIALS
    for found in lock.credentials:
        secret = f"Secret {found.name}, key {found.key}{', optional' if found.optional else ''}"
        inside = boundary_holder(found.boundary)
        given = f"{secret}{INERT if injected else ''}"
        yield Fact(topics.CREDENTIAL, found.boundary, found.env, given, inside=inside)
        for bound in found.bindings:
            value = f"{bound.prefix}{secret}"
            named = f"{bound.header} of {bound.hostname}"
            yield Fact(topics.BINDING, found.boundary, named, value, inside=inside)
    for egress in lock.egress:
        yield from _egress(egress)


def _egress(egress: LockedEgress) -> Iterator[Fact]:
    inside = boundary_holder(egress.boundary)
    for origin in egress.origins:
        yield Fact(topics.HOST, egress.boundary, origin, inside=inside)
    held, hosts = (HELD if egress.rules is not None else "recorded only"), ", ".join(egress.origins)
    yield Fact(topics.EGRESS, egress.boundary, "", held, inside=inside, detail=hosts)


def boundary_holder(path: str) -> str:
    """What facts of a runtime boundary go away with."""
    return f"boundary {path}"
