"""A client that outlives servers, and what it expects of an instance."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import grpc

from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api
from tests.apply.service.serving import Client as Calls
from tests.apply.service.serving import Reply
from tests.apply.whole.actors import Seen
from tests.apply.whole.agents import NAMESPACE, agent

PATIENCE = 60.0
"""Seconds within which anything happens on a busy machine."""

AGAIN = {"UNAVAILABLE", "DEADLINE_EXCEEDED", "INTERNAL", "CANCELLED"}
"""What says that the same call may be made again.

INTERNAL where the store did not answer, CANCELLED where the call came in while gRPC ended.
"""

_OPTIONS = [
    ("grpc.initial_reconnect_backoff_ms", 20),
    ("grpc.min_reconnect_backoff_ms", 20),
    ("grpc.max_reconnect_backoff_ms", 100),
    ("grpc.use_local_subchannel_pool", 1),
]


def until(condition: Callable[[], object], seconds: float = PATIENCE) -> None:
    """Wait for what other processes do."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happens"
        time.sleep(0.01)


@dataclass
class Client:
    """A caller with a token, or nobody."""

    address: str
    token: str | None = None
    _calls: Calls = field(init=False)

    def __post_init__(self) -> None:
        self.move(self.address)

    def move(self, address: str) -> None:
        """Ask another server from now on."""
        self.address = address
        self._channel = grpc.insecure_channel(address, _OPTIONS)
        self._calls = Calls(self._channel)

    def close(self) -> None:
        """Let go of the connection."""
        self._channel.close()

    def call(self, name: str, timeout: float = PATIENCE, **fields: Any) -> Reply:
        """One call."""
        return self._calls.call(name, token=self.token, timeout=timeout, **fields)

    def create(self, name: str, request_id: str, timeout: float = PATIENCE) -> Reply:
        """Create an instance of an agent of the example."""
        return self.call("CreateAgentInstance", timeout, request_id=request_id, **agent(name))

    def about(self, verb: str, number: str, timeout: float = PATIENCE) -> Reply:
        """Get, Suspend, Resume or Delete an instance."""
        return self.call(f"{verb}AgentInstance", timeout, **named(number))

    def made(self, name: str, request_id: str) -> api.AgentInstance:
        """An instance that is created."""
        return given(self.create(name, request_id))

    def done(self, verb: str, number: str) -> api.AgentInstance:
        """An instance after something that has to succeed."""
        return given(self.about(verb, number))

    def listed(self, limit: int = 100, **fields: Any) -> list[api.AgentInstance]:
        """All of the caller's instances, page by page."""
        return list(self._pages(limit, fields))

    def settled(self) -> Mapping[str, api.AgentInstance]:
        """The caller's instances by id, once nothing is under way any more."""
        until(lambda: not any(found.operation for found in self._listed_at_last()))
        return {found.id: found for found in self.listed()}

    def _listed_at_last(self) -> list[api.AgentInstance]:
        for reply in answers(lambda: self.call("ListAgentInstances", namespace=NAMESPACE)):
            assert reply.code == "OK", reply
        return self.listed()

    def _pages(self, limit: int, fields: Mapping[str, Any]) -> Iterator[api.AgentInstance]:
        token = ""
        while True:
            page = {"limit": limit, "page_token": token}
            reply = self.call("ListAgentInstances", namespace=NAMESPACE, page=page, **fields)
            assert reply.code == "OK", reply
            yield from reply.message.agent_instances
            token = reply.message.page.next_page_token
            if not token:
                return


def named(number: str) -> dict[str, Any]:
    """The fields of a request that name an instance."""
    return {"namespace": NAMESPACE, "agent_instance_id": number}


def given(reply: Reply) -> api.AgentInstance:
    """The instance of a reply, which has to have one."""
    assert reply.code == "OK", reply
    found: api.AgentInstance = reply.message.agent_instance
    return found


def answers(ask: Callable[[], Reply]) -> Iterator[Reply]:
    """The one answer that a call ends with, asked for again while that may help."""
    end = time.monotonic() + PATIENCE
    while (reply := ask()).code in AGAIN:
        assert time.monotonic() < end, reply
        time.sleep(0.02)
    yield reply


def state(found: api.AgentInstance) -> str:
    """The state of an instance in one word, with the operation that is under way, if any."""
    named = api.AgentInstanceState.Name(found.state).removeprefix("AGENT_INSTANCE_STATE_")
    if not found.operation:
        return named
    return f"{named} {api.AgentInstanceOperation.Name(found.operation).rpartition('_')[2]}"


ACTORS = {"READY": "RUNNING", "SUSPENDED": "SUSPENDED"}
"""What the Actors of an instance do in a state of its life."""


def names(number: str, members: int) -> list[str]:
    """The names of an instance's Actors."""
    return [f"ai-{number}" + (f"-{place}" if place else "") for place in range(members)]


def of(number: str, seen: Mapping[str, Seen]) -> list[Seen]:
    """The Actors of an instance that there are, root first."""
    return [seen[name] for name in sorted(seen) if name.startswith(f"ai-{number}")]
