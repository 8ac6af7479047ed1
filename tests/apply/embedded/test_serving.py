"""The embedded Control over a socket: the same calls and statuses, and no other machine."""

from __future__ import annotations

from pathlib import Path

import grpc
import pytest

from kagent_apply.embedded.opening import open_echo
from kagent_apply.embedded.serving import serve_control
from kagent_render.target.messages import ateapi_pb2, call_path
from tests.apply.embedded.calls import TEAM, Client, code_of, ref


def test_it_listens_at_loopback_alone(echo: Client) -> None:
    assert code_of(lambda: serve_control(echo.control, "0.0.0.0:0")) == "INVALID_ARGUMENT"


@pytest.mark.server
def test_calls_and_statuses_are_the_same_over_a_socket(tmp_path: Path) -> None:
    client = Client(open_echo(tmp_path)).begin()
    made = client.create("a")
    server, port = serve_control(client.control, "127.0.0.1:0")
    assert code_of(lambda: serve_control(client.control, f"127.0.0.1:{port}")) == "UNAVAILABLE"
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        get = channel.unary_unary(
            call_path("GetActor"),
            request_serializer=ateapi_pb2.GetActorRequest.SerializeToString,
            response_deserializer=ateapi_pb2.Actor.FromString,
        )
        assert get(ateapi_pb2.GetActorRequest(actor=ref("a")), timeout=10) == made
        with pytest.raises(grpc.RpcError) as missing:
            get(ateapi_pb2.GetActorRequest(actor=ref("gone")), timeout=10)
        assert missing.value.code() == grpc.StatusCode.NOT_FOUND
        assert missing.value.details() == f"there is no actor `{TEAM}/gone`"
        resume = channel.unary_unary(
            call_path("ResumeActor"),
            request_serializer=ateapi_pb2.ResumeActorRequest.SerializeToString,
            response_deserializer=ateapi_pb2.ResumeActorResponse.FromString,
        )
        assert resume(ateapi_pb2.ResumeActorRequest(actor=ref("a"))).resumed  # without a deadline
        for method in ateapi_pb2.DESCRIPTOR.services_by_name["Control"].methods:
            with pytest.raises(grpc.RpcError) as refused:
                channel.unary_unary(call_path(method.name))(b"\xff", timeout=10)
            assert refused.value.code() == grpc.StatusCode.INTERNAL  # no message
    server.stop(None).wait()
    client.control.close()
