"""How a server ends: health first, then the calls under way, then everything."""

from __future__ import annotations

import threading
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2

from kagent_apply.service.in_flight import InFlight
from kagent_apply.service.server import INSTANCES, REVISIONS
from tests.apply.service.parts import STORE_DOWN, World, done
from tests.apply.service.serving import Client, Reply, serving

pytestmark = pytest.mark.server

STATUS = health_pb2.HealthCheckResponse.ServingStatus
CREATE: dict[str, Any] = {
    "namespace": "payments",
    "harness": "python-runtime",
    "agent_template": "triage",
    "request_id": "once",
}


def watch(client: Client, service: str = "") -> Any:
    """The statuses of a service, one after the other."""
    stream = client.channel.unary_stream(
        "/grpc.health.v1.Health/Watch",
        request_serializer=health_pb2.HealthCheckRequest.SerializeToString,
        response_deserializer=health_pb2.HealthCheckResponse.FromString,
    )
    return stream(health_pb2.HealthCheckRequest(service=service), timeout=30)


@pytest.mark.parametrize("service", ["", INSTANCES.full_name, REVISIONS.full_name, "grpc.health.v1.Health"])
def test_health_follows_the_store(service: str) -> None:
    world = World()
    with serving(world) as (_, client):
        found = (STATUS.Name(reply.status) for reply in watch(client, service))
        assert next(found) == "SERVING"
        for trouble in (STORE_DOWN, ValueError("a bug")):
            world.store.down = trouble
            assert next(found) == "NOT_SERVING"
            world.store.down = None
            assert next(found) == "SERVING"


def test_a_service_that_is_not_there_has_no_health() -> None:
    with serving(World()) as (_, client):
        assert (
            STATUS.Name(next(watch(client, "kagent.api.v1alpha1.CheckpointService")).status)
            == "SERVICE_UNKNOWN"
        )


def test_a_server_that_drains_says_so_and_lets_calls_end() -> None:
    world, going, go = World(), threading.Event(), threading.Event()
    replies: list[Reply] = []

    def act(*asked: Any) -> Any:
        going.set()
        assert go.wait(30)
        return done(*asked)

    world.operations.act = act
    with serving(world) as (server, client):
        health = watch(client)
        assert next(health).status == STATUS.SERVING
        called = threading.Thread(target=lambda: replies.append(client.call("CreateAgentInstance", **CREATE)))
        called.start()
        assert going.wait(10)
        ended: list[bool] = []
        draining = threading.Thread(target=lambda: ended.append(server.drain(30)))
        draining.start()
        assert next(health).status == STATUS.NOT_SERVING
        with grpc.insecure_channel(f"127.0.0.1:{server.port}") as other:
            while Client(other).call("ListAgentInstances", namespace="payments").code != "UNAVAILABLE":
                pass
        go.set()
        called.join(10)
        draining.join(10)  # although somebody still watches
        assert ended == [True]
    assert replies[0].code == "OK"


def test_a_call_that_no_thread_had_begun_with_ends_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    taken, drains, replies = threading.Event(), threading.Event(), list[Reply]()
    enter, wait = InFlight.enter, InFlight.wait_idle

    def late(counted: InFlight, context: Any) -> None:
        taken.set()
        assert drains.wait(30)
        enter(counted, context)

    def waited(counted: InFlight, timeout: float) -> bool:
        idle = wait(counted, timeout)
        drains.set()
        return idle

    monkeypatch.setattr(InFlight, "enter", late)
    monkeypatch.setattr(InFlight, "wait_idle", waited)
    with serving(World()) as (server, client):
        called = threading.Thread(target=lambda: replies.append(client.call("CreateAgentInstance", **CREATE)))
        called.start()
        assert taken.wait(10)
        assert server.drain(30) is True
        called.join(10)
    assert replies[0].code == "OK"


def test_a_call_that_does_not_end_is_cut_off_after_the_grace() -> None:
    world, going, go = World(), threading.Event(), threading.Event()
    replies: list[Reply] = []

    def act(*asked: Any) -> Any:
        going.set()
        assert go.wait(30)
        return done(*asked)

    world.operations.act = act
    with serving(world) as (server, client):
        called = threading.Thread(target=lambda: replies.append(client.call("CreateAgentInstance", **CREATE)))
        called.start()
        assert going.wait(10)
        assert server.drain(0.2) is False
        go.set()
        called.join(10)
    assert replies[0].code in ("UNAVAILABLE", "CANCELLED")
