"""`python -m kagent_apply.runtime.echo`: the echo agent as a process, told by the variables of any runtime.

It reads KAGENT_A2A_GRPC_ADDRESS (or PORT), KAGENT_AGENT_CARD_JSON, KAGENT_READYZ_PORT (8081 without it) and
HOME, below which it keeps its tasks.
"""

from __future__ import annotations

import os
import signal
import threading
from concurrent import futures
from pathlib import Path
from typing import TYPE_CHECKING, Final

import grpc
from a2a.types import a2a_pb2_grpc

from kagent_apply.runtime.readyz import readyz_server
from kagent_apply.runtime.service import Agent, EchoService
from kagent_apply.runtime.tasks import Tasks

if TYPE_CHECKING:
    from collections.abc import Mapping

_READYZ_PORT: Final = "8081"
_THREADS: Final = 4
_GRACE: Final = 1.0


def serve(variables: Mapping[str, str], stop: threading.Event) -> None:
    """Serve A2A and the probe until `stop` is set."""
    address = variables.get("KAGENT_A2A_GRPC_ADDRESS") or f"[::]:{variables.get('PORT', '80')}"
    agent = Agent(Tasks(Path(variables["HOME"]) / "tasks"), variables.get("KAGENT_AGENT_CARD_JSON", "{}"))
    server = grpc.server(futures.ThreadPoolExecutor(_THREADS), options=[("grpc.so_reuseport", 0)])
    a2a_pb2_grpc.add_A2AServiceServicer_to_server(  # type: ignore[no-untyped-call]
        EchoService(lambda _context: agent), server
    )
    server.add_insecure_port(address)
    server.start()
    host = address.rpartition(":")[0].strip("[]")
    with readyz_server(
        "" if host == "::" else host, int(variables.get("KAGENT_READYZ_PORT", _READYZ_PORT))
    ) as probe:
        threading.Thread(target=probe.serve_forever, daemon=True).start()
        stop.wait()
        probe.shutdown()
    server.stop(_GRACE).wait()


def main() -> None:
    """Serve until SIGTERM, which a thread of its own waits for: a handler waits for the main one."""
    stop = threading.Event()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    threading.Thread(target=_wait, args=(stop,), daemon=True).start()
    serve(os.environ, stop)


def _wait(stop: threading.Event) -> None:
    signal.sigwait({signal.SIGTERM})
    stop.set()


if __name__ == "__main__":
    main()
