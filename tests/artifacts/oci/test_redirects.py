"""Where a registry may send for a blob, and what is told there."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path

import pytest

from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.oci.documents import Library, failure_of, fetch, origin_at, registry, simple
from tests.artifacts.oci.logins import BASIC, guarded, keychain, sent
from tests.servers import Answer, Request


def elsewhere(library: Library, where: Callable[[str], str], inner: Answer | None = None) -> Answer:
    """A registry whose blobs are somewhere else."""

    def answer(request: Request) -> None:
        digest = request.path.rpartition("/")[2]
        if "/blobs/" in request.path:
            request.reply(b"", 307, Location=where(digest))
        else:
            (inner or library.answer)(request)

    return answer


def test_a_redirect_is_followed_without_the_authorization(tmp_path: Path) -> None:
    library, image = simple()
    with registry(library.answer) as other:
        inner = guarded(library, BASIC, lambda: "Basic")
        with registry(
            elsewhere(library, lambda digest: f"{other.url}/store/{digest}?signature=secret", inner)
        ) as server:
            keys = keychain(tmp_path, server.host, other.host)
            assert fetch(origin_at(server, image), server, other, keychain=keys).files
            assert sent(server.requests) == [None, BASIC, BASIC, BASIC]
            assert sent(other.requests) == [None, None]
            assert all(request.path.endswith("signature=secret") for request in other.requests)


def test_a_redirect_within_the_host_keeps_the_authorization(tmp_path: Path) -> None:
    library, image = simple()
    inner = guarded(library, BASIC, lambda: "Basic")

    def answer(request: Request) -> None:
        if request.path.startswith("/v2/"):
            request.reply(b"", 301, Location=request.path.replace("/v2/", "/moved/"))
        else:
            inner(request)

    with registry(answer) as server:
        keys = keychain(tmp_path, server.host)
        assert fetch(origin_at(server, image), server, keychain=keys).files


def test_a_host_that_is_redirected_to_may_not_ask_for_a_login(tmp_path: Path) -> None:
    library, image = simple()
    with (
        registry(guarded(library, BASIC, lambda: "Basic")) as other,
        registry(elsewhere(library, lambda digest: f"{other.url}/{digest}")) as server,
    ):
        keys = keychain(tmp_path, server.host, other.host)
        failure = failure_of(origin_at(server, image), server, other, keychain=keys)
        assert "in a way that is not known here" in failure.message
        assert set(sent(server.requests) + sent(other.requests)) == {None}


ASTRAY = {
    "plain": "http://{other}/x", "file": "file:///etc/passwd", "metadata": "http://169.254.169.254/",
    "none": "",
    "with-login": "https://user:secret@127.0.0.1/x", "malformed": "https://[::1/x", "ftp": "ftp://127.0.0.1/x",
}  # fmt: skip


@pytest.mark.parametrize("location", ASTRAY.values(), ids=ASTRAY.keys())
def test_a_redirect_to_plain_text_is_not_followed_unless_it_is_configured(location: str) -> None:
    library, image = simple()
    with registry(library.answer) as other:
        place = location.replace("{other}", other.host)
        with registry(elsewhere(library, lambda digest: place)) as server:
            failure = failure_of(origin_at(server, image), server)
            assert len(server.requests) < 9
        assert other.requests == []
    assert failure.reason is Reason.ARTIFACT_FETCH_FAILED
    assert "redirects" in failure.message


def test_the_body_of_a_redirect_is_not_read() -> None:
    library, image = simple()

    def answer(request: Request) -> None:
        if request.path.startswith("/moved/"):
            library.answer(request)
            return
        request.send_response(302)
        request.send_header("Location", "/moved" + request.path)
        request.send_header("Transfer-Encoding", "chunked")
        request.end_headers()
        with contextlib.suppress(OSError):
            while True:
                request.wfile.write(b"10000\r\n" + bytes(1 << 16) + b"\r\n")
        request.close_connection = True

    with registry(answer) as server:
        assert fetch(origin_at(server, image), server).files


def test_a_loop_of_redirects_ends() -> None:
    library, image = simple()
    with registry(elsewhere(library, lambda digest: f"/v2/x/blobs/{digest}")) as server:
        assert "redirects without end" in failure_of(origin_at(server, image), server).message
        assert len(server.requests) == 7
