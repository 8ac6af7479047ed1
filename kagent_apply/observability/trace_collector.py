"""Whether traces are collected, and by whom: what OpenTelemetry's variables say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_apply.observability.tracing import PassingTracing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_apply.observability.tracing import Tracing

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS: Final = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")


class TracingError(Exception):
    """Traces cannot be sent as OpenTelemetry's variables ask for: one sentence, and what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


def open_tracing(environment: Mapping[str, str], version: str) -> Tracing:
    """To the collector that OpenTelemetry's variables name; without one nothing of OpenTelemetry is loaded.

    The exporter reads the rest of its variables by itself, from the process's own environment. Raises
    TracingError.
    """
    if not _is_asked_for(environment):
        return PassingTracing()
    protocol = _named(environment, _PROTOCOLS)
    if protocol and environment[protocol].strip() != "grpc":
        raise TracingError(
            f"`{protocol}` asks for a protocol other than `grpc`", f"set `{protocol}` to `grpc`"
        )
    from kagent_apply.observability.collected_tracing import CollectedTracing

    try:
        return CollectedTracing(version)
    except (OSError, ValueError) as error:
        told = f"a variable `OTEL_...` has a value that cannot be used ({type(error).__name__})"
        raise TracingError(told, "compare those that are set with OpenTelemetry's list") from None


def _is_asked_for(environment: Mapping[str, str]) -> bool:
    off = environment.get("OTEL_SDK_DISABLED", "").strip().lower() == "true"
    exporter = environment.get("OTEL_TRACES_EXPORTER", "otlp").strip() or "otlp"
    return bool(_named(environment, _ENDPOINTS)) and exporter == "otlp" and not off


def _named(environment: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((name for name in names if environment.get(name, "").strip()), "")
