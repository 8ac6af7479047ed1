"""A tag's digest is that of the bytes behind it, whatever the registry claims."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kagent_render.artifacts.oci.failure import OciFault
from kagent_render.artifacts.oci.fetcher import OciFetcher, OciSettings
from kagent_render.artifacts.oci.keychain import Keychain
from kagent_render.artifacts.port import FetchContext
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.oci.documents import (
    DOCKER_LIST,
    DOCKER_MANIFEST,
    INDEX,
    MANIFEST,
    QUICK,
    REPOSITORY,
    Host,
    Json,
    Library,
    digest_of,
    paths,
    registry,
    simple,
)
from tests.artifacts.oci.logins import BASIC, keychain, sent
from tests.servers import Answer, Request, ScriptedServer, stall

FAILED, MISMATCH, NOT_FOUND, UNSAFE, TOO_LARGE = (
    Reason.ARTIFACT_FETCH_FAILED,
    Reason.ARTIFACT_DIGEST_MISMATCH,
    Reason.ARTIFACT_NOT_FOUND,
    Reason.ARTIFACT_UNSAFE,
    Reason.ARTIFACT_TOO_LARGE,
)


def digest(reference: str, *plain: Host, keys: Keychain | None = None, **settings: Any) -> str:
    insecure = tuple(server.host for server in plain)
    fetcher = OciFetcher(OciSettings(insecure=insecure, **settings), keys or Keychain({}))
    return fetcher.digest(reference, FetchContext(bounds=QUICK))


def fault_of(reference: str, *plain: Host, **settings: Any) -> OciFault:
    with pytest.raises(OciFault) as raised:
        digest(reference, *plain, **settings)
    told = raised.value.cause + (raised.value.hint or "")
    assert "secret" not in told
    assert told.isprintable()
    return raised.value


def tagged(library: Library, **tags: Json) -> Answer:
    """A registry in which tags name documents of a library."""

    def answer(request: Request) -> None:
        name = request.path.rpartition("/")[2]
        if name in tags:
            request.path = request.path.replace(name, tags[name]["digest"])
        library.answer(request)

    return answer


def replying(status: int, body: bytes = b"secret-of-the-server", **headers: Any) -> Answer:
    return lambda request: request.reply(body, status, **headers)


@pytest.mark.parametrize("media_type", [MANIFEST, DOCKER_MANIFEST])
def test_a_tag_of_an_image_gives_the_manifest_s_digest(media_type: str) -> None:
    library = Library()
    image = library.image(media_type=media_type)
    with registry(tagged(library, v1=image)) as server:
        assert digest(f"{server.host}/{REPOSITORY}:v1", server) == image["digest"]
        assert paths(server.requests) == ["v1"]
        assert [request.command for request in server.requests] == ["GET"]


@pytest.mark.parametrize("media_type", [INDEX, DOCKER_LIST])
def test_a_tag_of_an_index_gives_its_own_digest_and_asks_for_no_image(media_type: str) -> None:
    library = Library()
    index = library.index(library.image(), media_type=media_type)
    with registry(tagged(library, v1=index)) as server:
        assert digest(f"{server.host}/{REPOSITORY}:v1", server) == index["digest"]
        assert paths(server.requests) == ["v1"]


def test_every_form_of_manifest_and_index_is_accepted() -> None:
    library, image = simple()
    with registry(tagged(library, v1=image)) as server:
        digest(f"{server.host}/{REPOSITORY}:v1", server)
    accepted = str(server.requests[0].headers["Accept"])
    assert set(accepted.split(", ")) == {MANIFEST, INDEX, DOCKER_MANIFEST, DOCKER_LIST}


def test_a_reference_without_a_tag_is_latest() -> None:
    library, image = simple()
    with registry(tagged(library, latest=image)) as server:
        assert digest(f"{server.host}/{REPOSITORY}", server) == image["digest"]


def test_a_digest_is_looked_up_though_its_tag_is_gone() -> None:
    library, image = simple()
    with registry(library.answer) as server:
        assert digest(f"{server.host}/{REPOSITORY}:gone@{image['digest']}", server) == image["digest"]
        assert paths(server.requests) == [image["digest"]]


DATA = json.dumps({"schemaVersion": 2, "mediaType": INDEX, "manifests": []}).encode()


@pytest.mark.parametrize("claimed", [None, digest_of(DATA), digest_of(DATA, "sha512")])
def test_a_header_that_agrees_or_is_not_there_is_no_fault(claimed: str | None) -> None:
    headers = {"Docker_Content_Digest": claimed} if claimed else {}
    with registry(replying(200, DATA, Content_Type=INDEX, **headers)) as server:
        assert digest(f"{server.host}/a:v1", server) == digest_of(DATA)


@pytest.mark.parametrize(
    "claimed",
    [digest_of(b"other"), digest_of(b"other", "sha512"), digest_of(DATA).upper(), "md5:0", "", "`sha256:0"],
)
def test_a_header_that_says_another_digest_is_told(claimed: str) -> None:
    with registry(replying(200, DATA, Content_Type=INDEX, Docker_Content_Digest=claimed)) as server:
        fault = fault_of(f"{server.host}/a:v1", server)
    assert fault.reason is MISMATCH
    assert fault.is_of_image
    assert f"what is `{digest_of(DATA)}`" in fault.cause


OF_IMAGE: dict[str, tuple[Answer, Reason, str]] = {
    "404": (replying(404), NOT_FOUND, "does not have the tag `v1`"),
    "410": (replying(410), NOT_FOUND, "does not have the tag `v1`"),
    "401": (replying(401), FAILED, "asks for credentials in a way that is not known"),
    "401-basic": (replying(401, WWW_Authenticate="Basic"), FAILED, "access was denied by"),
    "403": (replying(403), FAILED, "access was denied by"),
    "no-json": (replying(200), UNSAFE, "its manifest is not JSON"),
    "no-manifest": (replying(200, b"{}"), UNSAFE, "has no `schemaVersion` 2"),
    "schema-1": (replying(200, b'{"schemaVersion":1}'), UNSAFE, "Docker's schema 1"),
    "large": (replying(200, b" " * ((4 << 20) + 1)), TOO_LARGE, "larger than 4 MiB"),
    "other-media-type": (replying(200, DATA, Content_Type=MANIFEST), FAILED, "the registry calls `applica"),
}


@pytest.mark.parametrize(("answer", "reason", "cause"), OF_IMAGE.values(), ids=OF_IMAGE.keys())
def test_what_a_kubelet_could_not_pull_either_is_the_image_s_fault(
    answer: Answer, reason: Reason, cause: str
) -> None:
    with registry(answer) as server:
        fault = fault_of(f"{server.host}/a:v1", server)
    assert (fault.reason, fault.is_of_image) == (reason, True)
    assert cause in fault.cause


def test_a_token_server_that_denies_is_the_image_s_fault() -> None:
    with registry(replying(403)) as realm:
        challenge = f'Bearer realm="{realm.url}/token"'
        with registry(replying(401, WWW_Authenticate=challenge)) as server:
            fault = fault_of(f"{server.host}/a:v1", server, realm)
    assert fault.is_of_image
    assert "denied access" in fault.cause


NOT_ASKED: dict[str, tuple[Answer, str]] = {
    "429": (replying(429), "limits how often"),
    "500": (replying(500), "answered 500"),
    "503": (replying(503), "answered 503"),
    "stalls": (stall(5), "did not answer in time"),
    "redirects-to-plain-text": (replying(302, Location="http://127.0.0.1:9/"), "which has no TLS"),
}


@pytest.mark.parametrize(("answer", "cause"), NOT_ASKED.values(), ids=NOT_ASKED.keys())
def test_a_registry_that_cannot_be_asked_says_nothing_about_the_image(answer: Answer, cause: str) -> None:
    with registry(answer) as server:
        fault = fault_of(f"{server.host}/a:v1", server)
    assert (fault.reason, fault.is_of_image) == (FAILED, False)
    assert cause in fault.cause


def test_a_closed_port_says_nothing_about_the_image() -> None:
    with registry(replying(200)) as server:
        host = server.host
    fault = fault_of(f"{host}/a:v1", server)
    assert not fault.is_of_image
    assert f"the connection to `{host}` failed" in fault.cause


def test_a_registry_without_tls_has_to_be_listed() -> None:
    library, image = simple()
    with registry(tagged(library, v1=image)) as server:
        fault = fault_of(f"{server.host}/{REPOSITORY}:v1")
    assert not fault.is_of_image
    assert "artifacts.oci.insecure" in (fault.hint or "")


def test_what_passes_is_tried_again() -> None:
    library, image = simple()
    answers = [replying(503), tagged(library, v1=image)]
    with registry(lambda request: answers.pop(0)(request)) as server:
        assert digest(f"{server.host}/{REPOSITORY}:v1", server) == image["digest"]


def test_a_login_is_sent_when_it_is_asked_for(tmp_path: Path) -> None:
    def answer(request: Request) -> None:
        known = request.headers["Authorization"] == BASIC
        (replying(200, DATA) if known else replying(401, WWW_Authenticate="Basic"))(request)

    with registry(answer) as server:
        keys = keychain(tmp_path, server.host)
        assert digest(f"{server.host}/a:v1", server, keys=keys) == digest_of(DATA)
        assert sent(server.requests) == [None, BASIC]


def mirrored(mirror: ScriptedServer, server: ScriptedServer) -> Json:
    return {"mirrors": {server.host: f"{mirror.host}/hub"}}


def test_a_mirror_is_asked_below_its_path_and_its_registry_not_at_all() -> None:
    library, image = simple()
    with registry(tagged(library, v1=image)) as mirror, registry(library.answer) as server:
        plan = mirrored(mirror, server)
        assert digest(f"{server.host}/{REPOSITORY}:v1", server, mirror, **plan) == image["digest"]
        assert server.requests == []
        assert [request.path for request in mirror.requests] == [f"/v2/hub/{REPOSITORY}/manifests/v1"]


@pytest.mark.parametrize("answer", [replying(404), replying(403), stall(5)])
def test_a_tag_that_a_mirror_does_not_give_is_had_from_its_registry(answer: Answer) -> None:
    library, image = simple()
    with registry(answer) as mirror, registry(tagged(library, v1=image)) as server:
        plan = mirrored(mirror, server)
        assert digest(f"{server.host}/{REPOSITORY}:v1", server, mirror, **plan) == image["digest"]


@pytest.mark.parametrize(("status", "of_image"), [(403, True), (404, True), (500, False)])
def test_the_registry_s_own_word_counts_when_its_mirror_fails_too(status: int, of_image: bool) -> None:
    with registry(replying(404)) as mirror, registry(replying(status)) as server:
        fault = fault_of(f"{server.host}/a:v1", server, mirror, **mirrored(mirror, server))
    assert fault.is_of_image is of_image
    assert "before, its mirror failed" in fault.cause
