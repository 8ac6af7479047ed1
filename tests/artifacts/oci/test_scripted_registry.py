"""Registries that answer well, lie, break off, stall or lead astray."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import pytest

from kagent_render.api.hub import OciSource
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.deadline import Bounds
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.oci.fetcher import OciFetcher, OciSettings
from kagent_render.artifacts.port import FetchContext
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.archives import ordinary_tar
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
from tests.servers import Answer, Request, drip, stall

FAILED, MISMATCH, NOT_FOUND = (
    Reason.ARTIFACT_FETCH_FAILED,
    Reason.ARTIFACT_DIGEST_MISMATCH,
    Reason.ARTIFACT_NOT_FOUND,
)
LAYER = ordinary_tar({"SKILL.md": b"text"}, "w")


def replying(status: int, body: bytes = b"secret-of-the-server", **headers: Any) -> Answer:
    return lambda request: request.reply(body, status, **headers)


def in_turn(*answers: Answer) -> Answer:
    """Each of `answers` once, the last one for good."""
    waiting = list(answers)
    return lambda request: (waiting.pop(0) if len(waiting) > 1 else waiting[0])(request)


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


STATUSES: dict[str, tuple[Answer, Reason, str]] = {
    "401": (replying(401), FAILED, "asks for credentials in a way that is not known"),
    "401-strange": (
        replying(401, WWW_Authenticate="Negotiate"), FAILED, "asks for credentials in a way that is not known"
    ),
    "401-basic": (replying(401, WWW_Authenticate='Basic realm="x"'), FAILED, "access was denied by"),
    "403": (replying(403), FAILED, "access was denied by"),
    "404": (replying(404), NOT_FOUND, "does not have `sha256:"),
    "410": (replying(410), NOT_FOUND, "does not have `sha256:"),
    "418": (replying(418), FAILED, "answered 418"),
    "204": (replying(204, b""), FAILED, "answered 204"),
    "206": (replying(206), FAILED, "answered 206"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "reason", "text"), STATUSES.values(), ids=STATUSES.keys())
def test_what_will_not_pass_is_asked_once(answer: Answer, reason: Reason, text: str) -> None:
    _, image = simple()
    with registry(answer) as server:
        failure = failure_of(origin_at(server, image), server)
        assert len(server.requests) == 1
    assert (failure.reason, text in failure.message) == (reason, True), failure.message
    assert f"`{server.host}`" in failure.message


def hang_up(request: Request) -> None:
    request.close_connection = True


def rubbish(request: Request) -> None:
    request.wfile.write(b"gone fishing\r\n\r\n")
    request.close_connection = True


def breaking_off(library: Library) -> Answer:
    def answer(request: Request) -> None:
        data = library.contents[request.path.rpartition("/")[2]][0]
        request.reply(data, length=len(data) + 9)

    return answer


PASSING: dict[str, Callable[[Library], Answer]] = {
    "500": lambda library: replying(500),
    "503": lambda library: replying(503),
    "429": lambda library: replying(429),
    "hangs-up": lambda library: hang_up,
    "rubbish": lambda library: rubbish,
    "breaks-off": breaking_off,
}


@pytest.mark.parametrize("broken", PASSING.values(), ids=PASSING.keys())
def test_what_may_pass_is_tried_again(broken: Callable[[Library], Answer]) -> None:
    library, image = simple()
    with registry(in_turn(broken(library), library.answer)) as server:
        assert fetch(origin_at(server, image), server).files
        assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("500", "answered 500"),
        ("429", "limits how often it may be asked"),
        ("hangs-up", "the connection to"),
        ("rubbish", "the connection to"),
        ("breaks-off", "the connection to"),
    ],
)
def test_what_does_not_pass_is_given_up(name: str, text: str) -> None:
    library, image = simple()
    with registry(PASSING[name](library)) as server:
        failure = failure_of(origin_at(server, image), server)
        assert 1 < len(server.requests) < 9
    assert (failure.reason, text in failure.message) == (FAILED, True), failure.message


def test_a_length_that_is_too_short_is_a_mismatch() -> None:
    library, image = simple()

    def answer(request: Request) -> None:
        data = library.contents[request.path.rpartition("/")[2]][0]
        request.reply(data, length=len(data) - 1)

    with registry(answer) as server:
        assert failure_of(origin_at(server, image), server).reason is MISMATCH


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
DEAD: dict[str, Answer] = {
    "stalls": stall(30),
    "drips-head": drip(b"HTTP/1.1 200 OK\r\nX: ", b"a", 0.05, 600),
    "drips-body": drip(HEAD, b"a", 0.05, 600),
    "stalls-in-body": drip(HEAD, b"", 30, 1),
}


@pytest.mark.parametrize("answer", DEAD.values(), ids=DEAD.keys())
def test_a_registry_that_keeps_one_waiting_is_left_behind(answer: Answer) -> None:
    _, image = simple()
    bounds = replace(QUICK, answer=0.6, body=0.6, read=0.3)
    with registry(answer) as server:
        started = time.monotonic()
        failure = failure_of(origin_at(server, image), server, context=FetchContext(bounds=bounds))
        assert time.monotonic() - started < 3 * (bounds.answer + bounds.body)
    assert failure.reason is FAILED
    assert f"`{server.host}` did not answer in time" in failure.message


def test_the_whole_artifact_has_one_bound() -> None:
    library = Library()
    image = library.image(*(library.blob(bytes([number])) for number in range(100)))

    def slow(request: Request) -> None:
        threading.Event().wait(0.1)
        library.answer(request)

    bounds = replace(QUICK, answer=0.5, body=0.5)
    with registry(slow) as server:
        failure = failure_of(origin_at(server, image), server, context=FetchContext(bounds=bounds))
        assert len(server.requests) < 30
    assert "did not answer in time" in failure.message


@contextmanager
def black_hole() -> Iterator[str]:
    """A host whose queue of connections is full, so that no connection is ever made."""
    with ExitStack() as held:
        listener = held.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            client = held.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        yield f"127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def refusing() -> Iterator[str]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{holder.getsockname()[1]}"


def elapsed(work: Callable[[], object]) -> float:
    started = time.monotonic()
    with pytest.raises(ArtifactFailure):
        work()
    return time.monotonic() - started


@pytest.mark.parametrize("dead", [black_hole, refusing])
@pytest.mark.parametrize("mirrored", [False, True], ids=["alone", "with-mirror"])
def test_a_dead_registry_is_told_within_its_bound(dead: Callable[[], Any], mirrored: bool) -> None:
    with dead() as host, dead() as mirror:
        fetcher = OciFetcher(OciSettings(insecure=(host, mirror), mirrors={host: mirror} if mirrored else {}))
        context = FetchContext(bounds=Bounds(connect=0.3, read=0.3, answer=0.8, retry=0.4, pause=0.05))
        origin = OciSource(f"{host}/a@sha256:{'a' * 64}")
        assert elapsed(lambda: fetcher.fetch(origin, [""], context)) < 3 * 0.8


def test_a_dead_registry_and_mirror_are_told_within_15_seconds() -> None:
    with black_hole() as host, registry(stall(60)) as mirror:
        fetcher = OciFetcher(OciSettings(insecure=(host, mirror.host), mirrors={host: mirror.host}))
        origin = OciSource(f"{host}/a@sha256:{'a' * 64}")
        assert elapsed(lambda: fetcher.fetch(origin, [""], FetchContext())) < 3 * 15
