"""Documents say what they are in one way, or are refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kagent_render.artifacts.oci.failure import OciFault
from kagent_render.artifacts.oci.manifest import Index, Manifest, read_document
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.oci.documents import DOCKER_LIST, DOCKER_MANIFEST, INDEX, MANIFEST, TAR

DIGEST = f"sha256:{'a' * 64}"
LAYER: dict[str, Any] = {"mediaType": TAR, "digest": DIGEST, "size": 3}
IMAGE: dict[str, Any] = {"schemaVersion": 2, "mediaType": MANIFEST, "config": LAYER, "layers": [LAYER]}
LIST: dict[str, Any] = {"schemaVersion": 2, "mediaType": INDEX, "manifests": [LAYER]}


def without(members: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in members.items() if name not in names}


@pytest.mark.parametrize(
    ("members", "promised", "announced", "kind"),
    [
        (IMAGE, None, MANIFEST, Manifest),
        (IMAGE, MANIFEST, None, Manifest),
        (IMAGE, None, "application/json", Manifest),
        (IMAGE, None, f"{MANIFEST}; charset=utf-8", Manifest),
        (without(IMAGE, "mediaType"), MANIFEST, MANIFEST, Manifest),
        (without(IMAGE, "mediaType"), None, None, Manifest),
        (IMAGE | {"mediaType": DOCKER_MANIFEST}, None, DOCKER_MANIFEST, Manifest),
        (LIST, None, INDEX, Index),
        (LIST | {"mediaType": DOCKER_LIST}, DOCKER_LIST, None, Index),
        (without(LIST, "mediaType"), INDEX, INDEX, Index),
        (LIST | {"subject": LAYER, "artifactType": "a/b"}, None, INDEX, Index),
    ],
)
def test_a_document_is_what_itself_and_all_others_say(
    members: dict[str, Any], promised: str | None, announced: str | None, kind: type
) -> None:
    assert isinstance(read_document(json.dumps(members).encode(), promised, announced), kind)


UNUSABLE: dict[str, tuple[object, str]] = {
    "schema-1": ({"schemaVersion": 1, "fsLayers": []}, "is of Docker's schema 1"),
    "no-schema": (without(IMAGE, "schemaVersion"), "has no `schemaVersion` 2"),
    "schema-as-text": (IMAGE | {"schemaVersion": "2"}, "has no `schemaVersion` 2"),
    "schema-as-truth": (IMAGE | {"schemaVersion": True}, "schema"),
    "artifact-manifest": (
        IMAGE | {"mediaType": "application/vnd.oci.artifact.manifest.v1+json"}, "of the type `application/"
    ),
    "type-is-no-text": (IMAGE | {"mediaType": [1]}, r"of the type `\[1\]`"),
    "index-as-image": (LIST | {"mediaType": MANIFEST}, "and is an index"),
    "image-as-index": (IMAGE | {"mediaType": INDEX}, "and is an image manifest"),
    "both": (IMAGE | LIST, "the members of both or none"),
    "none": ({"schemaVersion": 2}, "the members of both or none"),
    "no-config": (without(IMAGE, "config"), "`config` is not a descriptor"),
    "no-layers": (without(IMAGE, "layers"), "`layers` that are not a list"),
    "layers-no-list": (IMAGE | {"layers": {}}, "`layers` that are not a list"),
    "layer-no-object": (IMAGE | {"layers": [1]}, r"`layers\[0\]` is not a descriptor"),
    "too-many": (IMAGE | {"layers": [LAYER] * 1001}, "more than 1,000 `layers`"),
    "manifests-no-list": (LIST | {"manifests": None}, "`manifests` that are not a list"),
    "md5": (IMAGE | {"layers": [LAYER | {"digest": "md5:" + "a" * 32}]}, "neither a sha256 nor a sha512"),
    "short-digest": (IMAGE | {"layers": [LAYER | {"digest": "sha256:aa"}]}, "neither a sha256 nor a sha512"),
    "digest-with-path": (
        IMAGE | {"layers": [LAYER | {"digest": f"{DIGEST}/../x"}]}, "neither a sha256 nor a sha512"
    ),
    "no-size": (IMAGE | {"layers": [without(LAYER, "size")]}, "not a number of bytes"),
    "size-as-truth": (IMAGE | {"layers": [LAYER | {"size": True}]}, "not a number of bytes"),
    "negative": (IMAGE | {"layers": [LAYER | {"size": -1}]}, "not a number of bytes"),
    "fraction": (IMAGE | {"layers": [LAYER | {"size": 1.5}]}, "not a number of bytes"),
    "enormous": (IMAGE | {"layers": [LAYER | {"size": 1 << 60}]}, "not a number of bytes"),
    "no-type": (IMAGE | {"layers": [without(LAYER, "mediaType")]}, "not a media type"),
    "type-with-newline": (IMAGE | {"layers": [LAYER | {"mediaType": "a/b\n"}]}, "not a media type"),
    "annotations": (IMAGE | {"layers": [LAYER | {"annotations": {"a": 1}}]}, "not an object of texts"),
    "annotations-list": (IMAGE | {"layers": [LAYER | {"annotations": ["a"]}]}, "not an object of texts"),
    "platform": (LIST | {"manifests": [LAYER | {"platform": "linux"}]}, "platform` is not an object"),
    "platform-half": (LIST | {"manifests": [LAYER | {"platform": {"os": "linux"}}]}, "has no `os` and"),
    "not-an-object": ([IMAGE], "is not a JSON object"),
}  # fmt: skip


@pytest.mark.parametrize(("members", "text"), UNUSABLE.values(), ids=UNUSABLE.keys())
def test_a_malformed_document_is_refused_by_name(members: object, text: str) -> None:
    with pytest.raises(OciFault, match=text) as fault:
        read_document(json.dumps(members).encode(), None, None)
    assert fault.value.reason is Reason.ARTIFACT_UNSAFE


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "is not JSON"),
        (b"{", "is not JSON"),
        (b"\xff\xfe{}", "is not JSON"),
        (b"\xef\xbb\xbf{}", "is not JSON"),
        (b'{"schemaVersion": NaN}', "is not JSON"),
        (b'{"schemaVersion": ' + b"9" * 5000 + b"}", "is not JSON"),
        (b'{"a": "\\ud800"}', "is not JSON"),
        (b'{"layers": [], "layers": [1]}', "the same member twice"),
        (b'{"a": ' * 101 + b"1" + b"}" * 101, "more than 100 deep"),
        (b"[" * (4 << 20), "is not JSON"),
        (b'{"a": ' + b"[" * 150 + b"]" * 150 + b"}", "more than 100 deep"),
    ],
    ids=["none", "open", "utf-16", "bom", "nan", "digits", "surrogate", "twice", "objects", "bomb", "lists"],
)
def test_json_that_is_ambiguous_or_hostile_is_refused(data: bytes, text: str) -> None:
    with pytest.raises(OciFault, match=text):
        read_document(data, None, None)


@pytest.mark.parametrize(
    ("members", "promised", "text"),
    [
        (IMAGE, INDEX, "calls `.*index.*` what is `.*manifest"),
        (IMAGE, DOCKER_MANIFEST, "calls `.*docker.*` what is `.*oci"),
        (without(IMAGE, "mediaType"), INDEX, "what is an image manifest"),
        (without(LIST, "mediaType"), MANIFEST, "what is an index"),
        (IMAGE, TAR, "calls `.*tar` what is"),
    ],
)
def test_a_descriptor_that_disagrees_is_refused(members: dict[str, Any], promised: str, text: str) -> None:
    data = json.dumps(members).encode()
    with pytest.raises(OciFault, match=text) as fault:
        read_document(data, promised, None)
    assert fault.value.reason is Reason.ARTIFACT_UNSAFE
    if promised != TAR:
        with pytest.raises(OciFault, match="the registry calls") as lie:
            read_document(data, None, promised)
        assert lie.value.reason is Reason.ARTIFACT_FETCH_FAILED
