"""Connecting to an API server, which may be missing, strange or hostile."""

from __future__ import annotations

import base64
import contextlib
import json
import ssl
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
import trustme

from kagent_apply.cluster.api import ApiError, Reply
from kagent_apply.cluster.connection import ConnectionFailedError, KubernetesApi, connect

TOKEN = "very-secret-token"

Answer = Callable[[BaseHTTPRequestHandler], None]


def _kubeconfig(server: str, **cluster: Any) -> str:
    return json.dumps(
        {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": "c", "cluster": {"server": server, **cluster}}],
            "users": [{"name": "u", "user": {"token": TOKEN}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
    )


@contextlib.contextmanager
def _serving(answer: Answer, leaf: trustme.LeafCert | None = None) -> Iterator[tuple[str, list[str]]]:
    """A server that answers every request so; its address, and the credentials that it was shown."""
    shown: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            shown.append(self.headers.get("Authorization", ""))
            with contextlib.suppress(OSError):
                answer(self)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        if leaf is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            leaf.configure_cert(context)
            server.socket = context.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http{'s' if leaf else ''}://127.0.0.1:{server.server_port}", shown
        finally:
            server.shutdown()
            thread.join()


def _send(status: int, body: bytes, **headers: str) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        for name, text in {"Content-Length": str(len(body)), **headers}.items():
            handler.send_header(name, text)
        handler.end_headers()
        handler.wfile.write(body)

    return answer


@contextlib.contextmanager
def _api(answer: Answer, folder: Path) -> Iterator[tuple[KubernetesApi, list[str]]]:
    with _serving(answer) as (address, shown):
        path = folder / "kubeconfig"
        path.write_text(_kubeconfig(address))
        api = connect(path)
        yield api, shown
        api.close()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "[]",
        "5",
        "{",
        "clusters: [",
        "{}",
        _kubeconfig("https://x").replace('"x"', '"y"', 1),
        "\0",
        "a: &a [*a]",
    ],
)
def test_a_kubeconfig_that_cannot_be_used_is_told(text: str, tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(text)
    with pytest.raises(ConnectionFailedError) as caught:
        connect(path)
    assert str(path) in caught.value.message
    assert TOKEN not in caught.value.message
    assert "kubectl" in caught.value.hint


def test_a_kubeconfig_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConnectionFailedError):
        connect(tmp_path / "absent")


def test_a_context_that_is_not_there_is_told(tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text(_kubeconfig("https://127.0.0.1:1"))
    with pytest.raises(ConnectionFailedError):
        connect(tmp_path / "kubeconfig", "other")


def test_outside_of_a_pod_there_is_no_service_account(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    with pytest.raises(ConnectionFailedError) as caught:
        connect(None)
    assert caught.value.hint == "name a kubeconfig, or run in a cluster"


def test_a_server_that_is_not_there_does_not_answer(tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text(_kubeconfig("https://127.0.0.1:1"))
    api = connect(tmp_path / "kubeconfig")
    with pytest.raises(ApiError) as caught:
        api.request("GET", "/apis", {})
    assert "does not answer" in str(caught.value)
    assert TOKEN not in str(caught.value)


@pytest.mark.server
def test_the_token_is_sent_and_the_answer_read(tmp_path: Path) -> None:
    with _api(_send(200, b'{"kind": "X"}'), tmp_path) as (api, shown):
        assert api.request("GET", "/apis", {"a": "b c"}) == Reply(200, {"kind": "X"})
    assert shown == [f"Bearer {TOKEN}"]


@pytest.mark.server
@pytest.mark.parametrize("body", [b"", b"x", b"[]", b"5", b"\xff", b"[" * 100_000, b"<html>"])
def test_an_answer_that_is_no_object_is_an_error_and_a_refusal_stays_one(body: bytes, tmp_path: Path) -> None:
    with _api(_send(200, body), tmp_path) as (api, _), pytest.raises(ApiError):
        api.request("GET", "/apis", {})
    with _api(_send(503, body), tmp_path) as (api, _):
        assert api.request("GET", "/apis", {}) == Reply(503)


@pytest.mark.server
def test_an_answer_without_end_is_not_read_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kagent_apply.cluster.connection._LARGEST_REPLY", 1000)
    long = _send(200, b'{"a": "' + b"x" * 5000 + b'"}')
    with _api(long, tmp_path) as (api, _), pytest.raises(ApiError, match="longer than 1000 bytes"):
        api.request("GET", "/apis", {})


@pytest.mark.server
def test_the_token_goes_to_no_other_server(tmp_path: Path) -> None:
    with _serving(_send(200, b"{}")) as (elsewhere, shown):
        with _api(_send(302, b"", Location=f"{elsewhere}/apis"), tmp_path) as (api, _):
            assert api.request("GET", "/apis", {}).status == 302
        assert shown == []


@pytest.mark.server
@pytest.mark.parametrize("trusted", [True, False])
def test_only_a_server_that_the_kubeconfig_s_authority_vouches_for_is_talked_to(
    trusted: bool, tmp_path: Path
) -> None:
    own = trustme.CA()
    issuer = own if trusted else trustme.CA()
    with _serving(_send(200, b"{}"), issuer.issue_cert("127.0.0.1")) as (address, shown):
        pem = base64.b64encode(own.cert_pem.bytes()).decode()
        (tmp_path / "kubeconfig").write_text(_kubeconfig(address, **{"certificate-authority-data": pem}))
        api = connect(tmp_path / "kubeconfig")
        with contextlib.nullcontext() if trusted else pytest.raises(ApiError):
            assert api.request("GET", "/apis", {}) == Reply(200)
        api.close()
    assert bool(shown) is trusted


def _chunked(*chunks: bytes, end: bool = True) -> Answer:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        for chunk in chunks:
            handler.wfile.write(f"{len(chunk):x}\r\n".encode() + chunk + b"\r\n")
        handler.wfile.write(b"0\r\n\r\n" if end else b"zz\r\n")

    return answer


def _lines(api: KubernetesApi) -> list[bytes]:
    stream = api.stream("/watch", {}, 5.0)
    assert not isinstance(stream, Reply)
    return list(stream.lines())


@pytest.mark.server
def test_lines_are_put_together_whatever_they_are_cut_into(tmp_path: Path) -> None:
    with _api(_chunked(b'{"a"', b": 1}\n{", b"}\n\n\n[]", b"\nrest"), tmp_path) as (api, _):
        assert _lines(api) == [b'{"a": 1}', b"{}", b"[]"]


@pytest.mark.server
def test_a_line_without_end_ends_the_watch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kagent_apply.cluster.connection._LONGEST_LINE", 1000)
    long = _chunked(*[b"x" * 600] * 4)
    with _api(long, tmp_path) as (api, _), pytest.raises(ApiError, match="longer than 1000 bytes"):
        _lines(api)


@pytest.mark.server
def test_a_stream_that_breaks_off_is_an_error(tmp_path: Path) -> None:
    with _api(_chunked(b"{}\n", end=False), tmp_path) as (api, _), pytest.raises(ApiError):
        _lines(api)


@pytest.mark.server
def test_a_watch_that_is_refused_is_a_reply(tmp_path: Path) -> None:
    with _api(_send(410, b'{"code": 410}'), tmp_path) as (api, _):
        assert api.stream("/watch", {}, 5.0) == Reply(410, {"code": 410})
