"""What a layer stands for is decided by its media type and annotations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from kagent_render.artifacts.archive.compression import Compression
from kagent_render.artifacts.archive.layers import FileLayer, Layer
from kagent_render.artifacts.oci.content import TITLE, UNPACK, as_layer, check_layer, check_layers
from kagent_render.artifacts.oci.descriptor import Descriptor
from kagent_render.artifacts.oci.failure import OciFault

DIGEST = f"sha256:{'a' * 64}"
OCI, DOCKER = "application/vnd.oci.image.layer.v1", "application/vnd.docker.image.rootfs.diff"


def layer(media_type: str, title: str | None = None, **members: Any) -> Descriptor:
    annotations = {TITLE: title} if title is not None else {}
    return Descriptor(DIGEST, 4, media_type, annotations | members.pop("annotations", {}), **members)


ROLES: dict[str, tuple[Descriptor, Layer | FileLayer | None]] = {
    "oci": (layer(f"{OCI}.tar"), Layer(b"data", Compression.NONE)),
    "oci-gzip": (layer(f"{OCI}.tar+gzip"), Layer(b"data", Compression.GZIP)),
    "oci-zstd": (layer(f"{OCI}.tar+zstd"), Layer(b"data", Compression.ZSTD)),
    "docker": (layer(f"{DOCKER}.tar"), Layer(b"data", Compression.NONE)),
    "docker-gzip": (layer(f"{DOCKER}.tar.gzip"), Layer(b"data", Compression.GZIP)),
    "docker-zstd": (layer(f"{DOCKER}.tar.zstd"), Layer(b"data", Compression.ZSTD)),
    "flux": (layer("application/vnd.cncf.flux.content.v1.tar+gzip"), Layer(b"data", Compression.GZIP)),
    "plain-tar": (layer("application/x-tar"), Layer(b"data", Compression.NONE)),
    "file": (layer("text/markdown", "SKILL.md"), FileLayer("SKILL.md", b"data")),
    "file-of-oras": (layer(f"{OCI}.tar", "SKILL.md"), FileLayer("SKILL.md", b"data")),
    "file-below": (layer("text/markdown", "a/SKILL.md"), FileLayer("a/SKILL.md", b"data")),
    "archive-as-file": (layer("application/gzip", "a.tgz"), FileLayer("a.tgz", b"data")),
    "directory-of-the-command": (
        layer("application/x", "skills", annotations={UNPACK: "true"}), Layer(b"data", Compression.GZIP)
    ),
    "directory-in-zstd": (
        layer(f"{OCI}.tar+zstd", "skills", annotations={UNPACK: "true"}), Layer(b"data", Compression.ZSTD)
    ),
    "not-to-unpack": (
        layer("application/x", "skills", annotations={UNPACK: "false"}), FileLayer("skills", b"data")
    ),
    "directory-of-the-client": (layer(f"{OCI}.tar+gzip", "skills"), Layer(b"data", Compression.GZIP)),
    "empty": (layer("application/vnd.oci.empty.v1+json"), None),
}  # fmt: skip


@pytest.mark.parametrize(("descriptor", "expected"), ROLES.values(), ids=ROLES.keys())
def test_a_layer_is_an_archive_or_a_file(descriptor: Descriptor, expected: object) -> None:
    check_layer(descriptor)
    assert as_layer(descriptor, b"data") == expected


@pytest.mark.parametrize(
    ("descriptor", "text"),
    [
        (
            layer("application/vnd.cncf.helm"),
            "of the media type `application/vnd.cncf.helm` is no tar",
        ),
        (layer("application/x-guitar"), "is no tar"),
        (layer(f"{OCI}.tar+xz"), r"`application/vnd.oci.image.layer.v1.tar\+xz` is no tar"),
        (layer(f"{OCI}.tar+encrypted"), "is no tar"),
        (layer("application/json"), "is no tar"),
        (layer(f"{DOCKER}.tar.gzip", urls=True), "downloaded from elsewhere"),
        (layer("text/markdown", "SKILL.md", urls=True), "downloaded from elsewhere"),
    ],
)
def test_any_other_layer_is_refused_by_name(descriptor: Descriptor, text: str) -> None:
    with pytest.raises(OciFault, match=text):
        check_layer(descriptor)


def test_two_files_of_one_title_are_refused_unless_they_are_the_same() -> None:
    """Tools pull files in no order that is fixed."""
    one, other = layer("text/markdown", "SKILL.md"), layer("text/markdown", "SKILL.md")
    check_layers([one, one, layer("text/markdown", "other.md")])
    with pytest.raises(OciFault, match="two of its layers have the title"):
        check_layers([one, replace(other, digest=f"sha256:{'9' * 64}")])
