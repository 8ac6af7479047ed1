"""A capability record: one adapter with one pinned runtime, and what conformance runs proved of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CapabilityValue = bool | int | str | tuple[str, ...]
"""True or False, a depth, `unproven`, or modalities."""

UNPROVEN = "unproven"
"""What no conformance run has shown yet: never enabled."""

VOCABULARY = (
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
    "skills",
    "childSkills",
)
"""The names of the Harness status (facts 1.1), plus `skills` and `childSkills`."""


@dataclass(frozen=True, slots=True)
class CapabilityRecord:
    """What one runtime can do; `images` are the digests it holds for, `digest` that of the record itself."""

    name: str
    version: str
    adapter: str
    runtime: str
    images: frozenset[str]
    default: bool
    values: Mapping[str, CapabilityValue]
    digest: str

    def value(self, capability: str) -> CapabilityValue:
        """What the record says of a capability; one that it does not name is denied."""
        return self.values.get(capability, False)

    def denies(self, capability: str, minimum: int | None = None) -> bool:
        """Whether the record says that the runtime lacks a capability, or has less of it than `minimum`."""
        value = self.value(capability)
        if value == UNPROVEN:
            return False
        return not value or (isinstance(value, int) and value < (minimum or 0))


def choose_record(records: Sequence[CapabilityRecord], adapter: str, image: str) -> CapabilityRecord | None:
    """The record that names the image's digest, else the adapter's default."""
    own = [record for record in records if record.adapter == adapter]
    digest = image.rpartition("@")[2]
    named = [record for record in own if digest in record.images]
    return next(iter(named or [record for record in own if record.default]), None)


def decode_record(document: Mapping[str, Any], digest: str) -> CapabilityRecord:
    """Read a record's document; KeyError or TypeError where it has not the shape of one."""
    spec = document["spec"]
    unknown = set(spec["capabilities"]) - set(VOCABULARY)
    if unknown:
        raise KeyError(*sorted(unknown))
    return CapabilityRecord(
        name=document["metadata"]["name"],
        version=str(spec["version"]),
        adapter=spec["adapter"],
        runtime=f"{spec['runtime']['name']} {spec['runtime']['version']}",
        images=frozenset(spec.get("images") or ()),
        default=bool(spec.get("default")),
        values=dict(spec["capabilities"]),
        digest=digest,
    )
