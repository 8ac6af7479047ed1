"""What a registry answers is taken when it is what was asked for, and told when it is not."""

from __future__ import annotations

import json

import pytest

from kagent_render.api.hub import OciSource
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.oci.fetcher import OciFetcher, OciSettings
from kagent_render.artifacts.port import FetchContext
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.archive.archives import ordinary_tar
from tests.artifacts.oci.documents import (
    DOCKER_LIST,
    DOCKER_MANIFEST,
    EMPTY,
    INDEX,
    MANIFEST,
    QUICK,
    REPOSITORY,
    Json,
    Library,
    digest_of,
    failure_of,
    fetch,
    origin_at,
    paths,
    registry,
    simple,
)  # fmt: skip
from tests.servers import Request

FAILED, MISMATCH, NOT_FOUND = (
    Reason.ARTIFACT_FETCH_FAILED,
    Reason.ARTIFACT_DIGEST_MISMATCH,
    Reason.ARTIFACT_NOT_FOUND,
)
LAYER = ordinary_tar({"SKILL.md": b"text"}, "w")


def test_an_image_is_had_by_a_request_for_each_document_and_blob() -> None:
    library = Library()
    layer = library.blob(LAYER)
    other = library.blob(ordinary_tar({"plugin.json": b"{}"}, "w"))
    image = library.image(layer, other, layer)
    counted: list[int] = []
    with registry(library.answer) as server:
        package = fetch(
            origin_at(server, image), server, context=FetchContext(bounds=QUICK, received=counted.append)
        )
        assert set(package.files) == {"SKILL.md", "plugin.json"}
        assert paths(server.requests) == [
            image["digest"], digest_of(b'{"os":"linux"}'), layer["digest"], other["digest"]
        ]  # fmt: skip
        assert f"/v2/{REPOSITORY}/manifests/" in server.requests[0].path
        assert MANIFEST in server.requests[0].headers["Accept"]
        assert {request.headers["Accept-Encoding"] for request in server.requests} == {"identity"}
        assert all("Authorization" not in request.headers for request in server.requests)
    assert sum(counted) == sum(len(data) for data, _ in library.contents.values())


def test_the_platform_belongs_to_what_decides_on_the_content() -> None:
    fetcher = OciFetcher(OciSettings(platform="linux/arm64"))
    assert fetcher.settings(OciSource("a@sha256:b")) == {"platform": "linux/arm64"}


@pytest.mark.parametrize("media_type", [INDEX, DOCKER_LIST])
def test_an_index_leads_to_the_image_of_the_platform(media_type: str) -> None:
    library = Library()
    images = {
        name: library.image(library.blob(ordinary_tar({name: b""}, "w")), media_type=DOCKER_MANIFEST)
        for name in ("amd64", "arm64")
    }
    attestation = library.image(library.blob(LAYER)) | {
        "platform": {"os": "unknown", "architecture": "unknown"}
    }
    index = library.index(
        attestation,
        *(image | {"platform": {"os": "linux", "architecture": name}} for name, image in images.items()),
        media_type=media_type,
    )
    with registry(library.answer) as server:
        assert list(fetch(origin_at(server, index), server).files) == ["amd64"]
        assert list(fetch(origin_at(server, index), server, platform="linux/arm64").files) == ["arm64"]
        failure = failure_of(origin_at(server, index), server, platform="linux/s390x")
    assert failure.reason is NOT_FOUND
    assert "its platforms are `linux/amd64`, `linux/arm64`" in failure.message


def nested(library: Library, levels: int) -> Json:
    found = library.image(library.blob(LAYER))
    for _ in range(levels):
        found = library.index(found)
    return found


def test_indexes_in_indexes_are_followed_to_a_bound() -> None:
    library = Library()
    with registry(library.answer) as server:
        assert fetch(origin_at(server, nested(library, 2)), server).files
        assert "indexes lead to indexes" in failure_of(origin_at(server, nested(library, 3)), server).message


def test_what_everybody_knows_is_not_asked_for() -> None:
    library = Library()
    empty = {"mediaType": EMPTY, "digest": digest_of(b"{}"), "size": 2}
    nothing = {"mediaType": "text/plain", "digest": digest_of(b""), "size": 0}
    title = {"annotations": {"org.opencontainers.image.title": "empty.txt"}}
    image = library.document({"schemaVersion": 2, "config": empty, "layers": [empty, nothing | title]})
    with registry(library.answer) as server:
        assert fetch(origin_at(server, image), server).files["empty.txt"].data == b""
        assert len(server.requests) == 1
        library.blob(b"{}")
        wrong = library.document({"schemaVersion": 2, "config": empty | {"size": 3}, "layers": []})
        assert failure_of(origin_at(server, wrong), server).reason is MISMATCH


def test_sha512_is_a_digest_as_well() -> None:
    library = Library()
    layer = library.blob(LAYER) | {"digest": digest_of(LAYER, "sha512")}
    library.contents[layer["digest"]] = LAYER, ""
    image = library.image(layer)
    with registry(library.answer) as server:
        assert fetch(origin_at(server, image), server).files
        library.contents[layer["digest"]] = LAYER[:-1] + b"x", ""
        assert failure_of(origin_at(server, image), server).reason is MISMATCH


def tampered(library: Library, image: Json, part: str) -> str:
    """Change the bytes of one part in place; gives its digest."""
    manifest = json.loads(library.contents[image["digest"]][0])
    digests = {"manifest": image["digest"], "config": manifest["config"]["digest"]}
    digest: str = digests.get(part) or manifest["layers"][0]["digest"]
    data, media_type = library.contents[digest]
    library.contents[digest] = bytes([data[0] ^ 1]) + data[1:], media_type
    return digest


@pytest.mark.parametrize("part", ["manifest", "config", "layer"])
def test_changed_bytes_are_told_with_what_was_expected_what_came_and_from_where(part: str) -> None:
    library, image = simple()
    digest = tampered(library, image, part)
    got = digest_of(library.contents[digest][0])
    with registry(library.answer) as server:
        failure = failure_of(origin_at(server, image), server)
    assert failure.reason is MISMATCH
    assert f"expected `{digest}`" in failure.message
    assert f"got `{got}`" in failure.message
    assert f"from `{server.host}`" in failure.message
    assert failure.hint
    assert "tampered" in failure.hint
    assert "pin is wrong" in failure.hint


@pytest.mark.parametrize("added", [-1, 1], ids=["smaller", "larger"])
def test_a_size_that_is_not_the_content_s_is_told(added: int) -> None:
    library = Library()
    layer = library.blob(LAYER)
    image = library.image(layer | {"size": layer["size"] + added})
    with registry(library.answer) as server:
        failure = failure_of(origin_at(server, image), server)
    assert failure.reason is MISMATCH
    assert f"of {len(LAYER) + added:,} bytes" in failure.message


def test_another_manifest_of_the_repository_is_told() -> None:
    library, image = simple()
    other = library.image()
    library.contents[image["digest"]] = library.contents[other["digest"]]
    with registry(library.answer) as server:
        failure = failure_of(origin_at(server, image), server)
    assert (failure.reason, other["digest"] in failure.message) == (MISMATCH, True)


def test_a_digest_in_a_header_is_not_believed() -> None:
    library, image = simple()

    def answer(request: Request) -> None:
        wanted = request.path.rpartition("/")[2]
        request.reply(library.contents[wanted][0], Docker_Content_Digest=digest_of(b"other"))

    with registry(answer) as server:
        assert fetch(origin_at(server, image), server).files


def test_a_media_type_in_a_header_is_not_believed() -> None:
    library, image = simple()
    library.contents[image["digest"]] = library.contents[image["digest"]][0], INDEX
    with registry(library.answer) as server:
        failure = failure_of(origin_at(server, image), server)
    assert (failure.reason, "the registry calls" in failure.message) == (FAILED, True)


def endless(request: Request) -> None:
    request.send_response(200)
    request.send_header("Transfer-Encoding", "chunked")
    request.end_headers()
    try:
        while True:
            request.wfile.write(b"10000\r\n" + b" " * (1 << 16) + b"\r\n")
    except OSError:
        request.close_connection = True


def test_an_endless_manifest_is_cut_off() -> None:
    _, image = simple()
    with registry(endless) as server:
        failure = failure_of(origin_at(server, image), server)
    assert failure.reason is Reason.ARTIFACT_TOO_LARGE
    assert "larger than 4 MiB" in failure.message


def test_an_endless_blob_is_cut_off_at_its_size() -> None:
    library, image = simple()

    def answer(request: Request) -> None:
        (library.answer if "/manifests/" in request.path else endless)(request)

    with registry(answer) as server:
        failure = failure_of(origin_at(server, image), server)
    assert (failure.reason, "got more than 14 bytes" in failure.message) == (MISMATCH, True)


def test_layers_are_measured_together_before_any_is_downloaded() -> None:
    library = Library()
    layers = [library.blob(bytes([number]) * 60) for number in range(3)]
    image = library.image(*layers)
    with registry(library.answer) as server:
        failure = failure_of(
            origin_at(server, image), server, context=FetchContext(Limits(archive=150), QUICK)
        )
        assert len(server.requests) == 1
    assert failure.reason is Reason.ARTIFACT_TOO_LARGE


@pytest.mark.parametrize("place", ["config", "manifests"])
def test_a_document_that_is_announced_as_huge_is_not_downloaded(place: str) -> None:
    library = Library()
    huge = library.blob(b"{}", MANIFEST, size=5 << 20)
    document = (
        library.index(huge)
        if place == "manifests"
        else library.document({"schemaVersion": 2, "config": huge, "layers": []})
    )
    with registry(library.answer) as server:
        assert failure_of(origin_at(server, document), server).reason is Reason.ARTIFACT_TOO_LARGE
        assert len(server.requests) == 1


def test_a_layer_of_no_use_is_refused_before_any_download() -> None:
    library = Library()
    image = library.image(library.blob(LAYER), library.blob(b"chart", "application/vnd.cncf.helm"))
    with registry(library.answer) as server:
        failure = failure_of(origin_at(server, image), server)
        assert len(server.requests) == 1
    assert failure.reason is Reason.ARTIFACT_UNSAFE


@pytest.mark.parametrize("path", ["../evil", "/etc/passwd", ".git/config", "a\\b"])
def test_a_title_that_leaves_the_package_is_refused(path: str) -> None:
    library = Library()
    title = {"annotations": {"org.opencontainers.image.title": path}}
    image = library.image(library.blob(b"x", "text/plain", **title))
    with registry(library.answer) as server:
        failure = failure_of(origin_at(server, image), server)
    assert failure.reason is Reason.ARTIFACT_UNSAFE
    assert failure.message.startswith(f"`{server.host}/{REPOSITORY}@sha256:")
