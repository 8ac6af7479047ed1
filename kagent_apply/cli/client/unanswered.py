"""Why a server does not answer, as gRPC's words for it tell, and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A cause and what to do; `lasting` where asking again does not help."""

    cause: str
    hint: str
    lasting: bool = False


_CAUSES: Final = {
    "Connection refused": Unanswered(
        "nothing listens there", "start `kagent-apply serve`, or give the address of a server in `--server`"
    ),
    "errors resolving": Unanswered("its host has no address", "correct the host in `--server`"),
    "CERTIFICATE_VERIFY_FAILED": Unanswered(
        "its certificate is not trusted", "give who vouches for it in `--tls-ca`", lasting=True
    ),
    "Hostname Verification": Unanswered(
        "its certificate is for another host", "give a name that is in it in `--server`", lasting=True
    ),
    "Failed to create security handshaker": Unanswered(
        "the files of TLS cannot be used",
        "give certificates in `--tls-ca` and `--tls-cert`, the key in `--tls-key`, and PEM in all",
        lasting=True,
    ),
    "WRONG_VERSION_NUMBER": Unanswered(
        "it does not speak TLS", "leave `--tls`, `--tls-ca` and `--tls-cert` out", lasting=True
    ),
    "CERTIFICATE_REQUIRED": Unanswered(
        "it asks for a client certificate", "give `--tls-cert` and `--tls-key`", lasting=True
    ),
    "Failed parsing HTTP/2": Unanswered(
        "it does not speak gRPC", "give where calls are taken, not where metrics are", lasting=True
    ),
    "Socket closed": Unanswered(
        "it ends the connection", "give `--tls` or `--tls-ca` where it speaks TLS, else see its log"
    ),
}
"""By a part of what gRPC says; the first that is in it counts, so that those of TLS go before the rest."""

_OTHER: Final = Unanswered("", "see whether it runs, and `--server` is its address")


def unanswered(details: str) -> Unanswered:
    """What is behind gRPC's words; without a cause where they are not known."""
    return next((found for part, found in _CAUSES.items() if part in details), _OTHER)
