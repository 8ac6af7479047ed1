"""Descriptors: how OCI documents refer to content, by digest, size and media type."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final

from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.oci.failure import OciFault, unusable
from kagent_render.artifacts.oci.platform import Platform, read_platform
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Mapping

_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128}")
_MEDIA_TYPE: Final = re.compile(r"[A-Za-z0-9][\w!#$&^.+-]{0,126}/[A-Za-z0-9][\w!#$&^.+-]{0,126}", re.ASCII)
_LARGEST: Final = 1 << 53


@dataclass(frozen=True, slots=True)
class Descriptor:
    """Content by digest; `size` and `media_type` are None for the root, which a reference pins alone.

    `urls`: the content is meant to be had from elsewhere.
    """

    digest: str
    size: int | None = None
    media_type: str | None = None
    annotations: Mapping[str, str] = field(default_factory=dict)
    platform: Platform | None = None
    urls: bool = False

    kind: ClassVar[str] = "digest"

    @property
    def name(self) -> str:
        """How a registry is asked for it."""
        return self.digest

    @property
    def title(self) -> str:
        """What a registry is asked for, in a sentence."""
        return f"`{self.digest}`"

    @property
    def noun(self) -> str:
        """The content in a sentence."""
        return f"`{self.digest}`" if self.size is None else f"`{self.digest}` of {self.size:,} bytes"

    def check(self, data: bytes, host: str) -> None:
        """Raise OciFault where `data`, which came from `host`, is not the content."""
        algorithm = self.digest.partition(":")[0]
        digest = f"{algorithm}:{hashlib.new(algorithm, data).hexdigest()}"
        if digest != self.digest or self.size not in {None, len(data)}:
            raise self.mismatch(f"`{digest}` of {len(data):,} bytes", host)

    def mismatch(self, got: str, host: str) -> OciFault:
        """The fault of content that is something else."""
        return OciFault(
            Reason.ARTIFACT_DIGEST_MISMATCH,
            f"expected {self.noun}, got {got} from `{host}`",
            f"either what `{host}` serves was tampered with: tell who runs it; or the pin is wrong: "
            "compare it with the digest that the publisher states",
        )


def read_descriptor(value: object, place: str) -> Descriptor:
    """The descriptor at `place` of a document; raises OciFault."""
    if not isinstance(value, dict):
        raise unusable(f"its `{place}` is not a descriptor")
    return Descriptor(
        _digest(value, place),
        _size(value, place),
        _media_type(value, place),
        _annotations(value, place),
        read_platform(value.get("platform"), place),
        bool(value.get("urls")),
    )


def _digest(value: Mapping[str, Any], place: str) -> str:
    digest = value.get("digest")
    if not isinstance(digest, str) or not _DIGEST.fullmatch(digest):
        raise unusable(f"its `{place}.digest` is neither a sha256 nor a sha512 digest")
    return digest


def _size(value: Mapping[str, Any], place: str) -> int:
    size = value.get("size")
    if type(size) is not int or not 0 <= size < _LARGEST:
        raise unusable(f"its `{place}.size` is not a number of bytes")
    return size


def _media_type(value: Mapping[str, Any], place: str) -> str:
    media_type = value.get("mediaType")
    if not isinstance(media_type, str) or not _MEDIA_TYPE.fullmatch(media_type):
        raise unusable(f"its `{place}.mediaType` is not a media type")
    return media_type


def _annotations(value: Mapping[str, Any], place: str) -> Mapping[str, str]:
    annotations = value.get("annotations")
    if annotations is None:
        return {}
    if not isinstance(annotations, dict) or not all(isinstance(text, str) for text in annotations.values()):
        raise unusable(f"its `{printable(place)}.annotations` are not an object of texts")
    return annotations
