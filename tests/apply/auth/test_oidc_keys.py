"""Key sets, the issuers that they are of, and how often they are fetched."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kagent_apply.auth.oidc.issuer import Issuer, issuers_faults, url_fault
from kagent_apply.auth.oidc.key_cache import CacheBounds, FetchError, KeyCache
from kagent_apply.auth.oidc.key_set import KeySetError, VerificationKey, read_key_set
from kagent_apply.auth.oidc.opening import open_issuer
from kagent_apply.auth.port import AuthenticationUnavailableError, Caller, Credentials
from tests.apply.auth.files import Hand, Heard, put
from tests.apply.auth.jwt_making import AUDIENCE, ISSUER, current, jwk, key_set, private_jwk, signed

GOOD = Issuer(ISSUER, (AUDIENCE,))


@pytest.mark.parametrize(
    ("members", "ids"),
    [
        (lambda: [jwk("RS256", "a"), jwk("ES256", "b"), jwk("EdDSA", "c")], ["a", "b", "c"]),
        (lambda: [jwk("RS256", "a"), jwk("RS256", "b", use="enc")], ["a"]),
        (lambda: [jwk("RS256", "a"), jwk("RS256", "b", key_ops=["encrypt"])], ["a"]),
        (lambda: [jwk("RS256", "a", key_ops=["verify"], use="sig", alg="RS256")], ["a"]),
        (lambda: [jwk("RS256", "a"), jwk("RS256", "b", alg="PS256")], ["a"]),
        (lambda: [jwk("RS256", "a"), jwk("RS256", "b", alg="HS256")], ["a"]),
        (lambda: [jwk("RS256", "a"), private_jwk("RS256", "b"), private_jwk("ES256", "c")], ["a"]),
        (lambda: [jwk("RS256", "a"), jwk("RS256", "b", number=9, bits=1024)], ["a"]),
        (lambda: [jwk("RS256", "a"), jwk("RS256", "b", n="g" * 1500)], ["a"]),
        (lambda: [jwk("RS256", "a"), {"kty": "oct", "k": "c2VjcmV0", "kid": "b"}], ["a"]),
        (lambda: [jwk("RS256", "a"), {"kty": "oct", "k": "c2VjcmV0", "kid": "b", "alg": "RS256"}], ["a"]),
        (lambda: [jwk("RS256", "a"), jwk("ES256", "b", crv="secp256k1")], ["a"]),
        (lambda: [jwk("RS256", "a"), jwk("ES256", "b", x="AA")], ["a"]),
        (lambda: [jwk("RS256", "a"), jwk("RS256", "b", n=7), jwk("RS256", kid=None), 7, None, {}], ["a", ""]),
    ],
)
def test_only_public_keys_that_verify_are_kept(members: Callable[[], list[Any]], ids: list[str]) -> None:
    assert [key.id for key in read_key_set(key_set(*members()))] == ids


def test_a_key_is_for_the_algorithms_of_its_kind() -> None:
    keys = read_key_set(key_set(jwk("RS256", "a"), jwk("RS256", "b", alg="RS512"), jwk("ES384", "c")))
    assert [sorted(key.algorithms) for key in keys] == [["RS256", "RS384", "RS512"], ["RS512"], ["ES384"]]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"keys": {}}',
        b'{"keys": []}',
        b"[" * 100_000,
        b'{"keys": [' + b"7," * 100 + b"7]}",
    ],
)
def test_what_is_no_key_set_is_refused(data: bytes) -> None:
    with pytest.raises(KeySetError):
        read_key_set(data)


@pytest.mark.parametrize(
    ("url", "good"),
    [
        ("https://issuer.example", True),
        ("https://issuer.example:8443/realms/a?x=1", True),
        ("http://127.0.0.1:8080/jwks", True),
        ("http://[::1]:8080", True),
        ("http://localhost", True),
        ("http://issuer.example", False),
        ("http://localhost.issuer.example", False),
        ("http://127.0.0.1@issuer.example", False),
        ("https://user:pass@issuer.example", False),
        ("https://issuer.example/#a", False),
        ("file:///etc/passwd", False),
        ("ftp://127.0.0.1", False),
        ("https://", False),
        ("https:///path", False),
        ("https://issuer.example:x", False),
        ("https://issuer.example/a b", False),
        ("https://issuer.example/\r\nX: y", False),
        ("https://issüer.example", False),
        ("https://[::1", False),
        ("//issuer.example", False),
        ("", False),
    ],
)
def test_keys_come_over_tls_or_from_this_machine(url: str, good: bool) -> None:
    assert (url_fault(url) == "") is good


@pytest.mark.parametrize(
    ("issuers", "fields"),
    [
        ([GOOD], []),
        ([replace(GOOD, jwks_url="https://keys.example/jwks")], []),
        ([replace(GOOD, url="http://issuer.example")], ["issuer"]),
        ([replace(GOOD, url="")], ["issuer"]),
        ([replace(GOOD, jwks_url="http://keys.example")], ["jwks_url"]),
        ([replace(GOOD, jwks_url="https://keys.example", jwks_file="keys")], ["jwks_file"]),
        ([replace(GOOD, audiences=())], ["audiences"]),
        ([replace(GOOD, audiences=("",))], ["audiences"]),
        ([replace(GOOD, algorithms=())], ["algorithms"]),
        ([replace(GOOD, algorithms=("RS256", "HS256"))], ["algorithms"]),
        ([replace(GOOD, algorithms=("none",))], ["algorithms"]),
        ([replace(GOOD, subject_claim="")], ["subject_claim"]),
        ([replace(GOOD, prefix=" x")], ["prefix"]),
        ([replace(GOOD, clock_skew=301)], ["clock_skew"]),
        ([replace(GOOD, clock_skew=-1)], ["clock_skew"]),
        ([replace(GOOD, clock_skew=float("nan"))], ["clock_skew"]),
        ([GOOD, replace(GOOD, prefix="b:")], ["issuer"]),
        ([GOOD, replace(GOOD, url="https://b.example")], ["prefix"]),
        ([GOOD, replace(GOOD, url="https://b.example", prefix="b:")], ["prefix"]),
        ([replace(GOOD, prefix="b"), replace(GOOD, url="https://b.example", prefix="ba")], ["prefix"]),
        ([replace(GOOD, prefix="a:"), replace(GOOD, url="https://b.example", prefix="b:")], []),
    ],
)
def test_an_issuer_is_configured_so_that_it_cannot_be_taken_for_another(
    issuers: list[Issuer], fields: list[str]
) -> None:
    assert [fault.field for fault in issuers_faults(issuers)] == fields


class Server:
    """What publishes keys: `answer` says which, or raises; each time is counted, and may be held."""

    def __init__(self, *ids: str) -> None:
        self.ids: tuple[str, ...] = ids
        self.down = False
        self.asked = 0
        self.free = threading.Event()
        self.free.set()
        self.begun = threading.Semaphore(0)

    def __call__(self) -> tuple[VerificationKey, ...]:
        self.asked += 1
        self.begun.release()
        assert self.free.wait(30)
        if self.down:
            raise FetchError("it is down")
        return tuple(VerificationKey(name, frozenset({"RS256"}), None) for name in self.ids)


BOUNDS = CacheBounds(fresh=600, pause=10, stale=3600, patience=20, waiting=2)


def _ids(cache: KeyCache, key_id: str) -> list[str]:
    return [key.id for key in cache.matching(key_id)]


def _settled(condition: Callable[[], bool]) -> None:
    limit = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < limit, "it never came to that"
        time.sleep(0.005)


def test_keys_are_fetched_when_the_first_is_needed_and_then_kept() -> None:
    server, hand = Server("a", "b"), Hand()
    cache = KeyCache(server, Heard(), hand, BOUNDS)
    assert _ids(cache, "a") == ["a"]
    hand.now += 599
    assert _ids(cache, "b") == ["b"]
    assert server.asked == 1


def test_an_unknown_key_is_asked_for_but_no_more_often_than_every_ten_seconds() -> None:
    server, hand = Server("a"), Hand()
    cache = KeyCache(server, Heard(), hand, BOUNDS)
    assert _ids(cache, "a") == ["a"]
    server.ids = ("b",)
    assert [_ids(cache, f"guess {number}") for number in range(100)] == [[]] * 100
    assert server.asked == 1
    hand.now += 10
    assert _ids(cache, "b") == ["b"]
    assert _ids(cache, "a") == []
    assert server.asked == 2


def test_old_keys_are_fetched_again_without_anyone_waiting() -> None:
    server, hand = Server("a"), Hand()
    cache = KeyCache(server, Heard(), hand, BOUNDS)
    assert _ids(cache, "a") == ["a"]
    server.free.clear()
    server.ids = ("a", "b")
    hand.now += 600
    assert _ids(cache, "a") == ["a"]
    server.free.set()
    _settled(lambda: _ids(cache, "b") == ["b"])
    assert server.asked == 2


def test_after_a_long_rest_a_revoked_key_is_not_believed() -> None:
    server, hand = Server("a"), Hand()
    cache = KeyCache(server, Heard(), hand, BOUNDS)
    assert _ids(cache, "a") == ["a"]
    server.ids = ("b",)
    hand.now += 1200
    assert _ids(cache, "a") == []


def test_known_keys_go_on_working_while_the_issuer_is_down_for_as_long_as_is_said() -> None:
    server, hand, heard = Server("a"), Hand(), Heard()
    cache = KeyCache(server, heard, hand, BOUNDS)
    assert _ids(cache, "a") == ["a"]
    server.down = True
    for _ in range(5):
        hand.now += 600
        assert _ids(cache, "a") == ["a"]
        _settled(lambda: cache.problem != "")
    with pytest.raises(AuthenticationUnavailableError):
        cache.matching("unknown")
    assert len(heard.lines) == 1
    hand.now += 700
    with pytest.raises(AuthenticationUnavailableError):
        cache.matching("a")
    server.down = False
    hand.now += 10
    assert _ids(cache, "a") == ["a"]
    assert cache.problem == ""


def test_an_issuer_that_was_never_reached_is_asked_again() -> None:
    server, hand = Server("a"), Hand()
    server.down = True
    cache = KeyCache(server, Heard(), hand, BOUNDS)
    for _ in range(3):
        with pytest.raises(AuthenticationUnavailableError):
            cache.matching("a")
    assert server.asked == 1
    server.down = False
    hand.now += 10
    assert _ids(cache, "a") == ["a"]


def test_one_fetch_serves_all_who_wait_and_only_a_few_may() -> None:
    server = Server("a")
    server.free.clear()
    cache = KeyCache(server, Heard(), Hand(), BOUNDS)

    def ask(number: int) -> str:
        try:
            return "".join(_ids(cache, "a"))
        except AuthenticationUnavailableError:
            return "later"

    with ThreadPoolExecutor(6) as pool:
        asking = [pool.submit(ask, number) for number in range(6)]
        _settled(lambda: sum(answer.done() for answer in asking) == 4)
        server.free.set()
        assert sorted(answer.result() for answer in asking) == ["a", "a", *["later"] * 4]
    assert server.asked == 1


def test_whoever_knows_its_key_never_waits_for_a_slow_issuer() -> None:
    server, hand = Server("a"), Hand()
    cache = KeyCache(server, Heard(), hand, BOUNDS)
    assert _ids(cache, "a") == ["a"]
    assert server.begun.acquire(timeout=20)
    server.free.clear()
    hand.now += 10
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(_ids, cache, "b")
        assert server.begun.acquire(timeout=20)
        assert _ids(cache, "a") == ["a"]
        assert not waiting.done()
        server.free.set()
        assert waiting.result() == []


def test_a_call_waits_no_longer_than_its_patience() -> None:
    server = Server("a")
    server.free.clear()
    cache = KeyCache(server, Heard(), Hand(), replace(BOUNDS, patience=0.01))
    with pytest.raises(AuthenticationUnavailableError):
        cache.matching("a")
    server.free.set()


def test_a_fault_of_the_program_while_fetching_is_told_and_tried_again() -> None:
    def broken() -> tuple[VerificationKey, ...]:
        raise ZeroDivisionError("with something secret")

    heard, hand = Heard(), Hand()
    cache = KeyCache(broken, heard, hand, BOUNDS)
    with pytest.raises(AuthenticationUnavailableError):
        cache.matching("a")
    _settled(lambda: bool(heard.lines))
    assert "ZeroDivisionError" in heard.lines[0]
    assert "secret" not in heard.lines[0]


def test_keys_in_a_file_need_no_server_and_are_read_again(tmp_path: Path) -> None:
    hand, path = Hand(), put(tmp_path / "jwks", key_set(jwk("RS256")).decode(), 0o644)
    method, source = open_issuer(replace(GOOD, jwks_file=str(path)), Heard(), hand)
    assert method.identify(Credentials(signed(current(ISSUER)))) == Caller("alice", (), "oidc")
    put(path, key_set(jwk("RS256", "k2", number=1)).decode(), 0o644)
    hand.now += 1
    assert method.identify(Credentials(signed(current(ISSUER), kid="k2", number=1))) == Caller(
        "alice", (), "oidc"
    )
    assert source.problem == ""
