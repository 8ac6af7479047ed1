"""RenderConfig: the values of `kagent-render.yaml`, with the defaults written out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kagent_render.source.globs import DEFAULT_SOURCES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_render.source.document import Document

CONFIG_FILE: Final = "kagent-render.yaml"
"""The file that marks a root."""

CONFIG_API_VERSION: Final = "render.kagent.dev/v1alpha1"
CONFIG_KIND: Final = "RenderConfig"

TARGETS: Final = ("ate.dev/v1alpha1", "ateapi/v0.4", "ateapi/v0.4.0-alpha1")
"""The Substrate generations, and their releases that differ, that a target may name."""


@dataclass(frozen=True, slots=True)
class Controller:
    """The Service of the kagent controller that runtimes call."""

    name: str = "kagent-controller"
    namespace: str = "kagent"


@dataclass(frozen=True, slots=True)
class Substrate:
    """What Harnesses leave to the root; none has a default."""

    worker_pool: str | None = None
    snapshot_location: str | None = None
    pause_image: str | None = None


@dataclass(frozen=True, slots=True)
class S3Access:
    """Where S3 objects are when their source names no endpoint or region."""

    endpoint: str | None = None
    region: str | None = None


@dataclass(frozen=True, slots=True)
class OCIAccess:
    """Which platform of an image is taken, registries that others stand in for, and those without TLS."""

    platform: str = "linux/amd64"
    mirrors: Mapping[str, str] = field(default_factory=dict)
    insecure: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Retention:
    """How many prepared revisions stay, the current one counted, and whether pruning spares them."""

    revisions: int = 3
    protect: bool = True


@dataclass(frozen=True, slots=True)
class RenderConfig:
    """One root's configuration; None where a field without a default is absent."""

    document: Document
    target: str | None = None
    sources: tuple[str, ...] = DEFAULT_SOURCES
    output: str = "rendered"
    controller: Controller = Controller()
    tools_url: str = "https://kagent-apply.kagent:8085"
    substrate: Substrate = Substrate()
    images: Mapping[str, str] = field(default_factory=dict)
    s3: S3Access = S3Access()
    oci: OCIAccess = field(default_factory=OCIAccess)
    retention: Retention = Retention()
    kube_version: str | None = None
    capabilities: tuple[str, ...] = ()
