"""Which manifest of an index is the one for a platform."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.oci.failure import OciFault, OtherPlatforms
from kagent_render.artifacts.oci.platform import UNKNOWN, Platform
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.artifacts.oci.descriptor import Descriptor

_LISTED: Final = 8


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
    fault = OtherPlatforms if names else OciFault
    return fault(
        Reason.ARTIFACT_NOT_FOUND,
        f"it has no image for `{platform}`; {there}",
        "set `artifacts.oci.platform` in `kagent-render.yaml` to a platform that it has",
    )
