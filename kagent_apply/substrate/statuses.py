"""What a status of Substrate's means to who asked: try again, or change something first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_apply.substrate.port import ComputeDeniedError, ComputeRefusedError, ComputeUnavailableError
from kagent_apply.substrate.server_text import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kagent_apply.substrate.port import ComputeError
    from kagent_apply.substrate.transport import StatusError

UNCLEAR: Final = frozenset(
    {"UNAVAILABLE", "DEADLINE_EXCEEDED", "ABORTED", "RESOURCE_EXHAUSTED", "INTERNAL", "UNKNOWN", "CANCELLED"}
)
"""Statuses after which nobody knows whether there was an effect, and after which asking again may help."""

_LATER: Final = "try again; if it stays so, look at Substrate's API server and its logs"
_UNAVAILABLE: Final = {
    "UNAVAILABLE": "see that Substrate's API server runs, and that its address and certificates are right",
    "DEADLINE_EXCEEDED": "try again; if it stays so, see whether Substrate has workers that are free",
    "NOT_FOUND": "see that Substrate has what it names; what it lost is made again when it is asked next",
}
_REFUSED: Final = {
    "INVALID_ARGUMENT": "see that the agent was rendered for the release of Substrate that runs",
    "FAILED_PRECONDITION": "see that Substrate has what it names, and that the Actor is in a state for it",
}
_DENIED: Final = {
    "PERMISSION_DENIED": "give this service a role in Substrate's access policy of the atespace",
    "UNAUTHENTICATED": "give this service a client certificate that Substrate knows",
    "UNIMPLEMENTED": "run a release of Substrate of the generation that the agents are rendered for",
}
_CHANGE: Final = "look at Substrate's API server and its logs"


def fault_of(method: str, subject: str, error: StatusError, hidden: Iterable[str] = ()) -> ComputeError:
    """What to raise for a status: `subject` says of what a method was called, `hidden` is never shown.

    Final is only what speaks of the request itself, or of what it would need.
    """
    code = error.code if error.code.isascii() and error.code.isidentifier() else "UNKNOWN"
    told = f"`{method}` of {subject} ended with `{code}`"
    if text := shown(error.text, hidden):
        told += f": {text}"
    if code in UNCLEAR or code in _UNAVAILABLE:
        return ComputeUnavailableError(told, _hint(code))
    if code in _DENIED:
        return ComputeDeniedError(told, _DENIED[code])
    return ComputeRefusedError(told, _REFUSED.get(code, _CHANGE))


def unseen(method: str, subject: str, error: StatusError, hidden: Iterable[str] = ()) -> ComputeError:
    """What to raise where a look would tell what became of a call, and no time is left for it: try again."""
    return ComputeUnavailableError(fault_of(method, subject, error, hidden).message, _hint(error.code))


def _hint(code: str) -> str:
    return _UNAVAILABLE.get(code, _LATER)
