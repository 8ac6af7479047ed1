"""Development on one machine: every caller of it is `local`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kagent_apply.auth.addresses import is_local_peer
from kagent_apply.auth.port import Caller

if TYPE_CHECKING:
    from kagent_apply.auth.port import Credentials

LOCAL: Final = Caller("local", (), "local")
"""Who calls, where nobody is asked."""


@dataclass(frozen=True, slots=True)
class LocalCallers:
    """Takes callers of this machine without a proof, and no others."""

    name: str = "local"
    taken: str = "the call from the machine of the server"
    by_token: bool = False

    def identify(self, credentials: Credentials) -> Caller | None:
        """The caller `local`; None for an address of another machine."""
        return LOCAL if is_local_peer(credentials.peer) else None
