"""Keys, key sets and tokens of an issuer, good ones and bad ones."""

from __future__ import annotations

import base64
import functools
import json
import time
from collections.abc import Callable
from typing import Any

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import get_default_algorithms

ISSUER = "https://issuer.example"
AUDIENCE = "kagent-apply"
NOW = 1_800_000_000.0

_CURVES: dict[str, Callable[[], ec.EllipticCurve]] = {
    "ES256": ec.SECP256R1,
    "ES384": ec.SECP384R1,
    "ES512": ec.SECP521R1,
}


def private_key(algorithm: str, number: int = 0, bits: int = 2048) -> Any:
    """A private key for an algorithm; `number` tells several apart."""
    return _private_key(algorithm, number, bits)


@functools.cache
def _private_key(algorithm: str, number: int, bits: int) -> Any:
    if algorithm == "EdDSA":
        return ed25519.Ed25519PrivateKey.generate()
    if algorithm in _CURVES:
        return ec.generate_private_key(_CURVES[algorithm]())
    return rsa.generate_private_key(65537, bits)


def jwk(
    algorithm: str, kid: str | None = "k1", number: int = 0, bits: int = 2048, **given: Any
) -> dict[str, Any]:
    """The public key as a member of a key set, with `given` in it."""
    maker = get_default_algorithms()[algorithm]
    member = dict(maker.to_jwk(private_key(algorithm, number, bits).public_key(), as_dict=True))
    member.pop("key_ops", None)
    named = {} if kid is None else {"kid": kid}
    return {**member, **named, **given}


def private_jwk(algorithm: str, kid: str) -> dict[str, Any]:
    """The private key, which nobody should publish."""
    maker = get_default_algorithms()[algorithm]
    member = dict(maker.to_jwk(private_key(algorithm), as_dict=True))
    return {**member, "kid": kid, "key_ops": ["verify"]}


def key_set(*members: Any) -> bytes:
    """A JSON Web Key Set."""
    return json.dumps({"keys": list(members)}).encode()


def claims(**given: Any) -> dict[str, Any]:
    """Good claims, but for what is `given`; those that are None are left out."""
    values = {"iss": ISSUER, "aud": AUDIENCE, "sub": "alice", "exp": NOW + 600, "iat": NOW, **given}
    return {name: value for name, value in values.items() if value is not None}


def current(issuer: str, **given: Any) -> dict[str, Any]:
    """Good claims of an issuer by the real clock."""
    return claims(**{"iss": issuer, "exp": time.time() + 600, "iat": time.time(), **given})


def signed(
    content: dict[str, Any], algorithm: str = "RS256", kid: str | None = "k1", number: int = 0, **header: Any
) -> str:
    """A token; `header` is added to its header."""
    named = {} if kid is None else {"kid": kid}
    return jwt.encode(
        content, private_key(algorithm, number), algorithm=algorithm, headers={**named, **header}
    )


def public_pem(algorithm: str = "RS256") -> bytes:
    """The public key as anybody has it."""
    public: rsa.RSAPublicKey = private_key(algorithm).public_key()
    return public.public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)


def assembled(header: dict[str, Any], content: Any, signature: bytes = b"") -> str:
    """A token out of any parts."""
    parts = (json.dumps(header).encode(), json.dumps(content).encode(), signature)
    return ".".join(base64.urlsafe_b64encode(part).rstrip(b"=").decode() for part in parts)
