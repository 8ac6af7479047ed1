"""The embedded Control as a gRPC server, for clients on the same machine."""

from __future__ import annotations

from concurrent import futures
from typing import TYPE_CHECKING, Any, Final

import grpc
from google.protobuf.message_factory import GetMessageClass

from kagent_apply.embedded.refusal import ControlError
from kagent_apply.network.loopback import is_loopback_address
from kagent_render.target.messages import SERVICE, ateapi_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf.descriptor import MethodDescriptor
    from google.protobuf.message import Message

    from kagent_apply.embedded.control import Control

DEFAULT_TIMEOUT: Final = 60.0
"""Seconds for a call that has no deadline of its own."""

_LONGEST: Final = 86_400.0
_THREADS: Final = 16


def serve_control(control: Control, address: str) -> tuple[grpc.Server, int]:
    """Serve at `HOST:PORT` of the loopback interface; the server, which is started, and its port.

    Raises ControlError for an address that other machines reach: whoever calls may do everything.
    """
    if not is_loopback_address(address):
        raise ControlError("INVALID_ARGUMENT", "the embedded Control listens at loopback addresses alone")
    server = grpc.server(futures.ThreadPoolExecutor(_THREADS), options=[("grpc.so_reuseport", 0)])
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, _handlers(control)),))
    try:
        port = server.add_insecure_port(address)
    except RuntimeError as error:
        raise ControlError("UNAVAILABLE", f"nothing can listen at `{address}`") from error
    server.start()
    return server, port


def _handlers(control: Control) -> dict[str, grpc.RpcMethodHandler[Any, Any]]:
    service = ateapi_pb2.DESCRIPTOR.services_by_name["Control"]
    return {method.name: _handler(control, method) for method in service.methods}


def _handler(control: Control, method: MethodDescriptor) -> grpc.RpcMethodHandler[Any, Any]:
    request, reply = GetMessageClass(method.input_type), GetMessageClass(method.output_type)
    return grpc.unary_unary_rpc_method_handler(
        _answer(control, method.name, reply),
        request_deserializer=request.FromString,
        response_serializer=reply.SerializeToString,
    )


def _seconds(left: float | None) -> float:
    """How long a call may take; one without a deadline has, to grpcio, one at the end of time."""
    return DEFAULT_TIMEOUT if left is None or left > _LONGEST else left


def _answer(
    control: Control, method: str, reply: type[Message]
) -> Callable[[Message, grpc.ServicerContext], Message]:
    def answer(request: Message, context: grpc.ServicerContext) -> Message:
        try:
            return control.call(method, request, reply, _seconds(context.time_remaining()))
        except ControlError as error:
            context.abort(grpc.StatusCode[error.code], error.text)
            raise AssertionError from error

    return answer
