"""Server reflection, in both versions: which services there are, and what their messages look like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import grpc
from google.protobuf import descriptor_pool
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.reflection import ReflectionServicer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from google.protobuf.descriptor import FileDescriptor

_SERVICE: Final = "ServerReflection"
_OLD: Final = "grpc.reflection.v1alpha"
_NEW: Final = "grpc.reflection.v1"
SERVICES: Final = (f"{_NEW}.{_SERVICE}", f"{_OLD}.{_SERVICE}")
"""The services' names: the messages are the same, and only the package differs."""


class _Descriptors:
    """The descriptors of this process, and beside them those of the newer version, which no package has."""

    def __init__(self) -> None:
        self._all = descriptor_pool.Default()
        self._new = descriptor_pool.DescriptorPool()
        self._new.AddSerializedFile(_renamed(reflection_pb2.DESCRIPTOR))

    def FindFileByName(self, name: str) -> FileDescriptor:  # noqa: N802
        """A file, in whichever pool has it; KeyError where none does."""
        try:
            return self._new.FindFileByName(name)
        except KeyError:
            return self._all.FindFileByName(name)

    def FindFileContainingSymbol(self, symbol: str) -> FileDescriptor:  # noqa: N802
        """The file of a message, an enum or a service; KeyError where none has it."""
        try:
            return self._new.FindFileContainingSymbol(symbol)
        except KeyError:
            return self._all.FindFileContainingSymbol(symbol)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._all, name)


def reflection_handlers(services: Sequence[str]) -> list[Any]:
    """Both versions."""
    servicer = ReflectionServicer((*services, *SERVICES), pool=_Descriptors())
    method = grpc.stream_stream_rpc_method_handler(
        servicer.ServerReflectionInfo,
        request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
        response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
    )
    return [grpc.method_handlers_generic_handler(name, {"ServerReflectionInfo": method}) for name in SERVICES]


def _renamed(descriptor: FileDescriptor) -> bytes:
    """The file of the older version under the newer one's names."""
    file = FileDescriptorProto.FromString(descriptor.serialized_pb)
    file.name, file.package = file.name.replace("v1alpha", "v1"), _NEW
    for message in file.message_type:
        for field in message.field:
            if field.HasField("type_name"):
                field.type_name = field.type_name.replace(_OLD, _NEW)
    for method in file.service[0].method:
        method.input_type = method.input_type.replace(_OLD, _NEW)
        method.output_type = method.output_type.replace(_OLD, _NEW)
    return file.SerializeToString()
