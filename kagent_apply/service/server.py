"""The gRPC server: its services, their threads and bounds, and how it begins and ends."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Semaphore
from typing import TYPE_CHECKING, Any, Final

import grpc

from kagent_apply.api.gitops.v1alpha1 import revisions_pb2
from kagent_apply.api.v1alpha1 import agent_instances_pb2
from kagent_apply.service.arrivals import Arrivals, OldestLeaves
from kagent_apply.service.handlers import UNSERVED, Gates, Unserved, service_handler
from kagent_apply.service.handling import Handling
from kagent_apply.service.health import SERVICE as HEALTH
from kagent_apply.service.health import Health
from kagent_apply.service.in_flight import InFlight
from kagent_apply.service.instances import InstanceCalls
from kagent_apply.service.reflection import reflection_handlers
from kagent_apply.service.revisions import RevisionCalls
from kagent_apply.service.tls import server_credentials

if TYPE_CHECKING:
    import threading
    from collections.abc import Sequence

    from kagent_apply.service.parts import Parts
    from kagent_apply.service.tls import ServerTls
    from kagent_apply.store.port import Store

INSTANCES: Final = agent_instances_pb2.DESCRIPTOR.services_by_name["AgentInstanceService"]
REVISIONS: Final = revisions_pb2.DESCRIPTOR.services_by_name["RevisionService"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much a server takes: calls and connections at once, bytes of a request, and seconds.

    `waiting` is the number of operations that are carried on at once, `longest` the seconds of a call whose
    client gives no deadline, or a later one, and `probe` those between two looks at the store.
    """

    waiting: int = 64
    calls: int = 1_000
    connections: int = 10_000
    request: int = 1 << 20
    longest: float = 300
    probe: float = 5


@dataclass(frozen=True, slots=True)
class Extra:
    """Further services, by their names for health and reflection, and interceptors of all calls."""

    names: tuple[str, ...] = ()
    handlers: tuple[Any, ...] = ()
    interceptors: tuple[Any, ...] = ()


_CALLS: Final = 16
"""Calls that are handled at once, of those that do not wait for actors."""

_HANDSHAKE_MS: Final = 10_000
"""How long a client may take until its connection speaks HTTP/2."""

_IDLE_MS: Final = 600_000
"""How long a connection is kept on which nothing is called."""

_MORE: Final = 60.0
"""Seconds."""

_LATE: Final = 0.5
"""Seconds in which a call that was taken before a drain began has come to a thread."""


class ListenError(Exception):
    """The address cannot be listened on."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server that was built; `port` is the one that it listens on."""

    port: int
    _grpc: Any
    _health: Health
    _in_flight: InFlight
    _pool: ThreadPoolExecutor = field(repr=False)

    def start(self) -> None:
        """Serve; health says so from the first call on."""
        self._health.start()
        self._grpc.start()

    def drain(self, grace: float) -> bool:
        """Take no more calls, and let those under way end; False where some had to be cut off.

        What is cut off is carried on by the next server that starts, or by the same call again.
        """
        self._health.drain()
        # gRPC cuts calls off by itself at the end of its time, and then they would count as ended.
        stopped = self._grpc.stop(grace + _MORE)
        ended = self._idle(stopped, grace)
        # Streams of health and reflection end by themselves only when their client does.
        self._grpc.stop(None)
        stopped.wait()
        self._pool.shutdown(wait=False, cancel_futures=True)
        return ended

    def _idle(self, stopped: threading.Event, grace: float) -> bool:
        """Whether all calls ended in time, those too that gRPC took and no thread had begun with."""
        until = time.monotonic() + grace
        while self._in_flight.wait_idle(until - time.monotonic()):
            if stopped.wait(_LATE) or self._in_flight.wait_idle(0):
                return True
        return False


def build_server(
    parts: Parts, listen: str, tls: ServerTls | None, bounds: Bounds | None = None, extra: Extra | None = None
) -> Server:
    """A server that listens, and takes no calls before it is started; raises ListenError and OSError."""
    bounds, extra = bounds or Bounds(), extra or Extra()
    pool = ThreadPoolExecutor(bounds.calls, thread_name_prefix="call")  # a thread begins when it is needed
    gates = Gates(Semaphore(_CALLS), Semaphore(bounds.waiting))
    in_flight = InFlight()
    handling = Handling(parts, in_flight, bounds.longest)
    names = (INSTANCES.full_name, REVISIONS.full_name, *extra.names)
    health = Health(names, lambda: _answers(parts.store), bounds.probe)
    handlers = [
        service_handler(INSTANCES, InstanceCalls(parts).methods(), handling, gates),
        service_handler(REVISIONS, RevisionCalls(parts).methods(), handling, gates),
        *extra.handlers,
        health.handler(),
        *reflection_handlers((*names, HEALTH)),
        Unserved(UNSERVED),
    ]
    arrivals = Arrivals(
        OldestLeaves(max(1, bounds.calls // 4)), OldestLeaves(max(1, bounds.calls // 10)), pool
    )
    server = grpc.server(
        pool,
        handlers=handlers,
        interceptors=(arrivals, *extra.interceptors),
        options=_options(bounds),
        maximum_concurrent_rpcs=bounds.calls,
    )
    return Server(_listen(server, listen, tls), server, health, in_flight, pool)


def _options(bounds: Bounds) -> Sequence[tuple[str, int]]:
    return [
        ("grpc.max_receive_message_length", bounds.request),
        # Each is an open file, of which the store and the repository need some as well.
        ("grpc.max_allowed_incoming_connections", bounds.connections),
        ("grpc.server_handshake_timeout_ms", _HANDSHAKE_MS),
        ("grpc.max_connection_idle_ms", _IDLE_MS),
        ("grpc.so_reuseport", 0),  # two servers on one port would each get some of the calls
    ]


def _listen(server: Any, listen: str, tls: ServerTls | None) -> int:
    try:
        port = (
            server.add_secure_port(listen, server_credentials(tls))
            if tls
            else server.add_insecure_port(listen)
        )
    except RuntimeError:
        port = 0
    if not port:
        raise ListenError(f"`{listen}` cannot be listened on")
    return int(port)


def _answers(store: Store) -> bool:
    try:
        store.ping()
    except Exception:  # whatever keeps it from answering
        return False
    return True
