"""Which module is the generation of a target, or of a manifest; each is loaded when it is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.target.generation import Generation


def generation_of(target: str) -> Generation:
    """The generation of a target; a root whose target is refused is looked at as one of the first."""
    match target:
        case "ateapi/v0.4":
            from kagent_render.target import ateapi_v0_4

            return ateapi_v0_4
        case "ateapi/v0.4.0-alpha1":
            from kagent_render.target import ateapi_v0_4_alpha1

            return ateapi_v0_4_alpha1
        case _:
            from kagent_render.target import ate_v1alpha1

            return ate_v1alpha1


def is_object(content: bytes) -> bool:
    """Whether a manifest as this program writes it is a Kubernetes object; others begin without a version."""
    return content.startswith(b"apiVersion: ")


def generation_of_manifest(value: Mapping[str, Any]) -> Generation:
    """The generation that would have written a manifest: only custom resources name their version."""
    return generation_of("ate.dev/v1alpha1" if "apiVersion" in value else "ateapi/v0.4")
