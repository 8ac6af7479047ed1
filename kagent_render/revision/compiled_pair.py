"""What a lock pins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.api.hub import Harness
    from kagent_render.compile.boundary import CompiledBoundary
    from kagent_render.compile.capabilities.record import CapabilityRecord
    from kagent_render.compile.resolved import ResolvedTemplate
    from kagent_render.diagnostics.diagnostic import PairRef
    from kagent_render.graph.tree import Node
    from kagent_render.target.actor_template import Manifest


@dataclass(frozen=True, slots=True)
class CompiledPair:
    """A pair with all its boundaries compiled, each with its manifest; `resolved` is by template name."""

    pair: PairRef
    target: str
    harness: Harness
    nodes: tuple[Node, ...]
    resolved: Mapping[str, ResolvedTemplate]
    boundaries: tuple[tuple[CompiledBoundary, Manifest], ...]
    record: CapabilityRecord
