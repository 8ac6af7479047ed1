"""Which server is asked, and how it is reached and trusted."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.cli.client.server import Server
from kagent_apply.cli.failure import EnvironmentFailure
from kagent_apply.network.loopback import is_loopback_address

if TYPE_CHECKING:
    import grpc  # type: ignore[import-untyped, unused-ignore]

_LONGEST_TOKEN: Final = 64 << 10
_LARGEST_REPLY: Final = 64 << 20


@dataclass(frozen=True, slots=True)
class Connection:
    """A server's address, and the files of its TLS; `tls` without `ca` trusts the system's authorities."""

    address: str
    tls: bool = False
    ca: Path | None = None
    certificate: Path | None = None
    key: Path | None = None
    token_file: Path | None = None

    @property
    def is_local(self) -> bool:
        """Whether nothing leaves this machine."""
        return is_loopback_address(self.address.removeprefix("dns:///"))


@contextmanager
def connected(connection: Connection) -> Iterator[Server]:
    """A server to ask; raises EnvironmentFailure for files that cannot be read."""
    import grpc  # type: ignore[import-untyped, unused-ignore]

    token = _token(connection)
    local = connection.is_local
    options = [
        ("grpc.enable_http_proxy", 0 if local else 1),
        ("grpc.max_receive_message_length", _LARGEST_REPLY),
    ]
    if _secure(connection):
        channel = grpc.secure_channel(connection.address, _credentials(connection), options)
    else:
        channel = grpc.insecure_channel(connection.address, options)
    with channel:
        yield Server(channel, connection.address, (("authorization", f"Bearer {token}"),) if token else ())


def _secure(connection: Connection) -> bool:
    return connection.tls or connection.ca is not None or connection.certificate is not None


def _credentials(connection: Connection) -> grpc.ChannelCredentials:
    import grpc  # type: ignore[import-untyped, unused-ignore]

    if (connection.certificate is None) != (connection.key is None):
        raise EnvironmentFailure("a client certificate needs its key", "give `--tls-cert` and `--tls-key`")
    return grpc.ssl_channel_credentials(
        *(_read(path) for path in (connection.ca, connection.key, connection.certificate))
    )


def _token(connection: Connection) -> str:
    """The bearer token, which never leaves this machine in the clear."""
    if connection.token_file is None:
        return ""
    if not _secure(connection) and not connection.is_local:
        raise EnvironmentFailure("the token would be sent in the clear", "give `--tls` or `--tls-ca`")
    text = (_read(connection.token_file) or b"")[:_LONGEST_TOKEN].decode("latin-1").strip()
    if not text or not text.isascii() or not text.isprintable() or " " in text:
        raise EnvironmentFailure(f"`{connection.token_file}` holds no token", "write the token alone into it")
    return text


def _read(path: Path | None) -> bytes | None:
    try:
        return path.read_bytes() if path else None
    except OSError as error:
        cause = (error.strerror or "it failed").lower()
        raise EnvironmentFailure(f"`{path}` cannot be read: {cause}") from None


def connection_of(taken: dict[str, Any]) -> Connection:
    """The connection of the flags, taken out of them."""
    return Connection(
        taken.pop("server"),
        taken.pop("tls"),
        *(taken.pop(name) for name in ("tls_ca", "tls_cert", "tls_key", "token_file")),
    )
