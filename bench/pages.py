"""Pages of a list of instances, asked of a server whose store has many of them or few."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import grpc

from bench.instance_store import CALLERS, REVISION, new_instance
from bench.lives import SERVICE, TIMEOUT
from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api
from kagent_apply.api.v1alpha1.common_pb2 import PageRequest
from kagent_apply.instances.identifiers import page_token
from kagent_apply.instances.standing import Standing
from kagent_apply.instances.states import State
from kagent_apply.store.opening import open_store
from kagent_apply.store.port import Hold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kagent_apply.store.port import Store

LIMIT: Final = 50
BUDGET: Final = 1.5
LABELS: Final = REVISION.labels
"""Which all instances have."""

_PAGES: Final = 20
_LET_GO: Final = Hold("bench", 0.0)


def fill(url: str, count: int) -> Sequence[str]:
    """The ids of so many READY instances of the caller that nobody asks who they are, in order."""
    with closing(open_store(url)) as store, ThreadPoolExecutor(CALLERS) as pool:
        return sorted(pool.map(lambda _: _put(store), range(count)))


def _put(store: Store) -> str:
    new = replace(new_instance(), creator="local", standing=Standing(State.READY, claim=1))
    assert store.reserve(new, REVISION, _LET_GO)
    return new.id


def after(ids: Sequence[str]) -> dict[str, str]:
    """What asks for the first page, one in the middle, and the last that is full."""
    return {"first": "", "middle": page_token(ids[len(ids) // 2]), "last": page_token(ids[-LIMIT - 1])}


def pages(server: str, token: str, labels: Mapping[str, str]) -> Callable[[], float]:
    """Gives the seconds in which one client gets a page so many times."""
    request = api.ListAgentInstancesRequest(
        namespace=REVISION.agent.namespace,
        match_labels=labels,
        page=PageRequest(limit=LIMIT, page_token=token),
    )

    def ask() -> float:
        with grpc.insecure_channel(server) as channel:
            call = channel.unary_unary(
                f"{SERVICE}/ListAgentInstances",
                request_serializer=api.ListAgentInstancesRequest.SerializeToString,
                response_deserializer=api.ListAgentInstancesResponse.FromString,
            )
            found = call(request, timeout=TIMEOUT)
            assert len(found.agent_instances) == LIMIT
            started = time.perf_counter()
            for _ in range(_PAGES):
                call(request, timeout=TIMEOUT)
            return time.perf_counter() - started

    return ask
