"""A JSON Web Key Set: the public keys of it that can verify a token, and with which algorithms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

MOST_KEYS: Final = 100
"""Keys of one set."""

SMALLEST_RSA: Final = 2048
LARGEST_RSA: Final = 8192
"""Bits; verifying with larger keys takes callers' time."""

_RSA: Final = frozenset({"RS256", "RS384", "RS512"})
_CURVES: Final = {"P-256": "ES256", "P-384": "ES384", "P-521": "ES512", "Ed25519": "EdDSA"}


class KeySetError(Exception):
    """What was read is no set of keys; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class VerificationKey:
    """A public key, its id, empty where it has none, and the algorithms that it may be used with."""

    id: str
    algorithms: frozenset[str]
    key: Any = field(repr=False)


def read_key_set(data: bytes) -> tuple[VerificationKey, ...]:
    """The usable keys of a set, at least one; raises KeySetError."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        raise KeySetError("the key set is not JSON") from None
    members = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(members, list) or len(members) > MOST_KEYS:
        raise KeySetError(f"the key set has no list of at most {MOST_KEYS} `keys`")
    keys = tuple(key for member in members if (key := _key(member)) is not None)
    if not keys:
        raise KeySetError("the key set has no key that can verify a token")
    return keys


def _key(member: object) -> VerificationKey | None:
    """None for what is of another use or kind, or not a public key: a set may hold such, too."""
    if not isinstance(member, Mapping) or not _verifies(member):
        return None
    algorithms = _algorithms(member)
    public = _public_key(member, algorithms)
    key_id = member.get("kid", "")
    if public is None or not isinstance(key_id, str):
        return None
    return VerificationKey(key_id, algorithms, public)


def _verifies(member: Mapping[str, Any]) -> bool:
    """RFC 7517 §4.2 and §4.3; whoever publishes a private key has lost it."""
    operations = member.get("key_ops", ["verify"])
    return (
        "d" not in member
        and member.get("use", "sig") == "sig"
        and isinstance(operations, list)
        and "verify" in operations
    )


def _algorithms(member: Mapping[str, Any]) -> frozenset[str]:
    """By the key's own kind, never by what a token says; narrowed by `alg` where it has one."""
    curve = member.get("crv")
    if member.get("kty") == "RSA":
        possible = _RSA
    elif member.get("kty") in ("EC", "OKP") and isinstance(curve, str) and curve in _CURVES:
        possible = frozenset({_CURVES[curve]})
    else:
        possible = frozenset()
    return possible & {member["alg"]} if isinstance(member.get("alg"), str) else possible


def _public_key(member: Mapping[str, Any], algorithms: frozenset[str]) -> Any:
    from jwt import PyJWK
    from jwt.exceptions import PyJWTError

    if not algorithms:
        return None
    try:
        public = PyJWK(dict(member), algorithm=min(algorithms)).key
    except (PyJWTError, ValueError, TypeError, KeyError):
        return None
    size = getattr(public, "key_size", SMALLEST_RSA) if member["kty"] == "RSA" else SMALLEST_RSA
    return public if SMALLEST_RSA <= size <= LARGEST_RSA else None
