"""`python -m tests.apply.whole.paused_program STORE CONTROL CALLS`: creates, and stops after so many calls.

It stops as a machine that is frozen does, and goes on when it is told to.
"""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable

from google.protobuf.message import Message

from kagent_apply.instances.prepared import PreparedRevision
from kagent_apply.instances.requests import AgentName, Creation
from kagent_apply.operations.error import OperationError
from kagent_apply.operations.limits import Limits
from kagent_apply.operations.operations import Operations
from kagent_apply.revisions.port import PairStatus
from kagent_apply.store.opening import open_store
from kagent_apply.substrate.grpc_transport import GrpcTransport
from kagent_apply.substrate.newest import NewestCompute
from kagent_apply.substrate.transport import ReplyT
from tests.apply.substrate import parts

CREATOR = "alice"
CREATION = Creation(parts.revision().agent, "first")
"""What all replicas are asked for."""

LIMITS = Limits(lease=1.5, call=1.0, interval=0.1, backoff=0.2)
"""So short that a test can wait for a lease to lapse."""


class Told:
    """A transport that tells of each call once it has its reply."""

    def __init__(self, address: str, tell: Callable[[str], None]) -> None:
        self._transport = GrpcTransport(address)
        self._tell = tell

    def call(self, method: str, request: Message, reply_type: type[ReplyT], timeout: float) -> ReplyT:
        try:
            return self._transport.call(method, request, reply_type, timeout)
        finally:
            self._tell(method)

    def close(self) -> None:
        self._transport.close()


class OneRevision:
    """Serves one revision, whatever is asked for."""

    def serving(self, _: AgentName) -> PreparedRevision:
        return parts.revision()

    def pairs(self, _: str | None = None) -> list[PairStatus]:
        return []

    def problem(self) -> str:
        return ""


def replica(store: str, address: str, tell: Callable[[str], None]) -> Operations:
    """One of several on a store and a Control."""
    compute = NewestCompute(Told(address, tell))
    return Operations(open_store(store), OneRevision(), lambda _: compute, limits=LIMITS)


def main(store: str, address: str, calls: int) -> None:
    """Print each call, then what became of the instance."""
    counted = iter(range(1, 1000))

    def tell(method: str) -> None:
        print(method, flush=True)
        if next(counted) == calls:
            print("stopped", flush=True)
            # To this very thread: of a signal to the process another could be told first, and this one go on.
            signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)

    operations = replica(store, address, tell)
    operations.start()
    try:
        made = operations.create(CREATOR, CREATION, 60.0)
        print(f"ended {made.standing.state.name} {made.version}", flush=True)
    except OperationError as error:
        print(f"ended {error.reason}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
