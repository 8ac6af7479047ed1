"""A pair's capability record in full: every value, what showed it, and which fields of the pair need it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_render.compile.capabilities.vocabulary import VOCABULARY

if TYPE_CHECKING:
    from kagent_render.compile.capabilities.record import Capability, CapabilityRecord
    from kagent_render.compile.environment import Provenance
    from kagent_render.compile.requirement import Requirement
    from kagent_render.revision.compiled_pair import CompiledPair


@dataclass(frozen=True, slots=True)
class CapabilityNeed:
    """One requirement as a lock writes it; `met` is None where nobody has proven that the runtime has it."""

    requirement: str
    met: bool | None


@dataclass(frozen=True, slots=True)
class CapabilityLine:
    """One capability: the record's value and evidence, what of the pair needs it, and at which fields."""

    name: str
    capability: Capability
    needs: tuple[CapabilityNeed, ...]
    fields: tuple[Provenance, ...]

    @property
    def is_denied(self) -> bool:
        """Whether the pair needs something that the record denies."""
        return any(need.met is False for need in self.needs)

    @property
    def is_open(self) -> bool:
        """Whether the pair needs something that nobody has proven."""
        return any(need.met is None for need in self.needs)


def report_capabilities(compiled: CompiledPair) -> list[CapabilityLine]:
    """Every capability that there is, in the order of the vocabulary."""
    needing: defaultdict[str, list[Requirement]] = defaultdict(list)
    for boundary, _ in compiled.boundaries:
        for requirement in boundary.bundle.requirements:
            needing[requirement.capability].append(requirement)
    return [_line(name, compiled.record, needing[name]) for name in VOCABULARY]


def _line(name: str, record: CapabilityRecord, needing: list[Requirement]) -> CapabilityLine:
    needs = {str(need): CapabilityNeed(str(need), _met(need, record)) for need in needing}
    fields = tuple(dict.fromkeys(need.provenance for need in needing))
    return CapabilityLine(name, record.capability(name), tuple(needs.values()), fields)


def _met(need: Requirement, record: CapabilityRecord) -> bool | None:
    return None if record.leaves_open(need) else not record.denies(need)
