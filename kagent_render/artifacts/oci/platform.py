"""Platforms: what an image runs on, as RenderConfig and descriptors write it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kagent_render.artifacts.oci.failure import unusable

# What containerd takes an architecture without a variant for.
_VARIANTS: Final = {"amd64": "v1", "arm64": "v8", "arm": "v7"}


@dataclass(frozen=True, slots=True)
class Platform:
    """An operating system and an architecture; `variant` is empty where there is only one."""

    os: str
    architecture: str
    variant: str = ""

    def __str__(self) -> str:
        return "/".join(part for part in (self.os, self.architecture, self.variant) if part)

    @property
    def explicit(self) -> Platform:
        """The same with the variant written out, so that two spellings of one platform are equal."""
        return Platform(self.os, self.architecture, self.variant or _VARIANTS.get(self.architecture, ""))


UNKNOWN: Final = Platform("unknown", "unknown")
"""What builders give for attestations, which lie beside the images of an index."""


def parse_platform(text: str) -> Platform:
    """The platform that RenderConfig writes as `os/architecture[/variant]`."""
    return Platform(*text.split("/"))


def read_platform(value: object, place: str) -> Platform | None:
    """The platform of a descriptor, None where it has none; raises OciFault."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise unusable(f"its `{place}.platform` is not an object")
    parts = value.get("os"), value.get("architecture"), value.get("variant", "")
    if not all(isinstance(part, str) for part in parts):
        raise unusable(f"its `{place}.platform` has no `os` and `architecture`, or they are not texts")
    return Platform(*map(str, parts))
