"""Callers by the client certificate that TLS has verified."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from kagent_apply.auth.method import Rejected
from kagent_apply.auth.names import is_name
from kagent_apply.auth.port import Caller

if TYPE_CHECKING:
    from kagent_apply.auth.port import Credentials, PeerCertificate

_NAMELESS = Rejected(
    "the client certificate names nobody", "use one with one URI as its subject alternative name"
)


class CertificateName(StrEnum):
    """Where a certificate says who holds it."""

    URI = "uri"
    COMMON_NAME = "common-name"


@dataclass(frozen=True, slots=True)
class ClientCertificates:
    """Names a caller by the first of `sources` that a certificate has, with `prefix` before it."""

    sources: tuple[CertificateName, ...] = (CertificateName.URI, CertificateName.COMMON_NAME)
    prefix: str = ""
    name: str = "certificate"
    taken: str = "a client certificate"
    by_token: bool = False

    def identify(self, credentials: Credentials) -> Caller | Rejected | None:
        """The caller; None without a certificate, Rejected where it names nobody, or several."""
        if credentials.certificate is None:
            return None
        for source in self.sources:
            if (found := _name(credentials.certificate, source)) is not None:
                subject = self.prefix + found
                return Caller(subject, (), self.name) if found and is_name(subject) else _NAMELESS
        return _NAMELESS


def _name(certificate: PeerCertificate, source: CertificateName) -> str | None:
    """None where there is no such name; empty for one that cannot be used."""
    return _uri(certificate.uris) if source is CertificateName.URI else _common_name(certificate.common_name)


def _uri(uris: tuple[str, ...]) -> str | None:
    """Of several none is chosen: a certificate of SPIFFE has exactly one (X.509-SVID §2)."""
    if not uris:
        return None
    return uris[0] if len(uris) == 1 else ""


def _common_name(text: str) -> str | None:
    """What looks like a URI must not be taken for one that an authority gave."""
    if not text:
        return None
    return "" if "://" in text else text
