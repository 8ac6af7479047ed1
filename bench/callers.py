"""Clients of a gRPC server, in a process of their own: each waits for its reply before it calls again.

As a program it prints the seconds that `COUNT` calls of a method took, at `SERVER`.
"""

from __future__ import annotations

import itertools
import sys
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import grpc

from bench.processes import PYTHON, printed

if TYPE_CHECKING:
    from collections.abc import Iterator

CLIENTS = 16
CREATE = "/kagent.api.v1alpha1.AgentInstanceService/CreateAgentInstance"
AGENT = ("agent-team", "python-runtime", "incident-researcher")
"""Of examples/substrate-v0.4: an agent of one member."""


def seconds(server: str, method: str, count: int) -> float:
    """What so many calls took in a process of their own."""
    return float(printed(PYTHON, "-m", "bench.callers", server, method, str(count)))


def _requests(method: str) -> Iterator[bytes]:
    if method != CREATE:
        return itertools.repeat(b"")
    from kagent_apply.api.v1alpha1.agent_instances_pb2 import CreateAgentInstanceRequest

    namespace, harness, template = AGENT
    return (
        CreateAgentInstanceRequest(
            namespace=namespace, harness=harness, agent_template=template, request_id=str(uuid.uuid4())
        ).SerializeToString()
        for _ in itertools.count()
    )


def _measure(server: str, method: str, count: int) -> float:
    """Each client has a connection of its own, and made one call before the time begins."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    requests = list(itertools.islice(_requests(method), count + CLIENTS))
    with ExitStack() as closing, ThreadPoolExecutor(CLIENTS) as pool:
        channels = [closing.enter_context(grpc.insecure_channel(server, options)) for _ in range(CLIENTS)]
        calls: list[Any] = [channel.unary_unary(method) for channel in channels]
        for client, call in enumerate(calls):
            call(requests[client], timeout=60, wait_for_ready=True)
        rest = iter(requests[CLIENTS:])

        def work(call: Any) -> None:
            for request in rest:
                call(request, timeout=60)

        started = time.perf_counter()
        list(pool.map(work, calls))
        return time.perf_counter() - started


if __name__ == "__main__":
    print(_measure(sys.argv[1], sys.argv[2], int(sys.argv[3])))
