"""What attachment, tree and boundaries say about each candidate pair."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Final

from kagent_render.diagnostics.diagnostic import distinct
from kagent_render.graph.admission import check_acceptance
from kagent_render.graph.attachment import candidate_pairs
from kagent_render.graph.boundaries import boundaries, check_shared_depth
from kagent_render.graph.names import check_names
from kagent_render.graph.namespaces import Namespace, split_namespaces
from kagent_render.graph.tree import build_tree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_render.api.hub import Inventory
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.graph.attachment import BrokenHarness, BrokenTemplate, Candidate
    from kagent_render.graph.boundaries import Boundary
    from kagent_render.graph.tree import Tree

MAX_FAULTS: Final = 1_000
"""Faults kept for one pair: a few templates that all bind each other have thousands, in every pair anew."""


@dataclass(frozen=True, slots=True)
class PairGraph:
    """One candidate with all that its graph shows.

    `tree` is what could be unfolded, so that later stages can collect their faults too; None when the root's
    document is invalid. `blocked` tells that the pair needs an invalid document. `diagnostics` are in source
    order, each with its pair.
    """

    candidate: Candidate
    tree: Tree | None
    boundaries: tuple[Boundary, ...]
    diagnostics: tuple[Diagnostic, ...]
    blocked: bool

    @property
    def is_sound(self) -> bool:
        """Whether the tree is whole and without errors, so that the pair can be compiled."""
        return not self.blocked and not any(found.is_error for found in self.diagnostics)


def resolve_pairs(
    inventory: Inventory,
    broken: Iterable[BrokenTemplate] = (),
    broken_harnesses: Iterable[BrokenHarness] = (),
) -> list[PairGraph]:
    """Resolve every candidate pair of an inventory, by (namespace, harness, template)."""
    namespaces = split_namespaces(inventory)
    return [
        resolve_pair(candidate, namespaces.get(candidate.pair.namespace, Namespace()))
        for candidate in candidate_pairs(inventory, broken, broken_harnesses)
    ]


def resolve_pair(candidate: Candidate, namespace: Namespace) -> PairGraph:
    """Unfold a candidate's tree and collect every fault of its graph, not only the first."""
    if candidate.template is None:
        return PairGraph(candidate, None, (), (), blocked=True)
    unfolding = build_tree(candidate.template, namespace)
    parts = boundaries(unfolding.tree)
    found = chain(
        check_acceptance(candidate, unfolding.tree, namespace),
        unfolding.diagnostics,
        check_shared_depth(unfolding.tree),
        (fault for boundary in parts for fault in check_names(boundary)),
    )
    return PairGraph(
        candidate,
        unfolding.tree,
        parts,
        tuple(fault.of(candidate.pair) for fault in distinct(islice(found, MAX_FAULTS))),
        candidate.blocked or unfolding.blocked,
    )
