"""Trace headers on calls over gRPC to others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import grpc  # type: ignore[import-untyped, unused-ignore]

from kagent_apply.observability.trace_context import current, headers

if TYPE_CHECKING:
    from collections.abc import Callable


class TraceHeaders(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):  # type: ignore[misc, unused-ignore]
    """Adds the span that the caller is inside of: `grpc.intercept_channel(channel, TraceHeaders())`."""

    def intercept_unary_unary(
        self, continuation: Callable[[Any, Any], Any], details: Any, request: Any
    ) -> Any:
        """Send a request with the headers."""
        return continuation(_traced(details), request)

    def intercept_unary_stream(
        self, continuation: Callable[[Any, Any], Any], details: Any, request: Any
    ) -> Any:
        """Send a request with the headers."""
        return continuation(_traced(details), request)


def _traced(details: Any) -> Any:
    added = headers(current())
    if not added:
        return details
    return details._replace(metadata=[*(details.metadata or ()), *added])
