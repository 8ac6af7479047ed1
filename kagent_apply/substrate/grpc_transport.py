"""Calls of a Control service over a network."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final

import grpc

from kagent_apply.substrate.address import read_address
from kagent_apply.substrate.credentials import read_credentials, stamp_of
from kagent_apply.substrate.port import ComputeRefusedError
from kagent_apply.substrate.transport import StatusError
from kagent_render.target.messages import call_path

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from google.protobuf.message import Message

    from kagent_apply.substrate.address import Address
    from kagent_apply.substrate.credentials import TLS, Stamp
    from kagent_apply.substrate.transport import ReplyT

    Headers = Callable[[], Sequence[tuple[str, str]]]
    """Gives what goes with a call beside its request, as trace context does."""

LARGEST_MESSAGE: Final = 4 << 20
"""Bytes of a request or reply; an ActorTemplate at all of its limits is below."""

_OPTIONS: Final[Sequence[tuple[str, int]]] = (
    ("grpc.max_send_message_length", LARGEST_MESSAGE),
    ("grpc.max_receive_message_length", LARGEST_MESSAGE),
    # How long a connection may take to come about, under a name that says something else.
    ("grpc.min_reconnect_backoff_ms", 10_000),
    ("grpc.initial_reconnect_backoff_ms", 200),
    ("grpc.max_reconnect_backoff_ms", 2_000),
    # During calls alone: servers count pings without, and close the connection.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 0),
    # What may be repeated is decided by the caller, and by no environment or record in DNS.
    ("grpc.enable_retries", 0),
    ("grpc.enable_http_proxy", 0),
    ("grpc.service_config_disable_resolution", 1),
    # Two transports in one process do not share a connection, which may have other certificates.
    ("grpc.use_local_subchannel_pool", 1),
)


class GrpcTransport:
    """A Control service at an address; without `tls` in clear text, to another machine only if `insecure`.

    Certificates that change on the disk are used from the next call on; `headers` are asked for with each
    call. Raises ComputeRefusedError.
    """

    def __init__(
        self, address: str, tls: TLS | None = None, *, insecure: bool = False, headers: Headers = tuple
    ) -> None:
        self._address = read_address(address)
        self._tls = tls
        self._headers = headers
        if tls is None and not (insecure or self._address.is_loopback):
            raise ComputeRefusedError(
                "Substrate is at another machine, and calls would go there in clear text",
                "give the file of its certificate authority, or allow it with `insecure`",
            )
        self._lock = threading.Lock()
        self._stamp = _stamp(tls)
        self._connection = _Connection(_open(self._address, tls))

    def call(self, method: str, request: Message, reply_type: type[ReplyT], timeout: float) -> ReplyT:
        """Call a method by its name, and wait `timeout` seconds at most; raises StatusError."""
        connection = self._enter()
        try:
            ask = connection.channel.unary_unary(
                call_path(method),
                request_serializer=type(request).SerializeToString,
                response_deserializer=reply_type.FromString,
            )
            reply: ReplyT = ask(request, timeout=timeout, metadata=self._headers())
        except grpc.RpcError as error:
            raise _status(error) from None
        except ValueError:  # of a channel that is closed
            raise StatusError("CANCELLED", "the connection is closed") from None
        finally:
            self._leave(connection)
        return reply

    def close(self) -> None:
        """Let go of the connection; calls under way end with StatusError."""
        with self._lock:
            self._connection.channel.close()

    def _enter(self) -> _Connection:
        stamp = _stamp(self._tls)
        with self._lock:
            if stamp is not None and stamp != self._stamp:
                self._renew(stamp)
            self._connection.calls += 1
            return self._connection

    def _leave(self, connection: _Connection) -> None:
        with self._lock:
            connection.calls -= 1
            if connection.calls == 0 and connection is not self._connection:
                connection.channel.close()

    def _renew(self, stamp: Stamp) -> None:
        """Connect with what the files hold now; the connection before ends with its last call.

        Files that cannot be used at this moment may be half written, and are looked at again with the next
        call.
        """
        try:
            channel = _open(self._address, self._tls)
        except ComputeRefusedError:
            return
        before, self._connection, self._stamp = self._connection, _Connection(channel), stamp
        if before.calls == 0:
            before.channel.close()


class _Connection:
    """A channel, and how many calls are under way on it."""

    def __init__(self, channel: Any) -> None:
        self.channel = channel
        self.calls = 0


def _open(address: Address, tls: TLS | None) -> Any:
    if tls is None:
        return grpc.insecure_channel(str(address), options=_OPTIONS)
    # The name that the server's certificate is checked for, as well as what requests are addressed to.
    name = [("grpc.default_authority", tls.server_name)] if tls.server_name else []
    options = [*_OPTIONS, *name]
    return grpc.secure_channel(str(address), read_credentials(tls), options=options)


def _stamp(tls: TLS | None) -> Stamp | None:
    try:
        return stamp_of(tls) if tls else None
    except OSError:  # gone while they are replaced
        return None


def _status(error: Any) -> StatusError:
    code = error.code()
    return StatusError(code.name if code is not None else "UNKNOWN", str(error.details() or ""))
