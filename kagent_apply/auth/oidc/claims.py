"""Whom the claims of a token name, once its signature is known to be good."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.auth.method import EXPIRED, NOT_VALID, Rejected
from kagent_apply.auth.names import is_name
from kagent_apply.auth.port import Caller

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_apply.auth.oidc.issuer import Issuer

MOST_GROUPS: Final = 1000
"""Groups of one caller."""

OIDC: Final = "oidc"
"""The name of this kind of authentication."""


def judge_claims(claims: Mapping[str, Any], issuer: Issuer, now: float) -> Caller | Rejected:
    """The caller whom a token of `issuer` names at `now`, in seconds since 1970 (RFC 7519 §4.1)."""
    expires = _seconds(claims.get("exp"))
    if claims.get("iss") != issuer.url or not _is_for_us(claims, issuer) or expires is None:
        return NOT_VALID
    if not _has_begun(claims, now + issuer.clock_skew):
        return NOT_VALID
    caller = _caller(claims, issuer)
    if caller is None:
        return NOT_VALID
    return caller if now - issuer.clock_skew < expires else EXPIRED


def _is_for_us(claims: Mapping[str, Any], issuer: Issuer) -> bool:
    audience = claims.get("aud")
    named = [audience] if isinstance(audience, str) else audience
    return isinstance(named, list) and any(one in issuer.audiences for one in named if isinstance(one, str))


def _has_begun(claims: Mapping[str, Any], now: float) -> bool:
    times = [_seconds(claims[name]) for name in ("nbf", "iat") if name in claims]
    return all(time is not None and time <= now for time in times)


def _seconds(value: object) -> float | None:
    """A NumericDate; None for what is none, such as `1e999`, which would never come."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        seconds = float(value)
    except OverflowError:
        return None
    return seconds if math.isfinite(seconds) else None


def _caller(claims: Mapping[str, Any], issuer: Issuer) -> Caller | None:
    subject, groups = claims.get(issuer.subject_claim), _groups(claims, issuer)
    if not isinstance(subject, str) or not subject or groups is None:
        return None
    # Anybody can claim an address with an issuer that has not asked the address (OpenID Connect Core §5.7).
    if issuer.subject_claim == "email" and claims.get("email_verified") is not True:
        return None
    named = issuer.prefix + subject
    return Caller(named, groups, OIDC) if is_name(subject) and is_name(named) else None


def _groups(claims: Mapping[str, Any], issuer: Issuer) -> tuple[str, ...] | None:
    value = claims.get(issuer.groups_claim, []) if issuer.groups_claim else []
    groups = [value] if isinstance(value, str) else value
    if not isinstance(groups, list) or len(groups) > MOST_GROUPS or not all(map(is_name, groups)):
        return None
    named = tuple(issuer.prefix + group for group in groups)
    return named if all(map(is_name, named)) else None
