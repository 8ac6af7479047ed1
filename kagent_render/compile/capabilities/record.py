"""A capability record: one adapter with one pinned runtime, and what conformance runs proved of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kagent_render.compile.requirement import Requirement

CapabilityValue = bool | int | str | tuple[str, ...]
"""True or False, a depth, `unproven`, or the members of a list such as modalities."""

UNPROVEN = "unproven"
"""What no conformance run has shown yet: never enabled."""


@dataclass(frozen=True, slots=True)
class Capability:
    """One value of a record, and what showed it: the conformance run, or the reason of a denial.

    `others_open` is set where nobody has shown anything of the members that the value does not list.
    """

    value: CapabilityValue
    evidence: str = ""
    others_open: bool = False


def value_text(capability: Capability) -> str:
    """A value in a few words."""
    value = capability.value
    if isinstance(value, tuple):
        return ", ".join((*value, *(["others unproven"] if capability.others_open else []))) or "none"
    return str(value).lower() if isinstance(value, bool) else str(value)


_DENIED = Capability(False, "the record does not name it")


@dataclass(frozen=True, slots=True)
class CapabilityRecord:
    """What one runtime can do; `images` are the digests it holds for, `digest` that of the record itself."""

    name: str
    version: str
    adapter: str
    runtime_name: str
    runtime_version: str
    images: frozenset[str]
    default: bool
    capabilities: Mapping[str, Capability]
    digest: str

    @property
    def runtime(self) -> str:
        """The runtime and its version."""
        return f"{self.runtime_name} {self.runtime_version}"

    def capability(self, name: str) -> Capability:
        """What the record says of a capability; one that it does not name is denied."""
        return self.capabilities.get(name, _DENIED)

    def denies(self, requirement: Requirement) -> bool:
        """Whether the record says that the runtime lacks what a field needs, or has less of it."""
        found = self.capability(requirement.capability)
        value = found.value
        if isinstance(value, tuple):
            return requirement.member not in value and not found.others_open
        if isinstance(value, bool) or requirement.minimum is None:
            return not value
        return isinstance(value, int) and value < requirement.minimum

    def leaves_open(self, requirement: Requirement) -> bool:
        """Whether nobody has shown yet that the runtime has what a field needs."""
        found = self.capability(requirement.capability)
        if isinstance(found.value, tuple):
            return found.others_open and requirement.member not in found.value
        return found.value == UNPROVEN


def choose_record(records: Sequence[CapabilityRecord], adapter: str, image: str) -> CapabilityRecord | None:
    """The record that names the image's digest, else the adapter's default."""
    own = [record for record in records if record.adapter == adapter]
    digest = image.rpartition("@")[2]
    named = [record for record in own if digest in record.images]
    return next(iter(named or [record for record in own if record.default]), None)
