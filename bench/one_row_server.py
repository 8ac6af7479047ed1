"""The least that a service with a store can do: an empty call that commits one row.

As a program it serves over the store of a URL until its input ends, and prints its port.
"""

from __future__ import annotations

import sys
import uuid
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime
from secrets import token_bytes
from typing import TYPE_CHECKING, Any

import grpc

from bench.instance_store import create
from kagent_apply.instances.instance import Share
from kagent_apply.instances.states import Permission
from kagent_apply.store.opening import open_store

if TYPE_CHECKING:
    from kagent_apply.instances.instance import Instance
    from kagent_apply.store.port import Store

SERVICE = "bench.OneRow"
METHOD = f"/{SERVICE}/Commit"
_THREADS = 64
"""As many as wait for actors in `kagent-apply serve`."""


def main(url: str) -> None:
    """Serve until the input ends."""
    with closing(open_store(url)) as store:
        server = grpc.server(ThreadPoolExecutor(_THREADS), handlers=[_handler(store, create(store))])
        port = server.add_insecure_port("127.0.0.1:0")
        server.start()
        print(port, flush=True)
        sys.stdin.read()
        server.stop(None).wait()


def _handler(store: Store, instance: Instance) -> Any:
    def commit(_request: bytes, _context: grpc.ServicerContext) -> bytes:
        assert store.add_share(_share(instance))
        return b""

    return grpc.method_handlers_generic_handler(
        SERVICE, {"Commit": grpc.unary_unary_rpc_method_handler(commit)}
    )


def _share(instance: Instance) -> Share:
    return Share(
        id=str(uuid.uuid4()),
        namespace=instance.agent.namespace,
        instance=instance.id,
        creator=instance.creator,
        permission=Permission.READ_ONLY,
        created_at=datetime.now(UTC),
        digest=token_bytes(32),
    )


if __name__ == "__main__":
    main(sys.argv[1])
