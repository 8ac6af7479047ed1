"""How long a call may take: what the client says, and never longer than the server allows."""

from __future__ import annotations

import threading
from typing import Any

import grpc
import pytest

from kagent_apply.api.v1alpha1.agent_instances_pb2 import CreateAgentInstanceRequest
from kagent_apply.service.server import INSTANCES, Bounds
from tests.apply.service.parts import World, done
from tests.apply.service.serving import Client, serving

pytestmark = pytest.mark.server

CREATE: dict[str, Any] = {
    "namespace": "payments",
    "harness": "python-runtime",
    "agent_template": "triage",
    "request_id": "once",
}


@pytest.mark.parametrize(("told", "most"), [(None, 300), (40, 40), (4_000, 300)])
def test_an_operation_gets_the_time_that_is_left(
    world: World, client: Client, told: float | None, most: float
) -> None:
    client.call("CreateAgentInstance", timeout=told, **CREATE)
    ((*_, given),) = world.operations.asked
    assert most - 10 < given < most + 1  # a deadline travels as a time of day


def test_a_call_that_waited_beyond_its_deadline_does_nothing() -> None:
    world, going, go = World(), threading.Event(), threading.Event()

    def act(*asked: Any) -> Any:
        going.set()
        assert go.wait(30)
        return done(*asked)

    world.operations.act = act
    with serving(world, Bounds(waiting=1)) as (_, client):
        first = threading.Thread(target=client.call, args=("CreateAgentInstance",), kwargs=CREATE)
        first.start()
        assert going.wait(10)
        late = client.call("CreateAgentInstance", timeout=0.2, **CREATE)
        assert late.code == "DEADLINE_EXCEEDED"
        go.set()
        first.join(10)
        assert client.call("CreateAgentInstance", **CREATE).code == "OK"
    assert len(world.operations.asked) == 2  # the first and the last


def test_a_caller_whose_time_was_over_is_on_record() -> None:
    world, going, go = World(), threading.Event(), threading.Event()

    def act(*asked: Any) -> Any:
        going.set()
        assert go.wait(30)
        return done(*asked)

    world.operations.act = act
    with serving(world) as (server, client):
        request = CreateAgentInstanceRequest(**CREATE).SerializeToString()
        create = client.channel.unary_unary(f"/{INSTANCES.full_name}/CreateAgentInstance")
        leaving = create.future(request, timeout=1.5)
        assert going.wait(10)
        assert leaving.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        assert server._in_flight.wait_idle(10)  # the server knows that it is over
        go.set()
        assert world.records.wait(1).peer.startswith("ipv4:127.0.0.1:")


def test_operations_that_wait_hold_up_neither_other_calls_nor_probes() -> None:
    world, go = World(), threading.Event()

    def act(*asked: Any) -> Any:
        assert go.wait(30)
        return done(*asked)

    world.operations.act = act
    with serving(world, Bounds(waiting=2)) as (_, client):
        waiting = [
            threading.Thread(target=client.call, args=("CreateAgentInstance",), kwargs=CREATE)
            for _ in range(40)
        ]
        for thread in waiting:
            thread.start()
        assert client.call("ListAgentInstances", namespace="payments").code == "OK"
        check = client.channel.unary_unary("/grpc.health.v1.Health/Check")
        assert check(b"", timeout=10) == b"\x08\x01"
        go.set()
        for thread in waiting:
            thread.join(30)


def test_more_calls_than_the_server_takes_are_refused() -> None:
    world, going, go = World(), threading.Event(), threading.Event()

    def act(*asked: Any) -> Any:
        going.set()
        assert go.wait(30)
        return done(*asked)

    world.operations.act = act
    with serving(world, Bounds(calls=1)) as (_, client):
        first = threading.Thread(target=client.call, args=("CreateAgentInstance",), kwargs=CREATE)
        first.start()
        assert going.wait(10)
        assert client.call("ListAgentInstances", namespace="payments").code == "RESOURCE_EXHAUSTED"
        go.set()
        first.join(10)


def test_two_servers_do_not_share_a_port() -> None:
    from kagent_apply.service.server import ListenError, build_server

    with serving(World()) as (server, _):
        place = f"127.0.0.1:{server.port}"
        with pytest.raises(ListenError, match=f"`{place}` cannot be listened on"):
            build_server(World().parts(), place, None)
        assert grpc.insecure_channel(place) is not None
