"""What every RPC is measured by: the first of a server's interceptors, so that it sees what others refuse."""

from __future__ import annotations

import time
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Final

import grpc

from kagent_apply.observability.bounded_names import OTHER
from kagent_apply.observability.trace_context import inside, read_headers
from kagent_apply.observability.tracing import PassingTracing, Side

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

    from google.protobuf.descriptor import ServiceDescriptor

    from kagent_apply.observability.metrics import Metrics
    from kagent_apply.observability.tracing import Span, Tracing

_UNTRACED: Final = ("/grpc.health.", "/grpc.reflection.")
"""Services whose calls are counted, and are no spans: probes and tools make them all day."""

_FAILURES: Final = frozenset(
    {"UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS"}
)
"""Statuses that are the server's fault (OpenTelemetry, semantic conventions of gRPC)."""

_POOL: Final = "experimental_thread_pool"
_WITHOUT_THREAD: Final = "experimental_non_blocking"
"""What gRPC looks for on a function that handles calls."""


def method_paths(*services: ServiceDescriptor) -> frozenset[str]:
    """The methods of services, as `/package.Service/Method`."""
    return frozenset(
        f"/{service.full_name}/{method.name}" for service in services for method in service.methods
    )


class RpcInterceptor(grpc.ServerInterceptor):  # type: ignore[misc]
    """Counts and times RPCs, and makes each a span below its caller's.

    `methods` are those that are served, as `/package.Service/Method`; whatever else is called has one name
    for all.
    """

    def __init__(self, metrics: Metrics, tracing: Tracing, methods: Collection[str]) -> None:
        self._metrics = metrics
        self._tracing = tracing
        self._methods = frozenset(methods)

    def intercept_service(self, continuation: Callable[[Any], Any], details: Any) -> Any:
        """The handler of a call, measured; one that has no thread to itself is left as it is."""
        handler = continuation(details)
        if handler is None:
            return None
        kind = _kind(handler)
        behaviour = getattr(handler, kind)
        if getattr(behaviour, _WITHOUT_THREAD, False):
            return handler
        path = details.method if details.method in self._methods else f"/{OTHER}/{OTHER}"
        measure = self._measured_stream if handler.response_streaming else self._measured
        make = getattr(grpc, f"{kind}_rpc_method_handler")
        return make(measure(behaviour, path), handler.request_deserializer, handler.response_serializer)

    def _measured(self, behaviour: Callable[[Any, Any], Any], path: str) -> Callable[[Any, Any], Any]:
        def call(request: Any, context: Any) -> Any:
            with self._around(path, context):
                return behaviour(request, context)

        return _pooled_like(behaviour, call)

    def _measured_stream(self, behaviour: Callable[[Any, Any], Any], path: str) -> Callable[[Any, Any], Any]:
        def call(request: Any, context: Any) -> Iterator[Any]:
            with self._around(path, context):
                yield from behaviour(request, context)

        return _pooled_like(behaviour, lambda request, context: _in_own_context(call(request, context)))

    @contextmanager
    def _around(self, path: str, context: Any) -> Iterator[None]:
        began, code = time.monotonic(), "UNKNOWN"
        self._metrics.rpc_began()
        try:
            with self._span(path, context) as span:
                try:
                    yield
                    code = _code(context, "OK")
                except GeneratorExit:
                    code = _left(context)
                    raise
                except BaseException:  # also of a stream of requests whose client is gone
                    code = _code(context, "UNKNOWN")
                    raise
                finally:
                    _tell(span, code)
        finally:
            self._metrics.rpc(path, code, time.monotonic() - began)

    @contextmanager
    def _span(self, path: str, context: Any) -> Iterator[Span]:
        caller = read_headers(context.invocation_metadata())
        tracing = PassingTracing() if path.startswith(_UNTRACED) else self._tracing
        name = path.lstrip("/")
        attributes: dict[str, str | int] = {"rpc.system.name": "grpc", "rpc.method": name}
        with inside(caller), tracing.span(name, Side.SERVER, attributes) as span:
            yield span


def _kind(handler: Any) -> str:
    sides = (handler.request_streaming, handler.response_streaming)
    return "_".join("stream" if streams else "unary" for streams in sides)


def _pooled_like(behaviour: Callable[..., Any], measured: Callable[..., Any]) -> Callable[..., Any]:
    """Run in the pool that the handler asks for, too."""
    if pool := getattr(behaviour, _POOL, None):
        setattr(measured, _POOL, pool)
    return measured


def _in_own_context(stream: Iterator[Any]) -> Iterator[Any]:
    """A stream whose context variables are its own, whichever thread goes on with it or ends it."""
    own = copy_context()
    try:
        while True:
            try:
                item = own.run(next, stream)
            except StopIteration:
                return
            yield item
    finally:
        own.run(stream.close)  # type: ignore[attr-defined]


def _tell(span: Span, code: str) -> None:
    span.set("rpc.response.status_code", code)
    if code in _FAILURES:
        span.fail(code)


def _left(context: Any) -> str:
    """Why nobody waits for the reply any more."""
    remaining = context.time_remaining()
    return "DEADLINE_EXCEEDED" if remaining is not None and remaining <= 0 else "CANCELLED"


def _code(context: Any, otherwise: str) -> str:
    """The status that a handler set, or aborted with; else why nobody waits, or `otherwise`."""
    code = context.code()
    if isinstance(code, grpc.StatusCode):
        return str(code.name)
    return otherwise if context.is_active() else _left(context)
