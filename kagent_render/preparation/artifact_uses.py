"""Which artifacts the templates of a root's pairs use, and at which fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.api.decoding import decode, decode_document
from kagent_render.compile.artifact_pins import artifact_fields
from kagent_render.graph.pairs import resolve_pairs
from kagent_render.preparation.broken import broken_harnesses, broken_templates
from kagent_render.revision.spec_digest import digest_specs
from kagent_render.source.objects import OWN_KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kagent_render.api.decoding import Decoded
    from kagent_render.api.hub import AgentTemplate, ArtifactSource
    from kagent_render.artifacts.failure import ArtifactFailure
    from kagent_render.diagnostics.diagnostic import Diagnostic, FieldPath
    from kagent_render.graph.pairs import PairGraph
    from kagent_render.source.document import Document

_ASKING: Final = ("AgentTemplate", "Harness")


@dataclass(frozen=True, slots=True)
class ArtifactUse:
    """One field of a template that names an artifact."""

    source: ArtifactSource
    template: AgentTemplate
    field: FieldPath

    def fault(self, failure: ArtifactFailure) -> Diagnostic:
        """A failure of the artifact, told at the field."""
        return self.template.document.fault(failure.reason, self.field, failure.message, hint=failure.hint)


@dataclass(frozen=True, slots=True)
class ArtifactUses:
    """Every use that is known; `doubts` are the faults of documents that may hold more."""

    known: tuple[ArtifactUse, ...]
    doubts: tuple[Diagnostic, ...]

    @property
    def sources(self) -> list[ArtifactSource]:
        """Each source once, in the order of its first use."""
        return list(dict.fromkeys(use.source for use in self.known))


def artifact_uses(
    documents: Sequence[Document], decode_one: Callable[[Document], Decoded] = decode_document
) -> ArtifactUses:
    """The uses in all pairs of a root, whatever else is wrong with the pairs."""
    decoded, found = decode(documents, decode_one)
    digested, faults = digest_specs(decoded)
    inventory = digested.inventory
    graphs = resolve_pairs(
        inventory, broken_templates(documents, inventory), broken_harnesses(documents, inventory)
    )
    uses = (
        ArtifactUse(source, template, field)
        for template in used_templates(graphs).values()
        for field, source in artifact_fields(template)
    )
    return ArtifactUses(tuple(uses), tuple(fault for fault in [*found, *faults] if _is_doubt(fault)))


def used_templates(graphs: Iterable[PairGraph]) -> dict[tuple[str, str], AgentTemplate]:
    """Every template of every tree, once, by namespace and name."""
    return {
        (node.template.namespace, node.template.name): node.template
        for graph in graphs
        if graph.tree is not None
        for node in graph.tree.nodes
    }


def _is_doubt(fault: Diagnostic) -> bool:
    """Whether a fault keeps a template or a Harness, however it is spelt, from being known."""
    if not fault.is_error or fault.object is None:
        return fault.is_error
    kind = fault.object.kind
    return kind in _ASKING or (fault.object.group, kind) not in OWN_KINDS
