"""Which module is the generation of a target, or of a manifest; each is loaded when it is asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kagent_render.target.generation import Generation

_OBJECT: Final = "ate.dev/v1alpha1"
_RELEASED: Final = "ateapi/v0.4"
_ALPHA: Final = "ateapi/v0.4.0-alpha1"
# Texts of several lines stand deeper than this field of `snapshotConfig`, which v0.4.0 has no more.
_WHILE_PAUSED: Final = re.compile(rb"^  onPause: ", re.MULTILINE)


def generation_of(target: str) -> Generation:
    """The generation of a target; a root whose target is refused is looked at as one of the first."""
    if target == _RELEASED:
        from kagent_render.target import ateapi_v0_4

        return ateapi_v0_4
    if target == _ALPHA:
        from kagent_render.target import ateapi_v0_4_alpha1

        return ateapi_v0_4_alpha1
    from kagent_render.target import ate_v1alpha1

    return ate_v1alpha1


def target_of(manifest: bytes) -> str:
    """The target that a manifest was written for, by its bytes as this program writes them."""
    if is_object(manifest):
        return _OBJECT
    return _ALPHA if _WHILE_PAUSED.search(manifest) else _RELEASED


def newest_target(manifests: Iterable[bytes]) -> str:
    """The target of manifests as they are; of several, the newest, and without any the first there was."""
    found = {target_of(manifest) for manifest in manifests}
    return next((target for target in (_RELEASED, _ALPHA) if target in found), _OBJECT)


def is_object(content: bytes) -> bool:
    """Whether a manifest as this program writes it is a Kubernetes object; others begin without a version."""
    return content.startswith(b"apiVersion: ")


def generation_of_manifest(value: Mapping[str, Any]) -> Generation:
    """The generation that would have written a manifest: only custom resources name their version."""
    if "apiVersion" in value:
        return generation_of(_OBJECT)
    snapshots = value.get("snapshotConfig")
    return generation_of(_ALPHA if isinstance(snapshots, dict) and "onPause" in snapshots else _RELEASED)
