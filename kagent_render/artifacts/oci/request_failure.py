"""What a failed request means for the person who asked for the artifact."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.artifacts.oci.failure import OciFault, not_fetched, not_found

if TYPE_CHECKING:
    from collections.abc import Iterator

    from requests import Response

    from kagent_render.artifacts.oci.descriptor import Descriptor
    from kagent_render.artifacts.oci.tag import Tag

_NETWORK_HINT = "check the reference, the network and `artifacts.oci` in `kagent-render.yaml`"


def fault_of(error: Exception, host: str) -> OciFault | None:
    """The fault that an exception of requests or urllib3 stands for; None for one that is a bug of ours."""
    from requests import exceptions
    from urllib3.exceptions import HTTPError
    from urllib3.exceptions import TimeoutError as Urllib3Timeout

    if isinstance(error, OciFault):
        return error
    if isinstance(error, (TimeoutError, exceptions.Timeout, Urllib3Timeout)):
        return unanswered(host)
    if isinstance(error, exceptions.SSLError):
        return _tls_fault(error, host)
    if isinstance(error, exceptions.ProxyError):
        return not_fetched(f"the proxy on the way to `{host}` failed", "check `HTTPS_PROXY` and `NO_PROXY`")
    if isinstance(error, (exceptions.ConnectionError, HTTPError, ConnectionError)):
        what = f"the connection to `{host}` failed"
        return not_fetched(what, _NETWORK_HINT, passing=True, unreachable=True)
    if isinstance(error, (exceptions.RequestException, UnicodeError)):
        return not_fetched(f"`{host}` cannot be asked (`{type(error).__name__}`)", _NETWORK_HINT)
    return None


def unanswered(host: str) -> OciFault:
    """The fault of a host that did not answer in time."""
    return not_fetched(f"`{host}` did not answer in time", _NETWORK_HINT, passing=True, unreachable=True)


def denied(host: str, *, login: bool) -> OciFault:
    """The fault of a host that refuses the login, or the request without one."""
    if login:
        return not_fetched(
            f"access was denied by `{host}` to the login that is configured for it",
            f"log in again with `docker login {host}`, or check that the repository exists and may be pulled",
            refused=True,
        )
    return not_fetched(
        f"access was denied by `{host}`, and no login is configured for it",
        f"log in with `docker login {host}`, or check that the repository exists and may be pulled",
        refused=True,
    )


def check_status(answer: Response, host: str, wanted: Descriptor | Tag, *, login: bool) -> None:
    """Raise OciFault where the answer to a request for `wanted`, with a `login` or not, is not a success."""
    status = answer.status_code
    if status == 200:
        return
    answer.close()
    if status in {404, 410}:
        raise not_found(
            f"`{host}` does not have {wanted.title}",
            f"check the repository and the {wanted.kind}; it may have been deleted",
        )
    if status in {401, 403}:
        raise denied(host, login=login)
    if status == 429:
        hint = f"wait, log in with `docker login {host}`, or set a mirror in `artifacts.oci.mirrors`"
        raise not_fetched(f"`{host}` limits how often it may be asked", hint, passing=True)
    raise not_fetched(f"`{host}` answered {status}", passing=status >= 500)


def _tls_fault(error: Exception, host: str) -> OciFault:
    import ssl

    if any(isinstance(cause, ssl.SSLCertVerificationError) for cause in _causes(error)):
        return not_fetched(
            f"the certificate of `{host}` is not trusted",
            "set `SSL_CERT_FILE` or `REQUESTS_CA_BUNDLE` to the certificate of its authority",
        )
    return not_fetched(
        f"`{host}` does not speak TLS as it should",
        "check the port; a registry without TLS has to be listed in `artifacts.oci.insecure`",
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """The exceptions that led to this one; the libraries keep them as arguments and in `reason`."""
    waiting = [error]
    while waiting:
        cause = waiting.pop()
        if isinstance(cause, BaseException):
            yield cause
            waiting += [cause.__cause__, *cause.args, getattr(cause, "reason", None)]
