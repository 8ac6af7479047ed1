"""When traces are collected: what OpenTelemetry's variables say."""

from __future__ import annotations

import pytest

from kagent_apply.observability.trace_collector import TracingError, open_tracing
from kagent_apply.observability.trace_context import TraceContext, current, inside
from kagent_apply.observability.tracing import PassingTracing

_ENDPOINT = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317"}


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"OTEL_SERVICE_NAME": "kagent-apply"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": " "},
        {**_ENDPOINT, "OTEL_SDK_DISABLED": "true"},
        {**_ENDPOINT, "OTEL_TRACES_EXPORTER": "none"},
    ],
)
def test_without_a_collector_nothing_is_collected(environment: dict[str, str]) -> None:
    assert isinstance(open_tracing(environment, "1.2.3"), PassingTracing)


@pytest.mark.parametrize("name", ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"])
def test_a_protocol_that_is_not_spoken_is_refused_by_its_variable(name: str) -> None:
    with pytest.raises(TracingError, match=f"`{name}`"):
        open_tracing({**_ENDPOINT, name: "http/protobuf"}, "1.2.3")


def test_a_variable_that_cannot_be_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "soon")
    with pytest.raises(TracingError, match="ValueError") as caught:
        open_tracing(_ENDPOINT, "1.2.3")
    assert caught.value.hint


def test_a_caller_stays_the_parent_where_nothing_is_collected() -> None:
    caller = TraceContext("ab" * 16, "cd" * 8, sampled=True)
    with inside(caller), PassingTracing().span("x") as span:
        span.fail("INTERNAL")
        assert current() == caller
