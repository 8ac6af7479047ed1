"""Every RPC is counted once, by how it ended, over a real connection."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from typing import Any

import grpc
import pytest

from kagent_apply.api.v1alpha1 import agent_instances_pb2
from kagent_apply.observability.metrics import Metrics
from kagent_apply.observability.rpc_interceptor import RpcInterceptor, method_paths
from kagent_apply.observability.trace_context import current, outgoing_headers
from kagent_apply.observability.tracing import PassingTracing
from tests.apply.observability.echo import KINDS, SERVICE, serving
from tests.apply.observability.scraping import new_metrics, scraped, value

pytestmark = pytest.mark.server

_PARENT = f"00-{'ab' * 16}-{'cd' * 8}-01"


def _abort(request: Any, context: Any) -> bytes:
    context.abort(grpc.StatusCode.FAILED_PRECONDITION, "no")
    return b""


def _set_code(request: Any, context: Any) -> bytes:
    context.set_code(grpc.StatusCode.NOT_FOUND)
    return b""


def _raise(request: Any, context: Any) -> bytes:
    raise RuntimeError


def _call(channel: Any, kind: str, path: str, wait: float = 30, **options: Any) -> Any:
    sent = iter([b"x"]) if kind.startswith("stream") else b"x"
    reply = getattr(channel, kind)(path)(sent, timeout=wait, **options)
    return list(reply) if kind.endswith("stream") else reply


def _behaviour(kind: str, unary: Callable[[Any, Any], bytes]) -> Callable[[Any, Any], Any]:
    def streaming(request: Any, context: Any) -> Iterator[bytes]:
        yield b"first"
        yield unary(request, context)

    return streaming if kind.endswith("stream") else unary


def _ended(metrics: Metrics, method: str, code: str, service: str = SERVICE) -> float | None:
    """How many RPCs ended so, once those under way have: a client hears of the end before it is counted."""
    until = time.monotonic() + 30
    while value(scraped(metrics.registry), "rpcs_under_way") and time.monotonic() < until:
        time.sleep(0.01)
    return value(scraped(metrics.registry), "rpcs_total", service=service, method=method, code=code)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("unary", "code"),
    [
        (lambda request, context: b"y", "OK"),
        (_abort, "FAILED_PRECONDITION"),
        (_set_code, "NOT_FOUND"),
        (_raise, "UNKNOWN"),
    ],
    ids=["reply", "abort", "set_code", "raise"],
)
def test_an_rpc_is_counted_as_its_client_sees_it(
    kind: str, unary: Callable[[Any, Any], bytes], code: str
) -> None:
    metrics = new_metrics()
    path = f"/{SERVICE}/Call"
    with serving({path: (kind, _behaviour(kind, unary))}, metrics, PassingTracing()) as channel:
        if code == "OK":
            _call(channel, kind, path)
        else:
            with pytest.raises(grpc.RpcError) as caught:
                _call(channel, kind, path)
            assert caught.value.code().name == code  # type: ignore[attr-defined, unused-ignore]
        assert _ended(metrics, "Call", code) == 1


def test_a_stream_that_its_client_leaves_is_cancelled() -> None:
    metrics = new_metrics()
    left = threading.Event()

    def endless(request: Any, context: Any) -> Iterator[bytes]:
        context.add_callback(left.set)
        yield b"first"
        left.wait(30)
        yield b"second"

    path = f"/{SERVICE}/Call"
    with serving({path: ("unary_stream", endless)}, metrics, PassingTracing()) as channel:
        stream = channel.unary_stream(path)(b"", timeout=30)
        assert next(stream) == b"first"
        stream.cancel()
        assert left.wait(30)
        assert _ended(metrics, "Call", "CANCELLED") == 1


def test_a_stream_of_requests_that_its_client_leaves_is_cancelled() -> None:
    metrics = new_metrics()
    ended = threading.Event()

    def repeat(requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
        yield from requests

    def ask() -> Iterator[bytes]:
        yield b"first"
        ended.wait(30)

    path = f"/{SERVICE}/Call"
    with serving({path: ("stream_stream", repeat)}, metrics, PassingTracing()) as channel:
        stream = channel.stream_stream(path)(ask(), timeout=30)
        assert next(stream) == b"first"
        stream.cancel()
        assert _ended(metrics, "Call", "CANCELLED") == 1
        ended.set()


@pytest.mark.parametrize("kind", ["unary_unary", "unary_stream"])
def test_an_rpc_that_takes_longer_than_its_client_waits_is_too_late(kind: str) -> None:
    metrics = new_metrics()
    left = threading.Event()

    def wait(request: Any, context: Any) -> bytes:
        context.add_callback(left.set)
        left.wait(30)
        return b""

    path = f"/{SERVICE}/Call"
    with serving({path: (kind, _behaviour(kind, wait))}, metrics, PassingTracing()) as channel:
        with pytest.raises(grpc.RpcError):
            _call(channel, kind, path, wait=0.2)
        assert left.wait(30)
        assert _ended(metrics, "Call", "DEADLINE_EXCEEDED") == 1


class _Called:
    """The context of a call, as far as it is asked."""

    def invocation_metadata(self) -> list[tuple[str, str]]:
        return [("traceparent", _PARENT)]

    def code(self) -> None:
        return None

    def time_remaining(self) -> None:
        return None

    def is_active(self) -> bool:
        return True


def test_a_stream_leaves_the_thread_that_goes_on_with_it_as_it_was() -> None:
    metrics, seen = new_metrics(), list[str]()

    def tell(request: Any, context: Any) -> Iterator[bytes]:
        for _ in range(2):
            here = current()
            assert here is not None
            seen.append(here.trace_id)
            yield b""

    given: Any = grpc.unary_stream_rpc_method_handler(tell)
    details = SimpleNamespace(method=f"/{SERVICE}/Call")
    interceptor = RpcInterceptor(metrics, PassingTracing(), {details.method})
    stream = interceptor.intercept_service(lambda _: given, details).unary_stream(b"", _Called())
    next(stream)
    assert current() is None
    with ThreadPoolExecutor(1) as pool:
        pool.submit(next, stream).result()
        assert pool.submit(current).result() is None
    stream.close()
    assert seen == ["ab" * 16] * 2
    assert (
        value(scraped(metrics.registry), "rpcs_total", service=SERVICE, method="Call", code="CANCELLED") == 1
    )


def test_a_handler_that_has_no_thread_is_left_as_it_is() -> None:
    def watch(request: Any, context: Any, send: Any) -> None:
        """As the health service's own."""

    watch.experimental_non_blocking = True  # type: ignore[attr-defined]
    handler: Any = grpc.unary_stream_rpc_method_handler(watch)
    interceptor = RpcInterceptor(new_metrics(), PassingTracing(), ())
    assert interceptor.intercept_service(lambda details: handler, None) is handler
    assert interceptor.intercept_service(lambda details: None, None) is None


def test_the_paths_of_a_service_are_those_that_grpc_calls() -> None:
    service = agent_instances_pb2.DESCRIPTOR.services_by_name["AgentInstanceService"]
    assert "/kagent.api.v1alpha1.AgentInstanceService/CreateAgentInstance" in method_paths(service)
    assert len(method_paths(service)) == len(service.methods)


def test_methods_that_nobody_serves_are_one_series() -> None:
    metrics = new_metrics()
    paths = {f"/hostile.Service{number}/Method": ("unary_unary", _abort) for number in range(50)}
    with serving(dict(paths), metrics, PassingTracing(), known=()) as channel:
        for path in paths:
            with pytest.raises(grpc.RpcError):
                _call(channel, "unary_unary", path)
        assert _ended(metrics, "other", "FAILED_PRECONDITION", service="other") == 50
    assert len([name for name, _ in scraped(metrics.registry) if name == "kagent_apply_rpcs_total"]) == 1


def test_a_handler_stays_in_the_pool_that_it_asks_for() -> None:
    metrics = new_metrics()
    path = f"/{SERVICE}/Call"
    with ThreadPoolExecutor(1, thread_name_prefix="own") as pool:

        def named(request: Any, context: Any) -> bytes:
            return threading.current_thread().name.encode()

        named.experimental_thread_pool = pool  # type: ignore[attr-defined]
        with serving({path: ("unary_unary", named)}, metrics, PassingTracing()) as channel:
            assert _call(channel, "unary_unary", path).startswith(b"own")


@pytest.mark.parametrize("kind", KINDS)
def test_the_callers_trace_reaches_the_handler_and_whomever_it_calls(kind: str) -> None:
    seen: list[tuple[str, str]] = []
    path = f"/{SERVICE}/Call"

    def record(request: Any, context: Any) -> bytes:
        seen.extend((name, text) for name, text in context.invocation_metadata() if name.startswith("trace"))
        return b""

    with serving({path: ("unary_unary", record)}, new_metrics(), PassingTracing()) as inner:

        def call_on(request: Any, context: Any) -> bytes:
            context_now = current()
            assert context_now is not None
            _call(inner, "unary_unary", path, metadata=outgoing_headers())
            return context_now.trace_id.encode()

        methods = {path: (kind, _behaviour(kind, call_on))}
        with serving(methods, new_metrics(), PassingTracing()) as channel:
            sent = [("traceparent", _PARENT), ("tracestate", "a=1")]
            reply = _call(channel, kind, path, metadata=sent)
    assert (reply[-1] if isinstance(reply, list) else reply) == b"ab" * 16
    assert seen == sent
