"""A gRPC service with one method of each kind, measured, as a test wants its methods to behave."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc

from kagent_apply.observability.metrics import Metrics
from kagent_apply.observability.rpc_interceptor import RpcInterceptor
from kagent_apply.observability.tracing import Tracing

SERVICE = "test.Echo"
KINDS = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")


class _Service(grpc.GenericRpcHandler):  # type: ignore[misc]
    def __init__(self, methods: dict[str, tuple[str, Callable[..., Any]]]) -> None:
        self._methods = methods

    def service(self, handler_call_details: Any) -> Any:
        found = self._methods.get(handler_call_details.method)
        return getattr(grpc, f"{found[0]}_rpc_method_handler")(found[1]) if found else None


@contextmanager
def serving(
    methods: dict[str, tuple[str, Callable[..., Any]]],
    metrics: Metrics,
    tracing: Tracing,
    known: Collection[str] | None = None,
) -> Iterator[Any]:
    """A channel to a server of methods by their paths, each with its kind and its function over bytes."""
    interceptor = RpcInterceptor(metrics, tracing, methods if known is None else known)
    server = grpc.server(ThreadPoolExecutor(4), [_Service(methods)], [interceptor])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield channel
    finally:
        server.stop(0).wait()
