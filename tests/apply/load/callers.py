"""Many clients of a server that runs in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import grpc

from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api

TIMEOUT = 120.0
AGENT = {"harness": "python-runtime", "agent_template": "incident-researcher"}


class Client:
    """Calls of AgentInstanceService in one namespace."""

    def __init__(self, channel: grpc.Channel) -> None:
        self._channel = channel

    def create(self, request_id: str) -> api.AgentInstance:
        """The instance of a request."""
        reply = self._call("CreateAgentInstance", request_id=request_id, **AGENT)
        made: api.AgentInstance = reply.agent_instance
        return made

    def delete(self, instance: str) -> None:
        """Delete an instance."""
        self._call("DeleteAgentInstance", agent_instance_id=instance)

    def ids(self) -> list[str]:
        """Those of all instances."""
        found: list[str] = []
        page: dict[str, Any] = {"limit": 100}
        while True:
            reply = self._call("ListAgentInstances", page=page)
            found += [item.id for item in reply.agent_instances]
            page["page_token"] = reply.page.next_page_token
            if not page["page_token"]:
                return found

    def _call(self, method: str, **fields: Any) -> Any:
        request = getattr(api, f"{method}Request")(namespace="agent-team", **fields)
        reply: Any = getattr(api, f"{method}Response")
        call = self._channel.unary_unary(
            f"/kagent.api.v1alpha1.AgentInstanceService/{method}",
            request_serializer=lambda message: message.SerializeToString(),
            response_deserializer=reply.FromString,
        )
        return call(request, timeout=TIMEOUT)


@contextmanager
def client_of(address: str) -> Iterator[Client]:
    """A client with a connection of its own."""
    with grpc.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)]) as channel:
        yield Client(channel)


def each_with_a_connection(
    address: str, clients: int, work: Callable[[Client, int], list[api.AgentInstance]]
) -> list[api.AgentInstance]:
    """What so many clients at once were given, in the order of their numbers."""

    def run(number: int) -> list[api.AgentInstance]:
        with client_of(address) as client:
            return work(client, number)

    with ThreadPoolExecutor(clients) as pool:
        return [given for all_given in pool.map(run, range(clients)) for given in all_given]
