"""Tokens of an issuer: which are believed, and what is told of the others."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from kagent_apply.auth.method import EXPIRED, NOT_VALID, Rejected
from kagent_apply.auth.oidc.issuer import Issuer
from kagent_apply.auth.oidc.key_set import VerificationKey, read_key_set
from kagent_apply.auth.oidc.keys import select
from kagent_apply.auth.oidc.method import IssuedTokens
from kagent_apply.auth.oidc.token import LONGEST_TOKEN
from kagent_apply.auth.port import Caller, Credentials
from tests.apply.auth.jwt_making import (
    AUDIENCE,
    ISSUER,
    NOW,
    assembled,
    claims,
    jwk,
    key_set,
    private_key,
    public_pem,
    signed,
)

ALICE = Caller("alice", (), "oidc")
TAKING = Issuer(ISSUER, (AUDIENCE, "other"))


@dataclass(frozen=True)
class HeldKeys:
    """Keys that are there."""

    keys: tuple[VerificationKey, ...]

    def matching(self, key_id: str) -> Sequence[VerificationKey]:
        return select(self.keys, key_id)


class NoKeys:
    """Keys that nobody may ask for."""

    def matching(self, key_id: str) -> Sequence[VerificationKey]:
        raise AssertionError("keys were asked for")


def _judged(token: str | None, issuer: Issuer = TAKING, *members: Any) -> Caller | Rejected | None:
    keys = HeldKeys(read_key_set(key_set(*(members or (jwk("RS256"), jwk("ES256", "e"))))))
    return IssuedTokens(issuer, keys, lambda: NOW).identify(Credentials(token))


@pytest.mark.parametrize("algorithm", ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "EdDSA"])
def test_every_algorithm_with_a_public_key_is_taken(algorithm: str) -> None:
    assert _judged(signed(claims(), algorithm), TAKING, jwk(algorithm)) == ALICE
    forged = signed(claims(), algorithm, number=1)
    assert _judged(forged, TAKING, jwk(algorithm)) == NOT_VALID


@pytest.mark.parametrize(
    ("given", "judged"),
    [
        ({}, ALICE),
        ({"aud": ["x", "other"]}, ALICE),
        ({"nbf": NOW + 30}, ALICE),
        ({"exp": NOW - 29}, ALICE),
        ({"iat": None}, ALICE),
        ({"exp": NOW - 30}, EXPIRED),
        ({"exp": 0}, EXPIRED),
        ({"exp": NOW - 30, "aud": "x"}, NOT_VALID),
        ({"exp": None}, NOT_VALID),
        ({"exp": "2100-01-01"}, NOT_VALID),
        ({"exp": True}, NOT_VALID),
        ({"exp": float("inf")}, NOT_VALID),
        ({"exp": float("nan")}, NOT_VALID),
        ({"exp": 10**400}, NOT_VALID),
        ({"nbf": NOW + 31}, NOT_VALID),
        ({"nbf": "soon"}, NOT_VALID),
        ({"iat": NOW + 31}, NOT_VALID),
        ({"aud": None}, NOT_VALID),
        ({"aud": "kagent"}, NOT_VALID),
        ({"aud": []}, NOT_VALID),
        ({"aud": [["kagent-apply"]]}, NOT_VALID),
        ({"aud": {"kagent-apply": 1}}, NOT_VALID),
        ({"sub": None}, NOT_VALID),
        ({"sub": ""}, NOT_VALID),
        ({"sub": "a\nb"}, NOT_VALID),
        ({"sub": "a" * 257}, NOT_VALID),
        ({"iss": None}, None),
        ({"iss": f"{ISSUER}/"}, None),
        ({"iss": "https://evil.example"}, None),
        ({"iss": [ISSUER]}, None),
    ],
)
def test_claims_decide_once_the_signature_is_good(
    given: dict[str, Any], judged: Caller | Rejected | None
) -> None:
    content = claims(**given)
    payload = json.dumps(content).encode()
    token = _signed_bytes(payload)
    assert _judged(token) == judged


def _signed_bytes(payload: bytes, **header: Any) -> str:
    from jwt.api_jws import PyJWS

    return PyJWS().encode(payload, private_key("RS256"), algorithm="RS256", headers={"kid": "k1", **header})


def test_a_bad_signature_hides_that_a_token_has_expired() -> None:
    assert _judged(signed(claims(exp=NOW - 99), number=1)) == NOT_VALID


@pytest.mark.parametrize(
    ("settings", "given", "caller"),
    [
        ({"prefix": "corp:"}, {}, Caller("corp:alice", (), "oidc")),
        ({"subject_claim": "name"}, {"name": "Alice A."}, Caller("Alice A.", (), "oidc")),
        ({"subject_claim": "name"}, {}, None),
        ({"subject_claim": "name"}, {"name": 7}, None),
        ({"subject_claim": "email"}, {"email": "a@b.c", "email_verified": True}, Caller("a@b.c", (), "oidc")),
        ({"subject_claim": "email"}, {"email": "a@b.c", "email_verified": "true"}, None),
        ({"subject_claim": "email"}, {"email": "a@b.c"}, None),
        ({"groups_claim": "g"}, {"g": ["sre", "dev"]}, Caller("alice", ("sre", "dev"), "oidc")),
        ({"groups_claim": "g"}, {"g": "sre"}, Caller("alice", ("sre",), "oidc")),
        (
            {"groups_claim": "g", "prefix": "corp:"},
            {"g": ["sre"]},
            Caller("corp:alice", ("corp:sre",), "oidc"),
        ),
        ({"groups_claim": "g"}, {}, ALICE),
        ({}, {"g": ["sre"]}, ALICE),
        ({"groups_claim": "g"}, {"g": [7]}, None),
        ({"groups_claim": "g"}, {"g": {"sre": 1}}, None),
        ({"groups_claim": "g"}, {"g": ["a"] * 1001}, None),
    ],
)
def test_configured_claims_name_the_caller(
    settings: dict[str, Any], given: dict[str, Any], caller: Caller | None
) -> None:
    assert _judged(signed(claims(**given)), replace(TAKING, **settings)) == (caller or NOT_VALID)


def _hs256_with_the_public_key() -> str:
    head, body, _ = assembled({"alg": "HS256", "typ": "JWT", "kid": "k1"}, claims()).split(".")
    signature = hmac.digest(public_pem(), f"{head}.{body}".encode(), hashlib.sha256)
    return assembled({"alg": "HS256", "typ": "JWT", "kid": "k1"}, claims(), signature)


def _hs256_with_the_jwk() -> str:
    secret = json.dumps(jwk("RS256")).encode()
    head, body, _ = assembled({"alg": "HS256", "kid": "k1"}, claims()).split(".")
    return assembled(
        {"alg": "HS256", "kid": "k1"}, claims(), hmac.digest(secret, f"{head}.{body}".encode(), "sha256")
    )


def _with_another_body() -> str:
    head, _, signature = signed(claims()).split(".")
    return ".".join((head, assembled({}, claims(sub="admin")).split(".")[1], signature))


@pytest.mark.parametrize(
    "token",
    [
        lambda: assembled({"alg": "none", "kid": "k1"}, claims()),
        lambda: assembled({"alg": "None", "kid": "k1"}, claims(), b"x"),
        lambda: assembled({"alg": "", "kid": "k1"}, claims()),
        _hs256_with_the_public_key,
        _hs256_with_the_jwk,
        _with_another_body,
        lambda: signed(claims(), number=1),
        lambda: signed(claims(), kid="unknown"),
        lambda: signed(claims(), kid=None),
        lambda: signed(claims(), kid="e"),
        lambda: signed(claims(), "ES256", kid="k1"),
        lambda: signed(claims(), "ES384", kid="e"),
        lambda: signed(claims(), number=1, jwk=jwk("RS256", number=1)),
        lambda: signed(claims(), number=1, jku="https://evil.example/jwks", x5u="https://evil.example"),
    ],
)
def test_a_token_without_a_good_signature_is_not_valid(token: Callable[[], str]) -> None:
    assert _judged(token()) == NOT_VALID


@pytest.mark.parametrize("algorithm", ["none", "HS256", "HS512", "PS256", "ES256K", "RS1", "dir", "RS256 "])
def test_no_key_is_looked_for_with_an_algorithm_that_is_not_taken(algorithm: str) -> None:
    method = IssuedTokens(TAKING, NoKeys(), lambda: NOW)
    assert (
        method.identify(Credentials(assembled({"alg": algorithm, "kid": "x"}, claims(), b"x"))) == NOT_VALID
    )


def test_only_configured_algorithms_are_taken() -> None:
    issuer = replace(TAKING, algorithms=("ES256",))
    assert _judged(signed(claims()), issuer) == NOT_VALID
    assert _judged(signed(claims(), "ES256", kid="e"), issuer) == ALICE


def test_a_token_that_names_no_key_is_taken_where_there_is_but_one() -> None:
    assert _judged(signed(claims(), kid=None), TAKING, jwk("RS256", None)) == ALICE
    assert _judged(signed(claims(), kid=None), TAKING, jwk("RS256", None), jwk("ES256")) == NOT_VALID


def test_a_key_is_used_with_its_own_algorithm_alone() -> None:
    assert _judged(signed(claims(), "RS256"), TAKING, jwk("RS256", alg="RS512")) == NOT_VALID
    assert _judged(signed(claims(), "RS256"), TAKING, jwk("RS256", alg="RS256")) == ALICE


def test_of_two_keys_with_one_id_either_may_sign() -> None:
    both = (jwk("RS256", number=1), jwk("RS256"))
    assert _judged(signed(claims()), TAKING, *both) == ALICE


HEADER = {"alg": "RS256", "kid": "k1"}


@pytest.mark.parametrize(
    "token",
    [
        None,
        "",
        "opaque",
        "a.b",
        "a.b.c",
        "a.b.c.d.e",
        "..",
        "é.é.é",
        lambda: assembled(HEADER, [ISSUER]),
        lambda: assembled(HEADER, "text"),
        lambda: assembled([], claims()),  # type: ignore[arg-type]
        lambda: assembled({**HEADER, "alg": 7}, claims()),
        lambda: assembled({**HEADER, "kid": 7}, claims()),
        lambda: assembled({**HEADER, "kid": {"a": 1}}, claims()),
        lambda: assembled({**HEADER, "typ": "logout+jwt"}, claims()),
        lambda: assembled({**HEADER, "typ": 7}, claims()),
        lambda: assembled({**HEADER, "crit": ["exp"]}, claims()),
        lambda: assembled({**HEADER, "crit": []}, claims()),
        lambda: assembled({**HEADER, "crit": ["b64"], "b64": True}, claims()),
        lambda: assembled({**HEADER, "b64": False}, claims()),
        lambda: signed(claims(padding="a" * LONGEST_TOKEN)),
        lambda: _signed_bytes(b"[" * 5000),
        lambda: _signed_bytes(b'{"iss": ' + b"9" * 5000 + b"}"),
        lambda: _signed_bytes(b"\xff"),
    ],
)
def test_what_is_no_plain_token_is_left_to_others(token: str | Callable[[], str] | None) -> None:
    assert _judged(token() if callable(token) else token) is None


@pytest.mark.parametrize("kind", ["JWT", "at+jwt", "AT+JWT", "application/at+jwt"])
def test_id_tokens_and_access_tokens_are_taken(kind: str) -> None:
    assert _judged(signed(claims(), typ=kind)) == ALICE


def test_no_text_of_what_is_told_holds_the_token() -> None:
    token = signed(claims(exp=NOW - 99))
    assert token not in repr(_judged(token))
