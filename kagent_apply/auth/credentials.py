"""What a call brings to show who makes it, out of the parts of gRPC's context."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kagent_apply.auth.port import Credentials, PeerCertificate, UnauthenticatedError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_BEARER: Final = re.compile(r"bearer +(?P<token>[!-~]+) *", re.IGNORECASE)
"""RFC 6750 §2.1, with every visible character in a token, since those of a list may be anything."""

_HINT: Final = "send one `authorization: Bearer TOKEN`, or none"


def read_credentials(
    metadata: Iterable[tuple[str, str | bytes]], auth_context: Mapping[str, Iterable[bytes]], peer: str
) -> Credentials:
    """The credentials in a call's metadata and transport; UnauthenticatedError where a header is no token.

    A certificate counts as verified: servers of grpcio either ask for none, or verify it.
    """
    values = [value for key, value in metadata if key.lower() == "authorization"]
    if len(values) > 1:
        raise UnauthenticatedError("the call has more than one `authorization`", _HINT)
    return Credentials(_bearer(values[0]) if values else None, _certificate(auth_context), peer)


def _bearer(value: str | bytes) -> str:
    found = _BEARER.fullmatch(value) if isinstance(value, str) else None
    if found is None:
        raise UnauthenticatedError("the `authorization` of the call is no bearer token", _HINT)
    return found["token"]


def _certificate(auth_context: Mapping[str, Iterable[bytes]]) -> PeerCertificate | None:
    if not _texts(auth_context, "x509_pem_cert"):
        return None
    names = _texts(auth_context, "x509_common_name")
    return PeerCertificate(names[0] if len(names) == 1 else "", tuple(_texts(auth_context, "peer_uri")))


def _texts(auth_context: Mapping[str, Iterable[bytes]], key: str) -> list[str]:
    """What cannot be decoded is kept as something that no name is."""
    return [value.decode(errors="backslashreplace") for value in auth_context.get(key, ())]
