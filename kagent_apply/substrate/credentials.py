"""What TLS connections to a Control service need, read of files that others replace when it expires."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import grpc

from kagent_apply.substrate.port import ComputeRefusedError

if TYPE_CHECKING:
    from typing import Any

_LARGEST: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class TLS:
    """The files of a TLS connection.

    Without `authority` the system's are trusted. Without `key`, `certificate` holds the key as well.
    `server_name` is what the server's certificate has to be for, where that is not the address's host.
    """

    authority: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    server_name: str = ""

    @property
    def files(self) -> tuple[Path, ...]:
        """Every file that is read."""
        return tuple(path for path in (self.authority, self.certificate, self.key) if path)


Stamp = tuple[tuple[int, int, int], ...]
"""What changes with any of the files: their times, sizes and places on the disk."""


def stamp_of(tls: TLS) -> Stamp:
    """The stamp of the files as they are now; raises OSError."""
    found = [path.stat() for path in tls.files]
    return tuple((status.st_mtime_ns, status.st_size, status.st_ino) for status in found)


def read_credentials(tls: TLS) -> Any:
    """The credentials of a channel, of what the files hold now; raises ComputeRefusedError."""
    if tls.key and not tls.certificate:
        raise ComputeRefusedError("there is a key for Substrate without a certificate", "give both")
    certificate = _bytes(tls.certificate) if tls.certificate else None
    key = _bytes(tls.key) if tls.key else certificate
    authority = _bytes(tls.authority) if tls.authority else None
    return grpc.ssl_channel_credentials(authority, key, certificate)


def _bytes(path: Path) -> bytes:
    """What a file holds, which has to be in PEM: of anything else, gRPC would only say so in its log."""
    try:
        with path.open("rb") as file:
            content = file.read(_LARGEST + 1)
    except OSError as error:
        raise ComputeRefusedError(
            f"`{path}` cannot be read: {error.strerror or 'no reason was given'}",
            "see that the file is there, and that this service may read it",
        ) from None
    if len(content) > _LARGEST or b"-----BEGIN " not in content:
        raise ComputeRefusedError(f"`{path}` is not in PEM", "give certificates and keys in PEM")
    return content
