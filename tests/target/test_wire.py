"""Bytes of one request per call, written by hand, mean what Substrate means by them, and are written so."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from kagent_render.target.messages import SERVICE, ateapi_june_pb2, ateapi_pb2, call_path
from tests.target.june_requests import JUNE
from tests.target.newest_requests import NEWEST
from tests.target.parts import REF
from tests.target.replies import REPLIES
from tests.target.wire import inner, number, text

GENERATIONS = {"newest": (ateapi_pb2.DESCRIPTOR, NEWEST), "June": (ateapi_june_pb2.DESCRIPTOR, JUNE)}
REQUESTS = [
    pytest.param(file.message_types_by_name[request], data, says, id=f"{generation} {call}")
    for generation, (file, calls) in GENERATIONS.items()
    for call, (request, _, data, says) in calls.items()
]


def _check(message: Message, data: bytes, says: dict[str, Any]) -> None:
    message.ParseFromString(data)
    assert MessageToDict(message, preserving_proto_field_name=True) == says
    assert message.SerializeToString(deterministic=True) == data


@pytest.mark.parametrize(("descriptor", "data", "says"), REQUESTS)
def test_a_request_is_read_and_written_as_substrate_does(
    descriptor: Any, data: bytes, says: dict[str, Any]
) -> None:
    _check(GetMessageClass(descriptor)(), data, says)


@pytest.mark.parametrize(("kind", "data", "says"), REPLIES.values(), ids=REPLIES)
def test_a_reply_is_read_and_written_as_substrate_does(
    kind: type[Message], data: bytes, says: dict[str, Any]
) -> None:
    _check(kind(), data, says)


@pytest.mark.parametrize("generation", GENERATIONS)
def test_each_call_takes_and_gives_the_messages_that_it_should(generation: str) -> None:
    file, calls = GENERATIONS[generation]
    (service,) = file.services_by_name.values()
    declared = {call.name: (call.input_type.name, call.output_type.name) for call in service.methods}
    assert declared == {name: case[:2] for name, case in calls.items()}


def test_a_call_goes_to_the_service_that_both_generations_have() -> None:
    assert ateapi_pb2.DESCRIPTOR.services_by_name["Control"].full_name == SERVICE
    assert call_path("CreateActor") == "/ateapi.Control/CreateActor"


KEPT = {
    "a field of a fork": (ateapi_pb2.SuspendActorRequest, inner(1, REF) + text(10001, "holder")),
    "nodes as v0.4.0-alpha1 has them": (
        ateapi_pb2.LocalSnapshot,
        text(1, "s") + text(2, "node") + number(3, 2),
    ),
    "the same number as later versions have it": (ateapi_pb2.LocalSnapshot, text(1, "s") + number(2, 2)),
}


@pytest.mark.parametrize(("kind", "data"), KEPT.values(), ids=KEPT)
def test_what_the_messages_do_not_know_is_kept(kind: type[Message], data: bytes) -> None:
    assert kind.FromString(data).SerializeToString() == data
