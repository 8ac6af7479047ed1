"""Spans to an OpenTelemetry collector, in the background; the one module that loads the SDK."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from kagent_apply.observability.trace_context import TraceContext, current, inside
from kagent_apply.observability.tracing import Side

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from opentelemetry.context import Context

    from kagent_apply.observability.tracing import Span

_NAME: Final = "kagent-apply"
_KINDS: Final = {
    Side.SERVER: trace.SpanKind.SERVER,
    Side.CLIENT: trace.SpanKind.CLIENT,
    Side.INTERNAL: trace.SpanKind.INTERNAL,
}


class CollectedTracing:
    """Hands ended spans to a queue of a bounded length, whose overflow is dropped; a thread sends them."""

    def __init__(self, version: str) -> None:
        # `OTEL_SERVICE_NAME` and `OTEL_RESOURCE_ATTRIBUTES` win over the name that is given here.
        resource = Resource.create().merge(Resource({"service.version": version}))
        if str(resource.attributes.get("service.name", "")).startswith("unknown_service"):
            resource = resource.merge(Resource({"service.name": _NAME}))
        self._provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._exporter = OTLPSpanExporter()
        self._provider.add_span_processor(BatchSpanProcessor(self._exporter))
        self._tracer = self._provider.get_tracer(_NAME, version)

    @contextmanager
    def span(
        self, name: str, side: Side = Side.INTERNAL, attributes: Mapping[str, str | int] | None = None
    ) -> Iterator[Span]:
        """Be inside of a new span; one that is left by an exception has failed."""
        started = self._tracer.start_span(name, _parent(), _KINDS[side], dict(attributes or {}))
        span = _Collected(started)
        try:
            with inside(_context(started)):
                yield span
        except BaseException as error:
            span.fail_unless_failed(type(error).__qualname__)
            raise
        finally:
            started.end()

    def close(self, timeout: float) -> None:
        """Send what is queued; what is not sent in time is given up."""
        # The SDK has no bound of its own for this: the exporter tries again until its own time is over.
        closing = threading.Thread(target=self._provider.shutdown, name="close-tracing", daemon=True)
        closing.start()
        closing.join(timeout)
        if closing.is_alive():
            self._exporter.shutdown()


class _Collected:
    def __init__(self, span: trace.Span) -> None:
        self._span = span
        self._failed = False

    def set(self, name: str, value: str | int) -> None:
        self._span.set_attribute(name, value)

    def fail(self, reason: str) -> None:
        self._failed = True
        self._span.set_attribute("error.type", reason)
        self._span.set_status(trace.StatusCode.ERROR)

    def fail_unless_failed(self, reason: str) -> None:
        if not self._failed:
            self.fail(reason)


def _context(span: trace.Span) -> TraceContext:
    given = span.get_span_context()
    return TraceContext(
        trace.format_trace_id(given.trace_id),
        trace.format_span_id(given.span_id),
        given.trace_flags.sampled,
        given.trace_state.to_header(),
    )


def _parent() -> Context | None:
    """Whatever this thread is inside of, as the SDK takes it; remote or not makes no difference to it."""
    context = current()
    if context is None:
        return trace.set_span_in_context(trace.INVALID_SPAN)
    given = trace.SpanContext(
        int(context.trace_id, 16),
        int(context.span_id, 16),
        is_remote=True,
        trace_flags=trace.TraceFlags(int(context.sampled)),
        trace_state=trace.TraceState.from_header([context.state]),
    )
    return trace.set_span_in_context(trace.NonRecordingSpan(given))
