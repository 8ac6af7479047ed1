"""Calls to Substrate, measured where the driver hands them over."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Protocol, TypeVar

from kagent_apply.observability.tracing import Side

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from kagent_apply.observability.metrics import Metrics
    from kagent_apply.observability.tracing import Tracing

ReplyT = TypeVar("ReplyT", bound="Message")


class Transport(Protocol):
    """What a driver's calls go through; an error of it has the name of a gRPC status as `code`."""

    def call(self, method: str, request: Message, reply_type: type[ReplyT], timeout: float) -> ReplyT:
        """Call a method by its name, and wait `timeout` seconds at most."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


class MeasuredTransport:
    """A transport whose calls are counted, timed, and spans below the caller's."""

    def __init__(self, transport: Transport, metrics: Metrics, tracing: Tracing) -> None:
        self._transport = transport
        self._metrics = metrics
        self._tracing = tracing

    def call(self, method: str, request: Message, reply_type: type[ReplyT], timeout: float) -> ReplyT:
        """As the transport does, which is inside of the span."""
        name = f"ateapi.Control/{method}"
        began, code = time.monotonic(), "OK"
        try:
            with self._tracing.span(
                name, Side.CLIENT, {"rpc.system.name": "grpc", "rpc.method": name}
            ) as span:
                try:
                    return self._transport.call(method, request, reply_type, timeout)
                except Exception as error:
                    code = _status(error)
                    span.fail(code)
                    raise
                finally:
                    span.set("rpc.response.status_code", code)
        finally:
            self._metrics.compute_call(method, code, time.monotonic() - began)

    def close(self) -> None:
        """Let go of connections."""
        self._transport.close()


def _status(error: Exception) -> str:
    """The name of a gRPC status; INTERNAL where it is an exception of another sort."""
    code = getattr(error, "code", None)
    return code if isinstance(code, str) and code else "INTERNAL"
