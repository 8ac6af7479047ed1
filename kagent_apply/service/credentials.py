"""What a call brings to show who makes it, out of its metadata and its connection."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kagent_apply.auth.port import Credentials, PeerCertificate, UnauthenticatedError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import grpc  # type: ignore[import-untyped, unused-ignore]

_BEARER: Final = re.compile(r"bearer +([^\s]+)", re.IGNORECASE)
_URI: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def credentials_of(context: grpc.ServicerContext) -> Credentials:
    """The credentials of a call; raises UnauthenticatedError for an `authorization` that cannot be read."""
    return Credentials(
        bearer=_bearer(context.invocation_metadata()),
        certificate=_certificate(context.auth_context()),
        peer=context.peer(),
    )


def _bearer(metadata: Sequence[tuple[str, str | bytes]]) -> str | None:
    """The token of the one `authorization`; two could be read differently by whoever stands in front."""
    found = [value for key, value in metadata if key == "authorization"]
    if not found:
        return None
    text = found[0] if isinstance(found[0], str) else found[0].decode("latin-1")
    match = _BEARER.fullmatch(text)
    if len(found) > 1 or match is None:
        raise UnauthenticatedError(
            "`authorization` is not one bearer token", "send `authorization: Bearer <token>` once"
        )
    return match[1]


def _certificate(auth: Mapping[str, Sequence[bytes]]) -> PeerCertificate | None:
    """Whom the client's certificate names; None without one that TLS has verified."""
    if "x509_pem_cert" not in auth:
        return None
    names = [name.decode("utf-8", "replace") for name in auth.get("x509_common_name", ())]
    others = [name.decode("utf-8", "replace") for name in auth.get("x509_subject_alternative_name", ())]
    return PeerCertificate(names[0] if names else "", tuple(name for name in others if _URI.match(name)))
