"""The documents that descriptors lead to: one image, or an index of images."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kagent_render.artifacts.failure import printable
from kagent_render.artifacts.oci.descriptor import Descriptor, read_descriptor
from kagent_render.artifacts.oci.failure import not_fetched, unusable
from kagent_render.artifacts.oci.media_type import MANIFESTS, Shape
from kagent_render.artifacts.strict_json import JsonInvalid, read_json

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_DESCRIPTORS: Final = 1000
_NOT_SUPPORTED: Final = "only OCI image manifests and indexes and Docker's schema 2 are read"


@dataclass(frozen=True, slots=True)
class Manifest:
    """One image or artifact: a configuration, and layers in the order in which they are applied."""

    config: Descriptor
    layers: tuple[Descriptor, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """Images by platform."""

    manifests: tuple[Descriptor, ...]


def read_document(data: bytes, promised: str | None, announced: str | None) -> Manifest | Index:
    """What `data` holds, which its digest has vouched for; raises OciFault.

    Its own words decide on what it is. They have to agree with the media type that a descriptor `promised`
    and, where that is one of a manifest, with what the server `announced`: two readers that believed
    different ones would read different things (CVE-2021-41190).
    """
    members = _members(data)
    shape = _shape(members)
    if promised is not None and not _agrees(members, shape, promised):
        raise unusable(f"its index calls `{printable(promised)}` what is {_called(members, shape)}")
    announced = (announced or "").partition(";")[0].strip().lower()
    if announced in MANIFESTS and not _agrees(members, shape, announced):
        raise not_fetched(
            f"the registry calls `{announced}` what is {_called(members, shape)}",
            "check the registry: what it answers does not agree with itself",
            refused=True,
        )
    if shape is Shape.INDEX:
        return Index(_descriptors(members, "manifests"))
    return Manifest(read_descriptor(members.get("config"), "config"), _descriptors(members, "layers"))


def _members(data: bytes) -> Mapping[str, Any]:
    try:
        members = read_json(data)
    except JsonInvalid as invalid:
        raise unusable(f"its manifest {invalid}") from None
    if not isinstance(members, dict):
        raise unusable("its manifest is not a JSON object")
    if members.get("schemaVersion") == 1:
        raise unusable(f"its manifest is of Docker's schema 1; {_NOT_SUPPORTED}")
    if type(members.get("schemaVersion")) is not int or members["schemaVersion"] != 2:
        raise unusable(f"its manifest has no `schemaVersion` 2; {_NOT_SUPPORTED}")
    return members


def _shape(members: Mapping[str, Any]) -> Shape:
    """What the members say, and `mediaType` where it is there; raises OciFault where they disagree."""
    media_type = members.get("mediaType")
    if media_type is not None and not (isinstance(media_type, str) and media_type in MANIFESTS):
        raise unusable(f"its manifest is of the type `{printable(str(media_type))}`; {_NOT_SUPPORTED}")
    has_manifests, has_layers = "manifests" in members, "layers" in members or "config" in members
    if has_manifests == has_layers:
        raise unusable(
            "its manifest is not clearly one image or an index: it has the members of both or none"
        )
    shape = Shape.INDEX if has_manifests else Shape.MANIFEST
    if media_type is not None and MANIFESTS[media_type] is not shape:
        raise unusable(f"its manifest calls itself `{media_type}` and is {shape.value}")
    return shape


def _agrees(members: Mapping[str, Any], shape: Shape, media_type: str) -> bool:
    own = members.get("mediaType")
    return MANIFESTS.get(media_type) is shape if own is None else own == media_type


def _called(members: Mapping[str, Any], shape: Shape) -> str:
    own = members.get("mediaType")
    return shape.value if own is None else f"`{own}`"


def _descriptors(members: Mapping[str, Any], place: str) -> tuple[Descriptor, ...]:
    values = members.get(place)
    if not isinstance(values, list):
        raise unusable(f"its manifest has `{place}` that are not a list")
    if len(values) > _MOST_DESCRIPTORS:
        raise unusable(f"its manifest has more than {_MOST_DESCRIPTORS:,} `{place}`")
    return tuple(read_descriptor(value, f"{place}[{number}]") for number, value in enumerate(values))
