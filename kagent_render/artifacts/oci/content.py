"""What the layers of an image or artifact stand for: archives to unpack, or files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.archive.compression import Compression
from kagent_render.artifacts.archive.layers import FileLayer, Layer
from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.oci.failure import unusable
from kagent_render.artifacts.oci.media_type import EMPTY, IMAGE_LAYER, tar_compression

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kagent_render.artifacts.oci.descriptor import Descriptor

TITLE: Final = "org.opencontainers.image.title"
UNPACK: Final = "io.deis.oras.content.unpack"


def check_layers(layers: Sequence[Descriptor]) -> None:
    """Raise OciFault where a layer is of no use here, or two are one file, before any is downloaded."""
    files: dict[str, str] = {}
    for layer in layers:
        check_layer(layer)
        title = layer.annotations.get(TITLE)
        if title is None or _is_directory(layer):
            continue
        if files.setdefault(title, layer.digest) != layer.digest:
            raise unusable(
                f"two of its layers have the title `{printable(title)}` and other content",
                "publish each file under a title of its own",
            )


def check_layer(layer: Descriptor) -> None:
    """Raise OciFault where a layer is of no use here."""
    media_type = layer.media_type or ""
    if layer.urls:
        raise unusable(
            f"its layer `{layer.digest}` is to be downloaded from elsewhere (`urls`)",
            "publish it again with all of its layers in the registry",
        )
    if media_type != EMPTY and TITLE not in layer.annotations and tar_compression(media_type) is None:
        raise unusable(
            f"a layer of the media type `{printable(media_type)}` is no tar archive and has no title",
            f"publish it as an image, as a tar archive, or as files with the annotation `{TITLE}`",
        )


def as_layer(layer: Descriptor, data: bytes) -> Layer | FileLayer | None:
    """What a checked layer adds to the content, None where that is nothing."""
    title = layer.annotations.get(TITLE)
    media_type = layer.media_type or ""
    if title is None and media_type == EMPTY:
        return None
    if title is None or _is_directory(layer):
        return Layer(data, tar_compression(media_type) or Compression.GZIP)
    return FileLayer(title, data)


def _is_directory(layer: Descriptor) -> bool:
    """Whether a layer with a title is a packed directory: the oras tools have two ways to say so.

    The command line annotates it; the Python client gives it the media type of an image's layer.
    """
    return layer.annotations.get(UNPACK) == "true" or layer.media_type == IMAGE_LAYER
