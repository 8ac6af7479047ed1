"""The server's side of TLS, with certificates that are replaced while it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import grpc  # type: ignore[import-untyped, unused-ignore]

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class ServerTls:
    """The files of the certificate chain and its key; with `client_ca` clients have to show a certificate."""

    certificate: Path
    key: Path
    client_ca: Path | None = None

    def configuration(self) -> grpc.ServerCertificateConfiguration:
        """What the files hold now; raises OSError."""
        return grpc.ssl_server_certificate_configuration(
            [(self.key.read_bytes(), self.certificate.read_bytes())],
            root_certificates=self.client_ca.read_bytes() if self.client_ca else None,
        )


def server_credentials(tls: ServerTls) -> grpc.ServerCredentials:
    """Credentials that read the files again for each connection; raises OSError where they are not there.

    What cannot be read, or is no certificate, leaves the one before in place: files are replaced one by one.
    """

    def fetch() -> grpc.ServerCertificateConfiguration | None:
        try:
            return tls.configuration()
        except OSError:
            return None

    return grpc.dynamic_ssl_server_credentials(
        tls.configuration(), fetch, require_client_authentication=tls.client_ca is not None
    )
