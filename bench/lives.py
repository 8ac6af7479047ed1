"""Instances that are created, suspended and deleted through a server, and what it keeps of them."""

from __future__ import annotations

import os
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grpc

from bench.callers import AGENT, CLIENTS
from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.instance_service import Served

SERVICE = "/kagent.api.v1alpha1.AgentInstanceService"
TIMEOUT = 120.0


@dataclass(frozen=True, slots=True)
class Held:
    """What a server holds: bytes of memory, open files, and files in the folder of its state."""

    memory: int
    handles: int
    files: int


def held(server: Served) -> Held:
    """As of now."""
    process = Path(f"/proc/{server.pid}")
    pages = int((process / "statm").read_text().split()[1])
    handles = len(list((process / "fd").iterdir()))
    files = sum(len(names) + len(folders) for _, folders, names in os.walk(server.state))
    return Held(pages * os.sysconf("SC_PAGE_SIZE"), handles, files)


def live(address: str, count: int, clients: int = CLIENTS) -> None:
    """So many instances from their creation to their end, by clients that share a connection each."""
    with ExitStack() as closing, ThreadPoolExecutor(clients) as pool:
        options = [("grpc.use_local_subchannel_pool", 1)]
        channels = [closing.enter_context(grpc.insecure_channel(address, options)) for _ in range(clients)]
        shares: Iterator[int] = (count // clients + (number < count % clients) for number in range(clients))
        for _ in pool.map(_live, channels, shares):
            pass


def _live(channel: Any, count: int) -> None:
    create, suspend, delete = (
        channel.unary_unary(
            f"{SERVICE}/{name}AgentInstance",
            request_serializer=lambda request: request.SerializeToString(),
            response_deserializer=getattr(api, f"{name}AgentInstanceResponse").FromString,
        )
        for name in ("Create", "Suspend", "Delete")
    )
    namespace, harness, template = AGENT
    for _ in range(count):
        asked = api.CreateAgentInstanceRequest(
            namespace=namespace, harness=harness, agent_template=template, request_id=str(uuid.uuid4())
        )
        made = create(asked, timeout=TIMEOUT).agent_instance.id
        suspend(api.SuspendAgentInstanceRequest(namespace=namespace, agent_instance_id=made), timeout=TIMEOUT)
        delete(api.DeleteAgentInstanceRequest(namespace=namespace, agent_instance_id=made), timeout=TIMEOUT)
