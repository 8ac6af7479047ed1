"""The media types of the OCI image specification and of Docker's schema 2, and what they stand for."""

from __future__ import annotations

import re
from enum import Enum
from typing import Final

from kagent_render.artifacts.archive.compression import Compression

EMPTY: Final = "application/vnd.oci.empty.v1+json"
"""What stands where an artifact has no configuration or no content."""

IMAGE_LAYER: Final = "application/vnd.oci.image.layer.v1.tar+gzip"

_TAR: Final = re.compile(r"(?:.*[./+_-])?tar(?:[.+](gzip|gz|zstd))?")
_COMPRESSIONS: Final = {
    None: Compression.NONE,
    "gzip": Compression.GZIP,
    "gz": Compression.GZIP,
    "zstd": Compression.ZSTD,
}


class Shape(Enum):
    """What a document of a registry is: one image, or a choice of images by platform."""

    MANIFEST = "an image manifest"
    INDEX = "an index"


MANIFESTS: Final = {
    "application/vnd.oci.image.manifest.v1+json": Shape.MANIFEST,
    "application/vnd.oci.image.index.v1+json": Shape.INDEX,
    "application/vnd.docker.distribution.manifest.v2+json": Shape.MANIFEST,
    "application/vnd.docker.distribution.manifest.list.v2+json": Shape.INDEX,
}
"""The documents that are read; all others, Docker's schema 1 among them, are refused."""


def tar_compression(media_type: str) -> Compression | None:
    """How a tar layer of this media type is compressed; None where it is no tar layer."""
    found = _TAR.fullmatch(media_type)
    return _COMPRESSIONS[found[1]] if found else None
