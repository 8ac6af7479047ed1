"""A collector of OpenTelemetry's, over gRPC, that keeps what it is sent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import grpc
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2_grpc import (
    TraceServiceServicer,
    add_TraceServiceServicer_to_server,
)


@dataclass
class Collector(TraceServiceServicer):
    """Answers while `answering` is set, and otherwise lets exporters wait."""

    spans: list[Any] = field(default_factory=list)
    resources: list[dict[str, str]] = field(default_factory=list)
    answering: threading.Event = field(default_factory=threading.Event)
    port: int = 0

    def Export(self, request: Any, context: Any) -> Any:  # noqa: N802
        """Take spans."""
        self.answering.wait(30)
        for found in request.resource_spans:
            self.resources.append({item.key: item.value.string_value for item in found.resource.attributes})
            for scope in found.scope_spans:
                self.spans.extend(scope.spans)
        return ExportTraceServiceResponse()

    def tree(self) -> dict[str, str]:
        """By the name of each span, that of its parent; an id where it is nobody's that was sent."""
        names = {span.span_id: span.name for span in self.spans}
        return {span.name: names.get(span.parent_span_id, span.parent_span_id.hex()) for span in self.spans}

    def attributes(self, name: str) -> dict[str, str]:
        """Those of one span."""
        (span,) = [found for found in self.spans if found.name == name]
        return {item.key: item.value.string_value for item in span.attributes}


@contextmanager
def collecting(*, answering: bool = True) -> Iterator[Collector]:
    """A collector on loopback."""
    collector = Collector()
    if answering:
        collector.answering.set()
    server = grpc.server(ThreadPoolExecutor(2))
    add_TraceServiceServicer_to_server(collector, server)  # type: ignore[no-untyped-call]
    collector.port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield collector
    finally:
        collector.answering.set()
        server.stop(0).wait()
