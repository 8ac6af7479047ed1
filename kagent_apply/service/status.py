"""Refusals as gRPC sends them: a code, a text, and the details of `google.rpc` for programs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import grpc
from google.protobuf.duration_pb2 import Duration
from google.rpc import error_details_pb2, status_pb2

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from kagent_apply.service.refusal import Refusal

DOMAIN: Final = "kagent.dev"
"""Whose reasons ErrorInfo has, as kagent's own errors say."""

_DETAILS: Final = "grpc-status-details-bin"
_LONGEST: Final = 2_000
"""Characters of a text: it travels in a header, percent-encoded, and a client takes 8 KiB of those."""


@dataclass(frozen=True, slots=True)
class Status:
    """What `abort_with_status` takes (`grpc.Status`)."""

    code: grpc.StatusCode
    details: str
    trailing_metadata: tuple[tuple[str, bytes], ...]


def to_status(refusal: Refusal) -> Status:
    """A refusal for the wire; ValueError where its status has no code."""
    try:
        code = grpc.StatusCode[refusal.status]
    except KeyError:
        raise ValueError(f"no gRPC status has the name {refusal.status}") from None
    text = refusal.text[:_LONGEST]
    rich = status_pb2.Status(code=code.value[0], message=text)
    for detail in _details(refusal):
        rich.details.add().Pack(detail)
    return Status(code, text, ((_DETAILS, rich.SerializeToString()),))


def _details(refusal: Refusal) -> list[Message]:
    hint = {"hint": refusal.hint[:_LONGEST]} if refusal.hint else {}
    details: list[Message] = [
        error_details_pb2.ErrorInfo(reason=refusal.reason, domain=DOMAIN, metadata=hint)
    ]
    if refusal.faults:
        violations = [
            error_details_pb2.BadRequest.FieldViolation(field=fault.field, description=str(fault))
            for fault in refusal.faults
        ]
        details.append(error_details_pb2.BadRequest(field_violations=violations))
    if refusal.incident:
        details.append(error_details_pb2.RequestInfo(request_id=refusal.incident))
    if refusal.retry_after > 0:
        delay = Duration()
        delay.FromNanoseconds(int(refusal.retry_after * 1e9))
        details.append(error_details_pb2.RetryInfo(retry_delay=delay))
    return details
