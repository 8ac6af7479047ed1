"""What has to be so before the service listens beyond this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_apply.auth.addresses import is_local_listener
from kagent_apply.instances.fault import FieldFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_STAY = "or listen on `127.0.0.1`"


def exposure_faults(listens: Iterable[str], *, tls: bool, authenticated: bool) -> list[FieldFault]:
    """Why the service may not start: beyond loopback it needs TLS, and an authenticator that asks for proof.

    `authenticated` is False where every caller, or every caller of this machine, is taken for `local`.
    """
    if all(is_local_listener(listen) for listen in listens):
        return []
    return list(_faults(tls=tls, authenticated=authenticated))


def _faults(*, tls: bool, authenticated: bool) -> Iterator[FieldFault]:
    if not tls:
        message = "the service would listen beyond this machine without TLS"
        yield FieldFault("listen", message, f"give a certificate and its key, {_STAY}")
    if not authenticated:
        message = "the service would listen beyond this machine without asking who calls"
        yield FieldFault("listen", message, f"configure tokens, client certificates or OIDC, {_STAY}")
