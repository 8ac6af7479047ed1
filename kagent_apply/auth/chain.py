"""Several ways to tell who calls, asked in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_apply.auth.method import NOT_VALID
from kagent_apply.auth.port import Caller, UnauthenticatedError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kagent_apply.auth.method import Method
    from kagent_apply.auth.port import Credentials


@dataclass(frozen=True, slots=True)
class Authenticators:
    """The first method that knows the credentials says who calls.

    Whoever sends a bearer token is judged by it wherever one is taken: neither a certificate nor a loopback
    address stands in for a token that is not good.
    """

    methods: tuple[Method, ...]

    def authenticate(self, credentials: Credentials) -> Caller:
        """The caller; raises UnauthenticatedError and AuthenticationUnavailableError."""
        for method in self._asked(credentials):
            found = method.identify(credentials)
            if isinstance(found, Caller):
                return found
            if found is not None:
                raise UnauthenticatedError(found.message, found.hint)
        raise UnauthenticatedError(self._told(credentials), f"send {self._taken()}")

    def _asked(self, credentials: Credentials) -> Iterator[Method]:
        by_token = self._judged_by_token(credentials)
        return (method for method in self.methods if method.by_token is by_token)

    def _judged_by_token(self, credentials: Credentials) -> bool:
        return credentials.bearer is not None and any(method.by_token for method in self.methods)

    def _told(self, credentials: Credentials) -> str:
        return (
            NOT_VALID.message if self._judged_by_token(credentials) else "the call does not say who makes it"
        )

    def _taken(self) -> str:
        kinds = list(dict.fromkeys(method.taken for method in self.methods))
        return " or ".join(kinds) or "nothing: this server takes no calls"
