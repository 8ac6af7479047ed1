"""Whether a cluster mounts OCI image volumes: on by default from Kubernetes 1.35."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kagent_render.agentplugin.compiled import ImageVolumes
from kagent_render.api.kubeagents import IMAGE_VOLUMES_ANNOTATION

if TYPE_CHECKING:
    from kagent_render.api.kubeagents import PlatformAgent

ANNOTATION: Final = "annotation"
KUBE_VERSION: Final = "kubeVersion"
DEFAULT: Final = "default"

_FIRST: Final = (1, 35)
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,18}")


def agent_image_volumes(agent: PlatformAgent, kube_version: str | None) -> ImageVolumes:
    """Whether the agent's pod may have image volumes; unsupported where nothing says so."""
    major, minor = split_version(kube_version or "")
    return decide(agent.annotations.get(IMAGE_VOLUMES_ANNOTATION), major, minor)


def decide(annotation: str | None, major: str, minor: str) -> ImageVolumes:
    """What the annotation says, else what the API server's major and minor version do.

    A version that is no number decides nothing: a volume that the cluster does not know would make it
    refuse the whole workload.
    """
    if annotation is not None:
        return ImageVolumes(annotation.strip().lower() == "true", ANNOTATION)
    first, second = _number(major.rstrip("+")), _number(minor.rstrip("+").partition(".")[0])
    if first is None or second is None:
        return ImageVolumes(supported=False, decided_by=DEFAULT)
    return ImageVolumes((first, second) >= _FIRST, KUBE_VERSION)


def split_version(text: str) -> tuple[str, str]:
    """Major and minor of a version such as `v1.35.1-gke.100`; the minor with all that follows it."""
    major, _, minor = text.removeprefix("v").partition(".")
    return major, minor


def _number(text: str) -> int | None:
    """A decimal number as Go's `strconv.Atoi` reads one."""
    return int(text) if _NUMBER.fullmatch(text) else None
