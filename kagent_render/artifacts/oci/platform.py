"""Platforms, and which manifest of an index is the one for a platform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.oci.failure import OciFault, not_found, unusable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.artifacts.oci.descriptor import Descriptor

# What containerd takes an architecture without a variant for.
_VARIANTS: Final = {"amd64": "v1", "arm64": "v8", "arm": "v7"}
_LISTED: Final = 8


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


def choose(manifests: Sequence[Descriptor], platform: Platform) -> Descriptor:
    """The first manifest for `platform`, else the only one without a platform; raises OciFault."""
    images = [entry for entry in manifests if entry.platform != UNKNOWN]
    for entry in images:
        if entry.platform and entry.platform.explicit == platform.explicit:
            return entry
    general = [entry for entry in images if entry.platform is None]
    if len(general) == 1:
        return general[0]
    raise _missing(images, platform)


def _missing(images: Sequence[Descriptor], platform: Platform) -> OciFault:
    names = dict.fromkeys(str(entry.platform) if entry.platform else "none" for entry in images)
    listed = ", ".join(f"`{printable(name)}`" for name in list(names)[:_LISTED])
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    there = f"its platforms are {listed}{more}" if names else "it has no image at all"
    return not_found(
        f"it has no image for `{platform}`; {there}",
        "set `artifacts.oci.platform` in `kagent-render.yaml` to a platform that it has",
    )
