"""Clients that know no message: they ask for the services, their calls and messages, and call them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from kagent_apply.service.server import Bounds
from tests.apply.service.parts import World, instance, uuid
from tests.apply.service.serving import Client, serving

pytestmark = pytest.mark.server

SERVICES = [
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
    "kagent.api.v1alpha1.AgentInstanceService",
    "kagent.gitops.v1alpha1.RevisionService",
]


def test_a_client_lists_describes_and_calls(world: World, client: Client) -> None:
    world.store.kept = {uuid(1): instance()}
    found = ProtoReflectionDescriptorDatabase(client.channel)
    assert sorted(found.get_services()) == SERVICES
    pool = DescriptorPool(found)
    service = pool.FindServiceByName("kagent.api.v1alpha1.AgentInstanceService")
    method = service.FindMethodByName("GetAgentInstance")
    request = GetMessageClass(method.input_type)(namespace="payments", agent_instance_id=uuid(1))
    call = client.channel.unary_unary(f"/{service.full_name}/{method.name}")
    reply: Any = GetMessageClass(method.output_type).FromString(call(request.SerializeToString(), timeout=10))
    assert reply.agent_instance.agent_template.name == "triage"


def ask(client: Client, version: str, *requests: Any) -> Iterator[Any]:
    """The replies of one version of reflection."""
    stream = client.channel.stream_stream(
        f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo",
        request_serializer=reflection_pb2.ServerReflectionRequest.SerializeToString,
        response_deserializer=reflection_pb2.ServerReflectionResponse.FromString,
    )
    replies: Iterator[Any] = stream(iter(requests), timeout=10)
    return replies


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
@pytest.mark.parametrize("service", SERVICES)
def test_both_versions_describe_every_service_that_they_list(
    client: Client, version: str, service: str
) -> None:
    request = reflection_pb2.ServerReflectionRequest
    listed, told = ask(client, version, request(list_services=""), request(file_containing_symbol=service))
    assert [found.name for found in listed.list_services_response.service] == SERVICES
    files = [
        FileDescriptorProto.FromString(data) for data in told.file_descriptor_response.file_descriptor_proto
    ]
    pool = DescriptorPool()
    for file in reversed(_in_order(files)):
        pool.Add(file)
    assert pool.FindServiceByName(service).methods


def _in_order(files: list[FileDescriptorProto]) -> list[FileDescriptorProto]:
    """Files before those that they need."""
    by_name = {file.name: file for file in files}
    ordered: dict[str, FileDescriptorProto] = {}

    def visit(file: FileDescriptorProto) -> None:
        for name in file.dependency:
            visit(by_name[name])
        ordered.setdefault(file.name, file)

    for file in files:
        visit(file)
    return list(reversed(ordered.values()))


@pytest.mark.parametrize("version", ["v1", "v1alpha"])
def test_what_is_not_there_is_not_found(client: Client, version: str) -> None:
    request = reflection_pb2.ServerReflectionRequest
    asked = [request(file_containing_symbol="a.B"), request(file_by_filename="x"), request()]
    codes = [reply.error_response.error_code for reply in ask(client, version, *asked)]
    assert codes == [5, 5, 3]


def test_clients_that_ask_for_nothing_hold_up_no_call() -> None:
    with serving(World(), Bounds()) as (server, client):
        silent = [grpc.insecure_channel(f"127.0.0.1:{server.port}") for _ in range(2)]
        streams = [
            channel.stream_stream("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")(
                _never(), timeout=30
            )
            for channel in silent
            for _ in range(12)
        ]
        assert client.call("ListAgentInstances", namespace="payments").code == "OK"
        assert client.channel.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=10) == b"\x08\x01"
        for stream in streams:
            stream.cancel()
        for channel in silent:
            channel.close()


def _never() -> Iterator[bytes]:
    import threading

    threading.Event().wait(5)
    yield from ()
