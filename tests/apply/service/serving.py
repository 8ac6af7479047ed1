"""A server of this process, and a client of it that knows no stubs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import grpc
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2, status_pb2

from kagent_apply.service.server import INSTANCES, REVISIONS, Bounds, Server, build_server
from tests.apply.service.parts import World

CALLS = {call.name: call for service in (INSTANCES, REVISIONS) for call in service.methods}


@dataclass(frozen=True)
class Reply:
    """How a call ended: its status, its text, its details by their type, or its message."""

    code: str
    text: str
    details: dict[str, Any]
    message: Any = None


class Client:
    """Calls by name, with the fields of the request."""

    def __init__(self, channel: grpc.Channel) -> None:
        self.channel = channel

    def call(
        self, name: str, *, token: str | None = None, timeout: float | None = 10, **fields: Any
    ) -> Reply:
        """One call of a service by its name."""
        method = CALLS[name]
        request = GetMessageClass(method.input_type)(**fields)
        return self.send(name, request.SerializeToString(), token=token, timeout=timeout)

    def send(
        self,
        name: str,
        data: bytes,
        *,
        token: str | None = None,
        timeout: float | None = 10,
        metadata: tuple[tuple[str, str], ...] = (),
    ) -> Reply:
        """The same with any bytes."""
        method = CALLS[name]
        path = f"/{method.containing_service.full_name}/{name}"
        held = (*metadata, ("authorization", f"Bearer {token}")) if token else metadata
        try:
            reply = self.channel.unary_unary(path)(data, timeout=timeout, metadata=held)
        except grpc.RpcError as error:
            return refused(error)
        return Reply("OK", "", {}, GetMessageClass(method.output_type).FromString(reply))


def refused(error: Any) -> Reply:
    """What a client can read of an error."""
    details = {}
    for key, value in error.trailing_metadata() or ():
        if key == "grpc-status-details-bin":
            rich = status_pb2.Status.FromString(value)
            assert rich.code == error.code().value[0]
            assert rich.message == error.details()
            for found in rich.details:
                kind = found.TypeName().rpartition(".")[2]
                message: Message = getattr(error_details_pb2, kind)()
                found.Unpack(message)
                details[kind] = message
    return Reply(error.code().name, error.details(), details)


@contextmanager
def serving(world: World, bounds: Bounds | None = None) -> Iterator[tuple[Server, Client]]:
    """A server over some parts on a free port, and a client of it."""
    server = build_server(world.parts(), "127.0.0.1:0", None, bounds or Bounds(probe=0.05))
    server.start()
    with grpc.insecure_channel(f"127.0.0.1:{server.port}") as channel:
        try:
            yield server, Client(channel)
        finally:
            server.drain(0)
