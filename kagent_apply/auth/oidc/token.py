"""A JSON Web Token: read before anything is believed of it, and its signature."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_apply.auth.oidc.key_set import VerificationKey

LONGEST_TOKEN: Final = 16 * 1024
"""Characters."""

_TYPES: Final = ("", "jwt", "at+jwt", "application/jwt", "application/at+jwt")
"""Of ID tokens and access tokens; one that was made for something else is no proof (RFC 8725 §3.11)."""


@dataclass(frozen=True, slots=True)
class UnverifiedToken:
    """What a token says of itself; `key_id` is empty where it names no key."""

    text: str = field(repr=False)
    algorithm: str
    key_id: str
    claims: Mapping[str, Any] = field(repr=False)


def read_token(text: str) -> UnverifiedToken | None:
    """A signed token in the compact form; None for anything else, also for one with demands of its own."""
    from jwt.api_jws import PyJWS
    from jwt.exceptions import PyJWTError

    if len(text) > LONGEST_TOKEN or text.count(".") != 2 or not text.isascii():
        return None
    try:
        parts = PyJWS().decode_complete(text, options={"verify_signature": False})
        claims = json.loads(parts["payload"])
    except (PyJWTError, ValueError, TypeError, RecursionError):
        return None
    header, algorithm = parts["header"], parts["header"].get("alg")
    if not _is_plain(header) or not isinstance(algorithm, str) or not isinstance(claims, dict):
        return None
    return UnverifiedToken(text, algorithm, header.get("kid", ""), claims)


def is_signed_by(token: UnverifiedToken, key: VerificationKey) -> bool:
    """Whether a key of that algorithm verifies the token."""
    from jwt.api_jws import PyJWS
    from jwt.exceptions import PyJWTError

    if token.algorithm not in key.algorithms:
        return False
    try:
        PyJWS().decode(token.text, key.key, algorithms=[token.algorithm])
    except (PyJWTError, ValueError, TypeError):
        return False
    return True


def _is_plain(header: Mapping[str, Any]) -> bool:
    """Without an extension that would have to be understood (RFC 7515 §4.1.11), and made to be a proof."""
    kind, key_id = header.get("typ", ""), header.get("kid", "")
    return (
        "crit" not in header and isinstance(key_id, str) and isinstance(kind, str) and kind.lower() in _TYPES
    )
