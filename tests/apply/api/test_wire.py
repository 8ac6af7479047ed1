"""Bytes of one request and one reply per call, written by hand, mean what kagent means by them."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message_factory import GetMessageClass

from kagent_apply.api.v1alpha1 import agent_instances_pb2, checkpoints_pb2
from tests.apply.api.calls import CHECKPOINTS, INSTANCES, Side
from tests.target.wire import text

SERVICES = {
    "AgentInstanceService": (agent_instances_pb2.DESCRIPTOR, INSTANCES),
    "CheckpointService": (checkpoints_pb2.DESCRIPTOR, CHECKPOINTS),
}
SIDES = [
    pytest.param(file, side, id=side[0])
    for file, calls in SERVICES.values()
    for call in calls.values()
    for side in call
]


@pytest.mark.parametrize(("file", "side"), SIDES)
def test_a_message_is_read_and_written_as_kagent_does(file: Any, side: Side) -> None:
    name, data, says = side
    message = GetMessageClass(file.message_types_by_name[name]).FromString(data)
    assert MessageToDict(message, preserving_proto_field_name=True) == says
    assert message.SerializeToString(deterministic=True) == data


@pytest.mark.parametrize("service", SERVICES)
def test_a_service_has_these_calls_and_no_others(service: str) -> None:
    file, calls = SERVICES[service]
    descriptor = file.services_by_name[service]
    assert descriptor.full_name == f"kagent.api.v1alpha1.{service}"
    declared = {call.name: (call.input_type.name, call.output_type.name) for call in descriptor.methods}
    assert declared == {name: (request[0], reply[0]) for name, (request, reply) in calls.items()}
    assert not any(call.client_streaming or call.server_streaming for call in descriptor.methods)


def test_what_later_clients_send_is_kept_and_seen() -> None:
    sent = text(1, "payments") + text(5, "triage")
    request = agent_instances_pb2.ListAgentInstancesRequest.FromString(sent)
    assert request.SerializeToString() == sent
