"""Substrate's messages as protoc writes them out of `proto/`: `ateapi_pb2`, and June's `ateapi_june_pb2`.

Loading either loads protobuf, so that only what speaks to a server or reads its resources does.
"""

from typing import Final

SERVICE: Final = "ateapi.Control"
"""The service that both generations are called by; June's descriptors say `ateapi_june.Control`."""


def call_path(method: str) -> str:
    """Where gRPC finds a method of the service, for messages of either generation."""
    return f"/{SERVICE}/{method}"
