"""What an HTTP status or an exception of urllib3 means for the person who asked for the artifact."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_render.artifacts.git.failure import GitFailure, not_found, unfetched

if TYPE_CHECKING:
    from collections.abc import Mapping

_STORE_CREDENTIALS: Final = (
    "store credentials for the host where `git credential fill` finds them, or in `~/.netrc`"
)


def is_transient_status(status: int) -> bool:
    """Whether the same request may well succeed a moment later."""
    return status == 429 or status >= 500


def is_transient(error: Exception) -> bool:
    """Whether the same request may well succeed a moment later."""
    from urllib3 import exceptions

    if isinstance(error, exceptions.ProxyError):
        return False
    return isinstance(
        error, (exceptions.ProtocolError, exceptions.TimeoutError, exceptions.NewConnectionError)
    )


def connection_failure(error: Exception) -> GitFailure:
    """The failure that an exception of urllib3 stands for."""
    from urllib3 import exceptions

    cause = getattr(error, "original_error", error)
    if isinstance(cause, exceptions.SSLError):
        return _encryption_failure(cause)
    if isinstance(error, exceptions.ProxyError):
        return unfetched("the proxy could not be used", "check `http_proxy`, `https_proxy` and `no_proxy`")
    # A refused connection and an unknown name are time-outs to urllib3, by inheritance.
    refused = isinstance(error, exceptions.NewConnectionError)
    if isinstance(error, exceptions.TimeoutError) and not refused:
        return unanswered()
    return unfetched("the connection failed", "check `url` and the network")


def _encryption_failure(error: Exception) -> GitFailure:
    from ssl import SSLCertVerificationError

    if any(isinstance(cause, SSLCertVerificationError) for cause in error.args):
        return unfetched(
            "the server's certificate is not trusted",
            "set `GIT_SSL_CAINFO` to a PEM file with its certificate authority",
        )
    return unfetched("no encrypted connection could be made", "check that the server speaks TLS at `url`")


def unanswered() -> GitFailure:
    """The failure of a server that did not answer in time."""
    return unfetched("the server did not answer in time", "check `url` and the network")


def status_failure(status: int, *, authorized: bool) -> GitFailure:
    """The failure that a final status stands for; `authorized` says whether credentials were sent."""
    if status == 401 and authorized:
        return unfetched("the server refused the credentials", "renew the credentials that are stored")
    if status == 401:
        return unfetched("the server asks for credentials, and none were found", _STORE_CREDENTIALS)
    if status == 403:
        return unfetched("access was denied", "check what the credentials for the host may read")
    if status in {404, 410}:
        return not_found(
            "there is no repository at that URL",
            "check `url`; a private repository may hide from those without credentials: check these too",
        )
    if status == 407:
        return unfetched("the proxy asks for credentials", "add them to `http_proxy` or `https_proxy`")
    return unfetched(
        f"the server answered {status}", "try again later" if is_transient_status(status) else None
    )


def asks_for_basic(headers: Mapping[str, str]) -> bool:
    """Whether a server that answered 401 takes a user name and password."""
    challenge = headers.get("WWW-Authenticate", "basic")
    return "basic" in challenge.lower()
