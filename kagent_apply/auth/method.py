"""One way to tell who calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from kagent_apply.auth.port import Caller, Credentials


@dataclass(frozen=True, slots=True)
class Rejected:
    """The credentials were meant for this method, and are not good: no other is asked."""

    message: str
    hint: str


NOT_VALID = Rejected("the bearer token is not valid", "get a new token, and try again")
"""All that is told of a token that is not good, but for one that has expired."""

EXPIRED = Rejected("the bearer token has expired", "get a new token, and try again")


class Method(Protocol):
    """One kind of authentication; asked from several threads at once.

    `name` is what a Caller and the audit log say of it, `taken` what a client has to send for it, and
    `by_token` says whether that is a bearer token.
    """

    @property
    def name(self) -> str: ...  # noqa: D102  (told above)
    @property
    def taken(self) -> str: ...  # noqa: D102
    @property
    def by_token(self) -> bool: ...  # noqa: D102

    def identify(self, credentials: Credentials) -> Caller | Rejected | None:
        """The caller; None where the credentials are none of this method's, so that the next is asked.

        Raises AuthenticationUnavailableError.
        """
        ...
