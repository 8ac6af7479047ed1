"""Clients that begin calls and send no message, and streams that never end: nobody else waits for them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from typing import Any

import grpc
import pytest

from kagent_apply.service.arrivals import OldestLeaves
from kagent_apply.service.server import Bounds
from tests.apply.service.parts import World
from tests.apply.service.serving import Client, serving

HEALTH = "/grpc.health.v1.Health/Check"
GET = "/kagent.api.v1alpha1.AgentInstanceService/GetAgentInstance"
CREATE = "/kagent.api.v1alpha1.AgentInstanceService/CreateAgentInstance"
UNSERVED = "/kagent.api.v1alpha1.CheckpointService/GetCheckpoint"
WATCH = "/grpc.health.v1.Health/Watch"
REFLECTION = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo"


class Caller:
    """A call as far as it is known here."""

    def __init__(self) -> None:
        self.cancelled = False

    def cancel(self) -> None:
        self.cancelled = True


def half_open(channel: grpc.Channel, path: str, count: int, never: threading.Event) -> list[Any]:
    """So many calls of which the headers are sent, and nothing else."""

    def silent() -> Iterator[bytes]:
        never.wait()
        yield b""

    begin = channel.stream_stream(path) if "Reflection" in path else channel.stream_unary(path).future
    return [begin(silent()) for _ in range(count)]


def answered(client: Client) -> None:
    """What others are told as ever: the probe, a call, and an operation."""
    assert client.channel.unary_unary(HEALTH)(b"", timeout=20) == b"\x08\x01"
    assert client.call("ListAgentInstances", namespace="payments", timeout=20).code == "OK"


@pytest.mark.server
@pytest.mark.parametrize("path", [HEALTH, GET, CREATE, UNSERVED, WATCH, REFLECTION])
def test_calls_without_a_message_hold_up_nobody(path: str) -> None:
    never = threading.Event()
    with serving(World(), Bounds(calls=200)) as (server, client):
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as hostile:
            begun = half_open(hostile, path, 100, never)
            answered(client)
            assert begun
        never.set()


@pytest.mark.server
@pytest.mark.parametrize("path", [GET, WATCH, REFLECTION])
def test_as_many_as_the_server_takes_make_room(path: str) -> None:
    never, waited = threading.Event(), threading.Event()
    with serving(World(), Bounds(calls=8)) as (server, client):
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as hostile:
            begun = half_open(hostile, path, 8, never)
            while client.call("ListAgentInstances", namespace="payments").code == "RESOURCE_EXHAUSTED":
                waited.wait(0.05)
            answered(client)
            assert len(begun) == 8
        never.set()


@pytest.mark.server
def test_connections_that_are_too_many_are_turned_away_and_others_go_on() -> None:
    with serving(World(), Bounds(connections=4)) as (server, client), ExitStack() as held:
        answered(client)
        address = ("127.0.0.1", server.port)
        turned_away = 0
        for _ in range(8):
            silent = held.enter_context(socket.create_connection(address, 10))
            with suppress(TimeoutError, ConnectionResetError):
                silent.settimeout(0.5)
                while silent.recv(1 << 10):  # the server speaks first
                    pass
                turned_away += 1
        assert turned_away >= 4
        answered(client)


@pytest.mark.server
def test_a_call_that_ends_without_a_message_is_refused(client: Client) -> None:
    with pytest.raises(grpc.RpcError) as refused:
        client.channel.stream_unary(GET)(iter(()), timeout=10)
    assert refused.value.code() is grpc.StatusCode.INVALID_ARGUMENT


def test_those_who_were_here_longest_leave_and_nobody_at_once() -> None:
    now = [0.0]
    room = OldestLeaves(2, lambda: now[0])
    callers = [Caller() for _ in range(5)]
    for caller in callers[:3]:
        room.enter(caller)
    assert not any(caller.cancelled for caller in callers)
    now[0] = 3.0
    room.leave(callers[1])
    room.enter(callers[3])
    assert [caller.cancelled for caller in callers] == [True, False, False, False, False]
    room.enter(callers[4])
    assert [caller.cancelled for caller in callers] == [True, False, True, False, False]
