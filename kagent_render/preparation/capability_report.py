"""A pair's capability record in full: every value, what showed it, and which fields of the pair need it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.compile.capabilities.record import value_text
from kagent_render.compile.capabilities.vocabulary import VOCABULARY

if TYPE_CHECKING:
    from kagent_render.compile.environment import Provenance
    from kagent_render.compile.requirement import Requirement
    from kagent_render.revision.compiled_pair import CompiledPair


@dataclass(frozen=True, slots=True)
class CapabilityLine:
    """One capability: the record's value and evidence, and what of the pair needs it.

    `needs` are the requirements as a lock writes them, `fields` where they stand; `met` is None where nothing
    needs the capability or nobody has proven it.
    """

    name: str
    value: str
    evidence: str
    needs: tuple[str, ...]
    fields: tuple[Provenance, ...]
    met: bool | None


def report_capabilities(compiled: CompiledPair) -> list[CapabilityLine]:
    """Every capability that there is, in the order of the vocabulary."""
    needing: defaultdict[str, list[Requirement]] = defaultdict(list)
    for boundary, _ in compiled.boundaries:
        for requirement in boundary.bundle.requirements:
            needing[requirement.capability].append(requirement)
    return [_line(name, compiled, needing[name]) for name in VOCABULARY]


def _line(name: str, compiled: CompiledPair, needing: list[Requirement]) -> CapabilityLine:
    record = compiled.record
    found = record.capability(name)
    open_ = not needing or any(record.leaves_open(need) for need in needing)
    return CapabilityLine(
        name,
        value_text(found),
        found.evidence,
        tuple(dict.fromkeys(str(need) for need in needing)),
        tuple(dict.fromkeys(need.provenance for need in needing)),
        None if open_ else not any(record.denies(need) for need in needing),
    )
