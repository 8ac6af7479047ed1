"""Issuers as real servers on loopback: good ones, slow ones, and ones that mean no good."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import trustme

from kagent_apply.auth.file_reading import FileFaultError
from kagent_apply.auth.method import NOT_VALID
from kagent_apply.auth.oidc.fetching import PublishedKeys, trust_of
from kagent_apply.auth.oidc.http import HttpBounds, get_document
from kagent_apply.auth.oidc.issuer import Issuer
from kagent_apply.auth.oidc.key_cache import CacheBounds, FetchError, KeyCache
from kagent_apply.auth.oidc.method import IssuedTokens
from kagent_apply.auth.oidc.opening import open_issuer
from kagent_apply.auth.port import AuthenticationUnavailableError, Caller, Credentials
from tests.apply.auth.files import Hand, Heard
from tests.apply.auth.jwt_making import AUDIENCE, current, jwk, key_set, signed
from tests.servers import Answer, Request, ScriptedServer, drip, serving, stall

pytestmark = pytest.mark.server

ALICE = Caller("alice", (), "oidc")
SMALL = HttpBounds(connect=10, total=30, size=4096)
TIGHT = HttpBounds(connect=10, total=1.5, size=4096)
DISCOVERY = "/.well-known/openid-configuration"


@dataclass
class Publisher:
    """Serves a discovery document and a key set, which a test may change."""

    keys: bytes = field(default_factory=lambda: key_set(jwk("RS256")))
    discovery: dict[str, Any] = field(default_factory=dict)

    def __call__(self, request: Request) -> None:
        server = request.server
        assert isinstance(server, ScriptedServer)
        if request.path == DISCOVERY:
            document = {"issuer": server.url, "jwks_uri": f"{server.url}/jwks", **self.discovery}
            request.reply(json.dumps(document).encode())
        elif request.path == "/jwks":
            request.reply(self.keys)
        else:
            request.reply(status=404)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture
def secure(authority: trustme.CA) -> Iterator[ScriptedServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with serving(Publisher(), context) as server:
        yield server


def _method(issuer: Issuer, clock: Hand | None = None) -> tuple[IssuedTokens, KeyCache]:
    method, cache = open_issuer(issuer, Heard(), clock or time.monotonic)
    assert isinstance(cache, KeyCache)
    return method, cache


def _fetch(issuer: Issuer, bounds: HttpBounds = SMALL) -> list[str]:
    return [key.id for key in PublishedKeys(issuer, trust_of(issuer.ca_file), bounds).fetch()]


def test_a_token_is_believed_by_the_keys_that_its_issuer_publishes(
    secure: ScriptedServer, authority: trustme.CA, tmp_path: Path
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    method, _ = _method(Issuer(secure.url, (AUDIENCE,), ca_file=str(tmp_path / "ca.pem")))
    assert method.identify(Credentials(signed(current(secure.url)))) == ALICE
    assert method.identify(Credentials(signed(current(secure.url), number=1))) == NOT_VALID
    assert [request.path for request in secure.requests] == [DISCOVERY, "/jwks"]
    assert not any(request.headers["Authorization"] for request in secure.requests)


def test_a_server_that_nobody_vouches_for_is_not_believed(secure: ScriptedServer) -> None:
    with pytest.raises(FetchError, match="certificate of the issuer's server cannot be verified"):
        _fetch(Issuer(secure.url, (AUDIENCE,)))


def test_a_certificate_of_another_host_is_not_believed(authority: trustme.CA, tmp_path: Path) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("issuer.example").configure_cert(context)
    with serving(Publisher(), context) as server, pytest.raises(FetchError, match="cannot be verified"):
        _fetch(Issuer(server.url, (AUDIENCE,), ca_file=str(tmp_path / "ca.pem")))


def test_an_authority_that_cannot_be_read_is_no_start(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    for name in ("ca.pem", "none.pem"):
        with pytest.raises(FileFaultError, match="no certificate that can be read"):
            _method(Issuer("https://issuer.example", (AUDIENCE,), ca_file=str(tmp_path / name)))


def test_keys_at_an_address_need_no_discovery() -> None:
    with serving(Publisher()) as server:
        assert _fetch(Issuer("https://issuer.example", (AUDIENCE,), jwks_url=f"{server.url}/jwks")) == ["k1"]
        assert [request.path for request in server.requests] == ["/jwks"]


def test_a_new_key_is_found_and_an_old_one_given_up() -> None:
    publisher, hand = Publisher(), Hand()
    with serving(publisher) as server:
        method, _ = _method(Issuer(server.url, (AUDIENCE,)), hand)
        assert method.identify(Credentials(signed(current(server.url)))) == ALICE
        publisher.keys = key_set(jwk("RS256", "k2", number=1))
        hand.now += 10
        assert method.identify(Credentials(signed(current(server.url), kid="k2", number=1))) == ALICE
        assert method.identify(Credentials(signed(current(server.url)))) == NOT_VALID


def test_many_unknown_keys_are_one_question() -> None:
    with serving(Publisher()) as server:
        method, _ = _method(Issuer(server.url, (AUDIENCE,), jwks_url=f"{server.url}/jwks"), Hand())
        for number in range(50):
            token = signed(current(server.url), kid=f"guess {number}")
            assert method.identify(Credentials(token)) == NOT_VALID
        assert len(server.requests) == 1


def test_known_keys_work_on_after_the_issuer_has_gone() -> None:
    hand = Hand()
    with serving(Publisher()) as server:
        method, cache = _method(Issuer(server.url, (AUDIENCE,)), hand)
        assert method.identify(Credentials(signed(current(server.url)))) == ALICE
    hand.now += 700
    assert method.identify(Credentials(signed(current(server.url)))) == ALICE
    with pytest.raises(AuthenticationUnavailableError):
        method.identify(Credentials(signed(current(server.url), kid="new", number=1)))
    assert cache.problem


def test_an_issuer_that_is_down_at_the_start_is_asked_later() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    hand, url = Hand(), f"http://127.0.0.1:{port}"
    method, _ = _method(Issuer(url, (AUDIENCE,)), hand)
    with pytest.raises(AuthenticationUnavailableError):
        method.identify(Credentials(signed(current(url))))


def _redirect(request: Request) -> None:
    assert isinstance(request.server, ScriptedServer)
    request.reply(status=302, Location=f"{request.server.url}/elsewhere")


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (_redirect, "redirects are not followed"),
        (lambda request: request.reply(status=503), "status 503"),
        (lambda request: request.reply(b"x" * 4097), "larger than 4 KiB"),
        (drip(b"HTTP/1.1 200 OK\r\n\r\n", b"x" * 1000, 0, 10_000), "larger than 4 KiB"),
        (
            drip(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", b"x" * 1000, 0, 1000),
            "larger than",
        ),
        (lambda request: request.reply(b"{", length=100), "did not answer|ended too soon"),
        (lambda request: request.reply(b"<html>"), "the key set is not JSON"),
        (lambda request: request.reply(b"{}"), "no list of at most 100"),
        (drip(b"nonsense\r\n\r\n", b"", 0, 1), "did not answer as it should"),
        (drip(b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 200, b"\r\n", 0, 1), "did not answer as it should"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_server_that_means_no_good_is_not_believed(answer: Answer, told: str) -> None:
    with serving(answer) as server:
        with pytest.raises(FetchError, match=told):
            _fetch(Issuer("https://issuer.example", (AUDIENCE,), jwks_url=f"{server.url}/jwks"))
        assert [request.path for request in server.requests] == ["/jwks"]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (stall(20), "not in time"),
        (drip(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n", 0.1, 200), "not in time"),
        (
            drip(b"HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n", b" ", 0.1, 200),
            "not in time|ended too soon",
        ),
        (drip(b'HTTP/1.1 200 OK\r\n\r\n{"keys": []}', b" ", 0.1, 200), "not in time"),
    ],
)
def test_a_server_that_never_ends_is_cut_off(answer: Answer, told: str) -> None:
    with serving(answer) as server:
        begun = time.monotonic()
        with pytest.raises(FetchError, match=told):
            _fetch(Issuer("https://issuer.example", (AUDIENCE,), jwks_url=f"{server.url}/jwks"), TIGHT)
        assert time.monotonic() - begun < 3 * TIGHT.total
    for timer in threading.enumerate():
        if isinstance(timer, threading.Timer):
            timer.join(10)
            assert not timer.is_alive()


def test_a_handshake_that_never_ends_is_cut_off() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        with pytest.raises(FetchError, match="not in time"):
            get_document(f"https://127.0.0.1:{silent.getsockname()[1]}/", trust_of(""), TIGHT)
        assert time.monotonic() - begun < 3 * TIGHT.total


@pytest.mark.parametrize(
    ("discovery", "told"),
    [
        ({"issuer": "https://evil.example"}, "another issuer's"),
        ({"issuer": None}, "another issuer's"),
        ({"jwks_uri": "http://169.254.169.254/latest"}, "no address that keys may come from"),
        ({"jwks_uri": "file:///etc/passwd"}, "no address that keys may come from"),
        ({"jwks_uri": None}, "no address that keys may come from"),
        ({"jwks_uri": ["https://a"]}, "no address that keys may come from"),
        ({"padding": "x" * 5000}, "larger than 4 KiB"),
    ],
)
def test_a_discovery_document_names_its_issuer_and_a_safe_address(
    discovery: dict[str, Any], told: str
) -> None:
    with serving(Publisher(discovery=discovery)) as server, pytest.raises(FetchError, match=told):
        _fetch(Issuer(server.url, (AUDIENCE,)))


def test_an_issuer_elsewhere_cannot_have_this_machine_asked(
    secure: ScriptedServer, authority: trustme.CA, tmp_path: Path
) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    with serving(Publisher()) as inner:
        publisher = secure.answer
        assert isinstance(publisher, Publisher)
        publisher.discovery["jwks_uri"] = f"{inner.url}/jwks"
        with pytest.raises(FetchError, match="no address that keys may come from"):
            _fetch(Issuer(secure.url, (AUDIENCE,), ca_file=str(tmp_path / "ca.pem")))
        assert inner.requests == []


def test_a_slow_issuer_does_not_keep_calls_for_longer_than_said() -> None:
    with serving(stall(20)) as server:
        published = PublishedKeys(Issuer(server.url, (AUDIENCE,)), trust_of(""), TIGHT)
        cache = KeyCache(published.fetch, Heard(), time.monotonic, CacheBounds(patience=1))
        begun = time.monotonic()
        with pytest.raises(AuthenticationUnavailableError):
            cache.matching("k1")
        assert time.monotonic() - begun < 3 * 1


def test_proxies_of_the_environment_see_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Publisher()) as proxy, serving(Publisher()) as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        assert _fetch(Issuer(server.url, (AUDIENCE,))) == ["k1"]
        assert proxy.requests == []
