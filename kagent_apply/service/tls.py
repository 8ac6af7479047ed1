"""The server's side of TLS, with certificates that are replaced while it runs."""

from __future__ import annotations

import ssl
from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc

if TYPE_CHECKING:
    from pathlib import Path


class CertificateError(Exception):
    """The files of a server's TLS cannot be used, or not with each other; gRPC tells its own log alone."""


@dataclass(frozen=True, slots=True)
class ServerTls:
    """The files of the certificate chain and its key; with `client_ca` clients have to show a certificate."""

    certificate: Path
    key: Path
    client_ca: Path | None = None

    def check(self) -> None:
        """See that the files are certificates and the key of the first; raises OSError, CertificateError."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        for path in (self.certificate, self.key, *([self.client_ca] if self.client_ca else ())):
            path.open("rb").close()  # an error of ssl names no file
        try:
            context.load_cert_chain(self.certificate, self.key, password="")
            if self.client_ca:
                context.load_verify_locations(self.client_ca)
        except ssl.SSLError:
            raise CertificateError("the server's certificate and key cannot be used") from None

    def configuration(self) -> grpc.ServerCertificateConfiguration:
        """What the files hold now; raises OSError."""
        return grpc.ssl_server_certificate_configuration(
            [(self.key.read_bytes(), self.certificate.read_bytes())],
            root_certificates=self.client_ca.read_bytes() if self.client_ca else None,
        )


def server_credentials(tls: ServerTls) -> grpc.ServerCredentials:
    """Credentials that read the files again for each connection; raises OSError, CertificateError.

    What cannot be read, or is no certificate, leaves the one before in place: files are replaced one by one.
    """
    tls.check()

    def fetch() -> grpc.ServerCertificateConfiguration | None:
        try:
            tls.check()
            return tls.configuration()
        except (OSError, CertificateError):
            return None

    return grpc.dynamic_ssl_server_credentials(
        tls.configuration(), fetch, require_client_authentication=tls.client_ca is not None
    )
