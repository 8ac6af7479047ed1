"""Health as probes and load balancers ask for it: of the server, and of each service."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import grpc
from grpc_health.v1 import health_pb2
from grpc_health.v1.health import HealthServicer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

SERVICE = "grpc.health.v1.Health"
"""The service's name."""


class Health:
    """Says SERVING while `probe` does, looked at every so many seconds, and never again once it drains."""

    def __init__(self, services: Sequence[str], probe: Callable[[], bool], every: float) -> None:
        self._servicer = HealthServicer()
        self._services = ("", SERVICE, *services)
        self._probe = probe
        self._every = every
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="health", daemon=True)

    def start(self) -> None:
        """Look once, then go on looking beside everything else."""
        self._look()
        self._thread.start()

    def drain(self) -> None:
        """Say NOT_SERVING from now on."""
        self._ended.set()
        self._servicer.enter_graceful_shutdown()

    def handler(self) -> Any:
        """The service, which waits at no gate."""
        check = grpc.unary_unary_rpc_method_handler(
            self._servicer.Check,
            request_deserializer=health_pb2.HealthCheckRequest.FromString,
            response_serializer=health_pb2.HealthCheckResponse.SerializeToString,
        )
        watch = grpc.unary_stream_rpc_method_handler(
            self._servicer.Watch,  # which gRPC runs without a thread for each that watches
            request_deserializer=health_pb2.HealthCheckRequest.FromString,
            response_serializer=health_pb2.HealthCheckResponse.SerializeToString,
        )
        return grpc.method_handlers_generic_handler(SERVICE, {"Check": check, "Watch": watch})

    def _watch(self) -> None:
        while not self._ended.wait(self._every):
            self._look()

    def _look(self) -> None:
        serving = self._probe()
        statuses = health_pb2.HealthCheckResponse
        status = statuses.SERVING if serving else statuses.NOT_SERVING
        for service in self._services:
            self._servicer.set(service, status)
