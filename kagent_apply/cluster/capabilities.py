"""What the status of a Harness says of its runtime, out of the capability record (facts 1.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kagent_render.compile.capabilities.vocabulary import COUNT, FLAG, VOCABULARY

if TYPE_CHECKING:
    from kagent_render.compile.capabilities.record import CapabilityRecord

_MOST_MEMBERS: Final = 16

PUBLISHED: Final = (
    "nativeAgentTools",
    "maxNativeAgentDepth",
    "dedicatedAgentTools",
    "mcpInjection",
    "streaming",
    "interruption",
    "inputRequired",
    "approvals",
    "inputModalities",
    "outputModalities",
    "resume",
    "checkpoint",
)
"""The capabilities that the status has a field for."""


def published_capabilities(record: CapabilityRecord) -> dict[str, Any]:
    """`status.capabilities`: what no run has shown is published as if it were not there (DESIGN 11)."""
    return {"version": record.version, **{name: _published(record, name) for name in PUBLISHED}}


def _published(record: CapabilityRecord, name: str) -> bool | int | list[str]:
    value = record.capability(name).value
    match VOCABULARY[name]:
        case kind if kind == FLAG:
            return value is True
        case kind if kind == COUNT:
            return value if isinstance(value, int) and not isinstance(value, bool) else 0
        case _:
            return list(value)[:_MOST_MEMBERS] if isinstance(value, tuple) else []
