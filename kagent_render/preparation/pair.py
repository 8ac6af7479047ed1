"""One pair from its graph to its compiled boundaries, or to what keeps it from them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from kagent_render.compile.adapters.variants import adapter_of
from kagent_render.compile.assembly import assemble_bundle
from kagent_render.compile.boundary import CompiledBoundary, compile_boundary
from kagent_render.compile.capabilities.record import choose_record
from kagent_render.compile.environment import Provenance
from kagent_render.diagnostics.diagnostic import Severity, escalate
from kagent_render.diagnostics.reasons import Reason
from kagent_render.emit.layout import is_representable
from kagent_render.preparation.completeness import image_of, snapshot_location_of, worker_pool_of
from kagent_render.revision.compiled_pair import CompiledPair
from kagent_render.target.actor_template import ActorTemplate, Manifest
from kagent_render.target.generations import generation_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kagent_render.api.hub import Harness, Inventory
    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.compile.policy import Policy
    from kagent_render.compile.resolution import Resolution
    from kagent_render.compile.resolved import ResolvedTemplate
    from kagent_render.diagnostics.diagnostic import Diagnostic, PairRef
    from kagent_render.graph.pairs import PairGraph
    from kagent_render.graph.tree import Node, Tree


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What holds for every pair of a root."""

    inventory: Inventory
    policy: Policy
    records: Sequence[CapabilityRecord]
    protect: bool
    strict: bool


@dataclass(frozen=True, slots=True)
class PairOutcome:
    """A pair compiled, or None with its faults; `blocked` where it needs an invalid document.

    `attempted` is what could be compiled, whatever is wrong with it.
    """

    pair: PairRef
    graph: PairGraph
    compiled: CompiledPair | None
    diagnostics: tuple[Diagnostic, ...]
    blocked: bool
    attempted: CompiledPair | None = None

    @property
    def is_prepared(self) -> bool:
        """Whether nothing keeps the pair from being written."""
        return self.compiled is not None


def compile_pair(
    graph: PairGraph, resolutions: Mapping[str, Resolution], circumstances: Circumstances
) -> PairOutcome:
    """Compile every boundary of a pair; `resolutions` is by template name."""
    pair, harness = graph.candidate.pair, graph.candidate.harness
    names = {node.template.name for node in graph.tree.nodes} if graph.tree else set()
    own = [resolutions[name] for name in sorted(names)]
    found = [*graph.diagnostics, *(fault for resolution in own for fault in resolution.faults)]
    blocked = graph.blocked or any(resolution.blocked for resolution in own)
    if harness is not None and graph.candidate.template is not None:
        found += _check_folder(pair, harness)
    compiled = None
    if harness is not None and graph.is_sound and not blocked:
        resolved = {name: r for name in names if (r := resolutions[name].resolved) is not None}
        if len(resolved) == len(names):
            compiled, faults = _compile(graph, harness, resolved, circumstances)
            found += faults
    told = tuple(fault.of(pair) for fault in escalate(found, strict=circumstances.strict))
    failed = blocked or any(fault.is_error for fault in told)
    return PairOutcome(pair, graph, None if failed else compiled, told, blocked, compiled)


def _check_folder(pair: PairRef, harness: Harness) -> Iterator[Diagnostic]:
    if not is_representable(pair):
        yield harness.document.fault(
            Reason.NAME_INVALID,
            ("metadata", "name"),
            f"a Harness named `{pair.harness}` would stand where a file of the output folder is",
            hint="rename the Harness",
        )


def _compile(
    graph: PairGraph,
    harness: Harness,
    resolved: Mapping[str, ResolvedTemplate],
    circumstances: Circumstances,
) -> tuple[CompiledPair, list[Diagnostic]]:
    assert graph.tree is not None
    pair, policy = graph.candidate.pair, circumstances.policy
    image = image_of(harness, policy)
    record = choose_record(circumstances.records, adapter_of(harness.variant).NAME, image)
    assert record is not None, "the catalog has a default for every adapter"
    generation = generation_of(policy.target)
    faults = list(generation.check_names(graph.tree.root.template, harness))
    boundaries = []
    for boundary in graph.boundaries:
        binding = _binding(boundary.head, graph.tree)
        bundle = assemble_bundle(pair, boundary.head, harness, image, resolved, policy, binding)
        compiled, found = compile_boundary(bundle, record, policy)
        faults += found
        faults += generation.check_environment(compiled.env, compiled.adapter.documents)
        faults += _secret_faults(compiled, circumstances.inventory)
        actor = _actor_template(compiled, policy)
        build = partial(generation.build_manifest, actor, protect=circumstances.protect)
        boundaries.append((compiled, Manifest(build)))
    nodes = graph.tree.nodes
    return CompiledPair(pair, policy.target, harness, nodes, resolved, tuple(boundaries), record), faults


def _binding(head: Node, tree: Tree) -> Provenance | None:
    """The field that binds the head of a Dedicated boundary; None for the root's."""
    if head.parent is None or head.tool is None:
        return None
    holder = next(node for node in tree.nodes if node.path == head.parent)
    return Provenance(holder.template.document, ("spec", "tools", head.tool, "agent"))


def _actor_template(compiled: CompiledBoundary, policy: Policy) -> ActorTemplate:
    bundle = compiled.bundle
    return ActorTemplate(
        namespace=bundle.namespace,
        harness=bundle.harness.name,
        template=bundle.root_template,
        path=bundle.path,
        image=bundle.image,
        env=compiled.env,
        pause_image=policy.pause_image or "",
        worker_pool=worker_pool_of(bundle.harness, policy),
        snapshot_location=snapshot_location_of(bundle.harness, policy),
    )


def _secret_faults(compiled: CompiledBoundary, inventory: Inventory) -> Iterator[Diagnostic]:
    """What is wrong with the manifest of a Secret that the boundary refers to: a duplicate, a missing key."""
    namespace = compiled.bundle.namespace
    for variable in compiled.env:
        value, origin = variable.value, variable.origin
        if isinstance(value, str) or origin is None:
            continue
        yield from inventory.unreported.get(("Secret", namespace, value.name), ())
        secret = inventory.secrets.get((namespace, value.name))
        if secret is not None and secret.keys and value.key not in secret.keys and not value.optional:
            yield origin.document.fault(
                Reason.CREDENTIAL_KEYS_UNKNOWN,
                origin.field,
                f"Secret `{value.name}` in the repository has no key `{value.key}`",
                hint=f"use one of its keys, or add `{value.key}` to its manifest",
                severity=Severity.WARNING,
            )
