"""What the service asks about whoever calls it: who that is, and whether they may."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Verb(StrEnum):
    """What a caller asks to do in a namespace, as a policy names it (facts 8.2)."""

    CREATE = "create"
    GET = "get"
    LIST = "list"
    UPDATE = "update"
    """Suspending and resuming."""
    DELETE = "delete"
    SHARE = "share"
    """Making, listing and revoking shares."""
    ALL_CREATORS = "all-creators"
    """Listing what others created, which needs `list` besides."""


@dataclass(frozen=True, slots=True)
class PeerCertificate:
    """What names the holder of a certificate that TLS has verified: its common name, and URIs beside it."""

    common_name: str = ""
    uris: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a call brings to show who makes it; `peer` is its address as gRPC writes it.

    No text of this value shows the token.
    """

    bearer: str | None = field(default=None, repr=False)
    certificate: PeerCertificate | None = None
    peer: str = ""


@dataclass(frozen=True, slots=True)
class Caller:
    """Whoever calls; `method` is the kind of authentication that says so, such as `tokens` or `oidc`.

    `subject` is the creator of what they create.
    """

    subject: str
    groups: tuple[str, ...] = ()
    method: str = ""


class AuthenticationError(Exception):
    """Nobody can be named as the caller: one sentence, and what to do; neither holds what was sent."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class UnauthenticatedError(AuthenticationError):
    """The credentials name nobody: `UNAUTHENTICATED`."""


class AuthenticationUnavailableError(AuthenticationError):
    """Whether they name somebody cannot be found out just now: `UNAVAILABLE`, try again."""


class Authenticator(Protocol):
    """Tells who calls; asked from several threads at once."""

    def authenticate(self, credentials: Credentials) -> Caller:
        """The caller; raises UnauthenticatedError and AuthenticationUnavailableError."""
        ...


class Authorizer(Protocol):
    """Tells what a caller may do; asked from several threads at once, and answers without waiting."""

    def allows(self, caller: Caller, verb: Verb, namespace: str, name: str = "") -> bool:
        """Whether a caller may; `name` is what it is done to, where that is one thing.

        Whose instances they may do it to is asked elsewhere: their own.
        """
        ...
