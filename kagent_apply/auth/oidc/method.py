"""Callers by the tokens of one issuer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_apply.auth.method import NOT_VALID
from kagent_apply.auth.oidc.claims import OIDC, judge_claims
from kagent_apply.auth.oidc.token import is_signed_by, read_token

if TYPE_CHECKING:
    from kagent_apply.auth.method import Rejected
    from kagent_apply.auth.oidc.issuer import Issuer
    from kagent_apply.auth.oidc.keys import Keys
    from kagent_apply.auth.oidc.token import UnverifiedToken
    from kagent_apply.auth.port import Caller, Credentials

WallClock = Callable[[], float]
"""Seconds since 1970: `time.time`."""


@dataclass(frozen=True, slots=True)
class IssuedTokens:
    """Knows callers by tokens that say they are of `issuer`, and are signed by one of `keys`."""

    issuer: Issuer
    keys: Keys
    now: WallClock
    name: str = OIDC
    taken: str = "a bearer token of an OIDC issuer that this server takes"
    by_token: bool = True

    def identify(self, credentials: Credentials) -> Caller | Rejected | None:
        """The caller; None for what is no token of this issuer. Raises AuthenticationUnavailableError."""
        token = read_token(credentials.bearer) if credentials.bearer is not None else None
        if token is None or token.claims.get("iss") != self.issuer.url:
            return None
        return judge_claims(token.claims, self.issuer, self.now()) if self._is_signed(token) else NOT_VALID

    def _is_signed(self, token: UnverifiedToken) -> bool:
        # Before a key is looked for, which an unknown one could make a request of.
        if token.algorithm not in self.issuer.algorithms:
            return False
        return any(is_signed_by(token, key) for key in self.keys.matching(token.key_id))
