"""Fetching OCI artifacts by digest: the reference's document, the platform's image, its layers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kagent_render.api.hub import OciSource, Origin
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.oci.choice import choose
from kagent_render.artifacts.oci.descriptor import Descriptor
from kagent_render.artifacts.oci.endpoint import endpoints_of
from kagent_render.artifacts.oci.failure import OciFault, too_large, unusable
from kagent_render.artifacts.oci.image_digest import resolve_digest
from kagent_render.artifacts.oci.keychain import Keychain
from kagent_render.artifacts.oci.manifest import Manifest, read_document
from kagent_render.artifacts.oci.platform import parse_platform
from kagent_render.artifacts.oci.reference import parse_image, parse_reference
from kagent_render.artifacts.oci.registry import DOCUMENT_BYTES, Registry
from kagent_render.artifacts.source_identity import origin_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kagent_render.artifacts.archive.layers import FileLayer, Layer
    from kagent_render.artifacts.archive.limits import Limits
    from kagent_render.artifacts.oci.reference import Reference, TaggedReference
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.port import FetchContext

_NESTED: Final = 3


@dataclass(frozen=True, slots=True)
class OciSettings:
    """RenderConfig's `artifacts.oci`: the platform of images, mirrors by registry, hosts without TLS."""

    platform: str = "linux/amd64"
    mirrors: Mapping[str, str] = field(default_factory=dict)
    insecure: tuple[str, ...] = ()


class OciFetcher:
    """Fetches OCI images and artifacts by digest; logins are looked up when a registry asks for one."""

    reads_paths = False

    def __init__(self, settings: OciSettings | None = None, keychain: Keychain | None = None) -> None:
        self._settings = settings or OciSettings()
        self._keychain = keychain or Keychain()

    def settings(self, origin: Origin) -> dict[str, str]:
        """The platform, which decides on what an index leads to."""
        assert isinstance(origin, OciSource)
        return {"platform": self._settings.platform}

    def fetch(self, origin: Origin, paths: Sequence[str], context: FetchContext) -> Package:  # noqa: ARG002
        """The files of the image or artifact that `origin` names; raises ArtifactFailure."""
        from kagent_render.artifacts.archive.layers import read_layers

        assert isinstance(origin, OciSource)
        try:
            return read_layers(self._layers(origin, context), context.limits)
        except OciFault as fault:
            raise fault.of(origin) from None
        except ArchiveRefused as refused:
            raise refused.of(origin_text(origin)) from None

    def digest(self, reference: str, context: FetchContext) -> str:
        """The digest of the manifest or index that an image's reference names now; raises OciFault."""
        image = parse_image(reference)
        return resolve_digest(image, self._registry(image, context))

    def _layers(self, origin: OciSource, context: FetchContext) -> list[Layer | FileLayer]:
        reference = parse_reference(origin.reference)
        registry = self._registry(reference, context)
        manifest = self._manifest(registry, Descriptor(reference.digest))
        return _download(registry, manifest, context.limits)

    def _registry(self, reference: Reference | TaggedReference, context: FetchContext) -> Registry:
        endpoints = endpoints_of(reference, self._settings.mirrors, self._settings.insecure)
        return Registry(endpoints, self._keychain, context)

    def _manifest(self, registry: Registry, descriptor: Descriptor) -> Manifest:
        """The manifest for the platform, through as many indexes as anybody nests."""
        for _ in range(_NESTED):
            if (descriptor.size or 0) > DOCUMENT_BYTES:
                raise too_large("its manifest is larger than 4 MiB")
            received = registry.document(descriptor)
            document = read_document(received.data, descriptor.media_type, received.media_type)
            if isinstance(document, Manifest):
                return document
            descriptor = choose(document.manifests, parse_platform(self._settings.platform))
        raise unusable(f"its indexes lead to indexes more than {_NESTED - 1} times")


def _download(registry: Registry, manifest: Manifest, limits: Limits) -> list[Layer | FileLayer]:
    """The layers in order, one after another: artifacts are fetched beside each other already."""
    from kagent_render.artifacts.oci.content import as_layer, check_layers

    if (manifest.config.size or 0) > DOCUMENT_BYTES:
        raise too_large("its configuration is larger than 4 MiB")
    check_layers(manifest.layers)
    wanted = {(layer.digest, layer.size): layer for layer in manifest.layers}
    if sum(layer.size or 0 for layer in wanted.values()) > limits.archive:
        raise ArchiveRefused(Refusal.ARCHIVE_TOO_LARGE, whole="the artifact")
    registry.blob(manifest.config)
    blobs = {key: registry.blob(layer) for key, layer in wanted.items()}
    found = (as_layer(layer, blobs[layer.digest, layer.size]) for layer in manifest.layers)
    return [layer for layer in found if layer is not None]
