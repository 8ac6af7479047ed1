"""Spans arrive at a real collector with the right parents, and a bad collector stops nobody."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import grpc
import pytest
from google.protobuf.message import Message
from google.protobuf.wrappers_pb2 import StringValue

from kagent_apply.observability.measured_parts import measured_store, traced
from kagent_apply.observability.measured_transport import MeasuredTransport
from kagent_apply.observability.trace_collector import open_tracing
from kagent_apply.observability.trace_context import carried, outgoing_headers
from kagent_apply.observability.tracing import PassingTracing, Tracing
from tests.apply.observability.collector import Collector, collecting
from tests.apply.observability.echo import SERVICE, serving
from tests.apply.observability.scraping import new_metrics, scraped, value
from tests.parts import REPOSITORY

pytestmark = pytest.mark.server

ReplyT = TypeVar("ReplyT", bound=Message)
_PATH = f"/{SERVICE}/CreateAgentInstance"
_PARENT = f"00-{'ab' * 16}-{'cd' * 8}-01"


class StatusError(Exception):
    """As a driver's transport raises it."""

    code = "UNAVAILABLE"


class Control:
    """Calls on over a channel; one method is not available."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel

    def call(self, method: str, request: Message, reply_type: type[ReplyT], timeout: float) -> ReplyT:
        if method == "GetActor":
            raise StatusError
        ask = self._channel.unary_unary("/ateapi.Control/CreateActor")
        ask(b"", timeout=timeout, metadata=outgoing_headers())
        return reply_type()

    def close(self) -> None:
        """Nothing is open."""


class Compute:
    """The port to Substrate, as far as these tests go."""

    def __init__(self, transport: MeasuredTransport) -> None:
        self._transport = transport

    def create(self) -> str:
        for method in ("CreateActor", "GetActor"):
            try:
                self._transport.call(method, StringValue(), StringValue, 30)
            except StatusError:
                return "made"
        return "made twice"


class Store:
    """A store that keeps nothing, and once fails."""

    def reserve(self, name: str, *, hold: int) -> str:
        return f"{name} {hold}"

    def ping(self) -> None:
        raise OSError("hunter2")


class Operations:
    """Carries an operation out in a thread of its own."""

    def __init__(self, store: Store, compute: Compute) -> None:
        self._store = store
        self._compute = compute

    def create(self) -> str:
        with ThreadPoolExecutor(1) as pool:
            pool.submit(carried(self._work)).result()
        return "created"

    def _work(self) -> None:
        assert self._store.reserve("a", hold=3) == "a 3"
        with pytest.raises(OSError, match="hunter2"):
            self._store.ping()
        assert self._compute.create() == "made"


def _opened(monkeypatch: pytest.MonkeyPatch, port: int) -> Tracing:
    environment = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{port}",
        "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test",
    }
    for name, text in environment.items():
        monkeypatch.setenv(name, text)
    return open_tracing(environment, "1.2.3")


@pytest.fixture
def collected(monkeypatch: pytest.MonkeyPatch) -> Collector:
    """What a collector has of one RPC whose operation goes through every part."""
    metrics, sent = new_metrics(), list[str]()
    with collecting() as collector:
        tracing = _opened(monkeypatch, collector.port)

        def control(request: Any, context: Any) -> bytes:
            sent.extend(text for name, text in context.invocation_metadata() if name == "traceparent")
            return b""

        substrate = {"/ateapi.Control/CreateActor": ("unary_unary", control)}
        with serving(substrate, new_metrics(), PassingTracing()) as channel:
            transport = MeasuredTransport(Control(channel), metrics, tracing)
            compute = traced(Compute(transport), "step", tracing)
            store = measured_store(Store(), metrics, tracing)
            operations = traced(Operations(store, compute), "operation", tracing)

            def handle(request: Any, context: Any) -> bytes:
                operations.create()
                context.abort(grpc.StatusCode.UNAVAILABLE, "hunter2")
                return b""

            health = "/grpc.health.v1.Health/Check"
            methods = {_PATH: ("unary_unary", handle), health: ("unary_unary", lambda request, context: b"")}
            with serving(methods, metrics, tracing) as server:
                server.unary_unary(health)(b"", timeout=30)
                with pytest.raises(grpc.RpcError):
                    server.unary_unary(_PATH)(b"", timeout=30, metadata=[("traceparent", _PARENT)])
        tracing.close(30)
    found = scraped(metrics.registry)
    assert value(found, "compute_calls_total", method="CreateActor", code="OK") == 1
    assert value(found, "compute_calls_total", method="GetActor", code="UNAVAILABLE") == 1
    assert value(found, "store_errors_total", call="ping") == 1
    assert value(found, "store_call_seconds_count", call="reserve") == 1
    (call,) = [span for span in collector.spans if span.name == "ateapi.Control/CreateActor"]
    assert sent == [f"00-{'ab' * 16}-{call.span_id.hex()}-01"]
    return collector


def test_spans_have_the_right_parents_across_threads_and_services(collected: Collector) -> None:
    rpc = _PATH.lstrip("/")
    assert collected.tree() == {
        rpc: "cd" * 8,
        "operation create": rpc,
        "store reserve": "operation create",
        "store ping": "operation create",
        "step create": "operation create",
        "ateapi.Control/CreateActor": "step create",
        "ateapi.Control/GetActor": "step create",
    }
    assert {span.trace_id.hex() for span in collected.spans} == {"ab" * 16}


def test_spans_say_what_failed_and_never_with_which_text(collected: Collector) -> None:
    failed = {span.name: span.status.code == 2 for span in collected.spans}
    assert {name for name, wrong in failed.items() if wrong} == {
        _PATH.lstrip("/"),
        "store ping",
        "ateapi.Control/GetActor",
    }
    assert collected.attributes("store ping")["error.type"] == "OSError"
    assert collected.attributes(_PATH.lstrip("/"))["rpc.response.status_code"] == "UNAVAILABLE"
    assert "hunter2" not in str(collected.spans)
    assert not [event for span in collected.spans for event in span.events]


def test_the_collector_hears_who_sends(collected: Collector) -> None:
    for resource in collected.resources:
        assert resource["service.name"] == "kagent-apply"
        assert resource["service.version"] == "1.2.3"
        assert resource["deployment.environment.name"] == "test"


@pytest.mark.parametrize("listening", [True, False])
def test_a_collector_that_does_not_answer_delays_neither_calls_nor_the_end(
    monkeypatch: pytest.MonkeyPatch, listening: bool
) -> None:
    with collecting(answering=False) as collector:
        tracing = _opened(monkeypatch, collector.port if listening else 9)
        for number in range(5000):  # more than the queue holds
            with tracing.span(f"span {number}"):
                pass
        began = time.monotonic()
        tracing.close(1.0)
        assert time.monotonic() - began < 3.0


def test_without_a_collector_nothing_of_opentelemetry_is_loaded() -> None:
    modules = sorted(path.stem for path in (REPOSITORY / "kagent_apply/observability").glob("*.py"))
    script = f"""
import importlib, sys
for name in {[name for name in modules if name not in ("__init__", "collected_tracing")]}:
    importlib.import_module("kagent_apply.observability." + name)
from kagent_apply.observability.trace_collector import open_tracing
open_tracing({{}}, "1.2.3")
print(sorted(name for name in sys.modules if name.startswith("opentelemetry")))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=REPOSITORY, capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")
