"""Which pairs and PlatformAgents the documents of a root ask for, without preparing any."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.api.decoding import decode, decode_document
from kagent_render.diagnostics.diagnostic import PlatformAgentRef
from kagent_render.graph.attachment import candidate_pairs
from kagent_render.preparation.broken import broken_harnesses, broken_templates
from kagent_render.preparation.in_use import check_in_use
from kagent_render.revision.spec_digest import digest_specs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kagent_render.api.decoding import Decoded
    from kagent_render.diagnostics.diagnostic import Diagnostic
    from kagent_render.emit.layout import Owner
    from kagent_render.source.document import Document


@dataclass(frozen=True, slots=True)
class Asked:
    """Who is asked for; `doubts` are the faults of documents that may ask for others."""

    owners: frozenset[Owner]
    doubts: tuple[Diagnostic, ...]


def asked_owners(
    documents: Sequence[Document], decode_one: Callable[[Document], Decoded] = decode_document
) -> Asked:
    """Every pair and every PlatformAgent that a document asks for, whether or not it can be prepared."""
    decoded, found = decode(documents, decode_one)
    digested, faults = digest_specs(decoded)
    inventory = digested.inventory
    candidates = candidate_pairs(
        inventory, broken_templates(documents, inventory), broken_harnesses(documents, inventory)
    )
    owners: set[Owner] = {candidate.pair for candidate in candidates}
    owners |= {PlatformAgentRef(*key) for key in inventory.platform_agents}
    owners |= {
        PlatformAgentRef(namespace, name)
        for kind, namespace, name in inventory.broken
        if kind == "PlatformAgent"
    }
    doubts = (fault for fault in (*found, *faults, *check_in_use(documents)) if fault.is_error)
    return Asked(frozenset(owners), tuple(doubts))
