"""Everything that one compiled pair depends on, as the lock that pins it."""

from __future__ import annotations

import functools
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from kagent_render.api.hub import OciSource, S3Source, SecretKeyRef
from kagent_render.artifacts.oci.reference import registry_host
from kagent_render.compile.bundle import Bundle
from kagent_render.revision.canonical_json import digest, text_digest
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
    PluginManifest,
)
from kagent_render.target.generation import Setting
from kagent_render.target.generations import generation_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from kagent_render.compile.boundary import CompiledBoundary
    from kagent_render.compile.environment import EnvVar
    from kagent_render.compile.policy import Policy
    from kagent_render.compile.resolved import ResolvedTemplate
    from kagent_render.graph.tree import Node
    from kagent_render.revision.compiled_pair import CompiledPair
    from kagent_render.revision.spec_digest import SpecDigests
    from kagent_render.target.actor_template import Manifest

CONFIG_API_VERSION = "render.kagent.dev/v1alpha1"
CONFIG_KIND = "RenderConfig"
CONFIG_NAME = "kagent-render"


def pin_pair(compiled: CompiledPair, digests: SpecDigests, policy: Policy) -> Lock:
    """The lock of a compiled pair, not sealed yet; what it retains is left to retention."""
    harness = compiled.harness
    return Lock(
        pair=compiled.pair,
        target=compiled.target,
        harness=LockedHarness(
            harness.ref.api_version,
            harness.name,
            harness.variant,
            compiled.boundaries[0][0].bundle.image,
            digests.of[harness.ref],
            digests.of_fields(harness),
        ),
        templates=tuple(_template(node, digests) for node in compiled.nodes),
        bindings=tuple(_binding(node) for node in compiled.nodes if node.path),
        prompts=tuple(_prompt(node, compiled.resolved) for node in compiled.nodes),
        inputs=_inputs(compiled, policy),
        artifacts=_artifacts(compiled),
        credentials=tuple(_credentials(compiled)),
        egress=tuple(
            LockedEgress(boundary.bundle.path, boundary.bundle.egress, _rules(boundary, compiled.target))
            for boundary, _ in compiled.boundaries
        ),
        capabilities=LockedCapabilities(
            compiled.record.name, compiled.record.version, compiled.record.digest
        ),
        boundaries=tuple(_boundary(*boundary) for boundary in compiled.boundaries),
    )


def _template(node: Node, digests: SpecDigests) -> LockedTemplate:
    template = node.template
    return LockedTemplate(
        node.path,
        template.name,
        template.ref.api_version,
        digests.of[template.ref],
        digests.of_fields(template),
        template.labels,
        template.description,
    )


def _binding(node: Node) -> LockedBinding:
    return LockedBinding(node.path, node.isolation, node.boundary, node.description)


def _prompt(node: Node, resolved: Mapping[str, ResolvedTemplate]) -> LockedPrompt:
    prompt = resolved[node.template.name].prompt
    return LockedPrompt(node.path, prompt.templated, text_digest(prompt.text), prompt.text)


def _inputs(compiled: CompiledPair, policy: Policy) -> tuple[LockedInput, ...]:
    """One entry per object or key, with the binding paths of the nodes that use it."""
    used: defaultdict[tuple[str, str, str, str | None, str], list[str]] = defaultdict(list)
    for node in compiled.nodes:
        for entry in compiled.resolved[node.template.name].inputs:
            ref = entry.ref
            used[ref.api_version, ref.kind, ref.name or "", entry.key, entry.digest].append(node.path)
    for boundary, _ in compiled.boundaries:
        for field, value in used_settings(boundary.bundle, policy):
            used[CONFIG_API_VERSION, CONFIG_KIND, CONFIG_NAME, field, _setting_digest(value)].append(
                boundary.bundle.path
            )
    return tuple(
        LockedInput(api_version, kind, name, content, tuple(paths), key)
        for (api_version, kind, name, key, content), paths in used.items()
    )


@functools.lru_cache(maxsize=1024)
def _setting_digest(value: str | None) -> str:
    return digest(value)


def used_settings(bundle: Bundle, policy: Policy) -> Iterator[tuple[str, str | None]]:
    """RenderConfig's fields that one boundary takes a value from, with the value."""
    harness = bundle.harness
    yield "spec.controller.name", policy.controller_name
    yield "spec.controller.namespace", policy.controller_namespace
    if Setting.PAUSE_IMAGE in generation_of(policy.target).SETTINGS:
        yield "spec.substrate.pauseImage", policy.pause_image
    if harness.worker_pool is None:
        yield "spec.substrate.workerPool", policy.worker_pool
    if harness.snapshot_location is None:
        yield "spec.substrate.snapshotLocation", policy.snapshot_location
    if harness.image is None:
        yield f"spec.images.{harness.variant}", bundle.image
    if bundle.dedicated:
        yield "spec.tools.url", policy.tools_url
    origins = [skill.source.origin for member in bundle.agent.members() for skill in member.skills]
    objects = [origin for origin in origins if isinstance(origin, S3Source)]
    if any(origin.endpoint is None for origin in objects):
        yield "spec.artifacts.s3.endpoint", policy.s3_endpoint
    if any(origin.region is None for origin in objects):
        yield "spec.artifacts.s3.region", policy.s3_region
    registries = {registry_host(origin.reference) for origin in origins if isinstance(origin, OciSource)}
    if registries:
        used = sorted(registries.intersection(policy.insecure_registries))
        yield "spec.artifacts.oci.insecure", " ".join(used)


def _artifacts(compiled: CompiledPair) -> tuple[LockedArtifact, ...]:
    """One entry per source and selection, with the nodes that selected from it."""
    found: dict[tuple[str, str], LockedArtifact] = {}
    for node in compiled.nodes:
        for pin in compiled.resolved[node.template.name].artifacts:
            key = digest(pin.identity), pin.tree_digest
            skills = tuple(LockedSkill(skill.name, node.path, skill.digest) for skill in pin.skills)
            known = found.get(key)
            manifest = PluginManifest(*pin.manifest) if pin.manifest else None
            before = known.skills if known else ()
            found[key] = LockedArtifact(pin.identity, pin.tree_digest, (*before, *skills), manifest)
    return tuple(found.values())


def _credentials(compiled: CompiledPair) -> Iterator[LockedCredential]:
    for boundary, _ in compiled.boundaries:
        for variable in boundary.env:
            value = variable.value
            if isinstance(value, SecretKeyRef):
                yield LockedCredential(
                    boundary.bundle.path,
                    variable.name,
                    value.name,
                    value.key,
                    value.optional,
                    _bindings(boundary, variable),
                )


def _bindings(boundary: CompiledBoundary, variable: EnvVar) -> tuple[LockedHeader, ...]:
    """Where a variable's placeholder is replaced; it may share a header with another one of its Secret."""
    own = (binding for binding in boundary.bindings if variable.name in binding.variables)
    return tuple(LockedHeader(found.hostname, found.header, found.prefix) for found in own)


def _rules(boundary: CompiledBoundary, target: str) -> tuple[dict[str, Any], ...] | None:
    if not generation_of(target).INJECTS_CREDENTIALS:
        return None
    from kagent_render.compile.egress_policy import egress_rules

    bundle = boundary.bundle
    return tuple(egress_rules(bundle.namespace, bundle.egress, boundary.bindings))


def _boundary(boundary: CompiledBoundary, manifest: Manifest) -> LockedBoundary:
    adapter = Adapter(boundary.adapter.name, str(boundary.adapter.format))
    requirements = tuple(dict.fromkeys(str(requirement) for requirement in boundary.bundle.requirements))
    return LockedBoundary(
        boundary.bundle.path, adapter, requirements, manifest.name, manifest.built.spec_digest
    )
