"""What happens around every call: its message, its time, its caller, its refusal, and its record."""

from __future__ import annotations

import time
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from kagent_apply.auth.credentials import read_credentials
from kagent_apply.service.call import Call
from kagent_apply.service.port import CallRecord
from kagent_apply.service.refusal import Refusal, malformed, refusal_of
from kagent_apply.service.status import to_status

if TYPE_CHECKING:
    from datetime import datetime

    import grpc  # type: ignore[import-untyped, unused-ignore]

    from kagent_apply.auth.port import Caller
    from kagent_apply.service.in_flight import InFlight
    from kagent_apply.service.method import Method
    from kagent_apply.service.parts import Parts


@dataclass(frozen=True, slots=True)
class Handling:
    """Handles calls of any method; `longest` is how many seconds one may take whose client says nothing."""

    parts: Parts
    in_flight: InFlight
    longest: float

    def handle(self, service: str, method: Method, data: bytes, context: grpc.ServicerContext) -> bytes:
        """The bytes of the reply; ends the call with a status where it is refused."""
        self.in_flight.enter(context)
        began, peer = (self.parts.now(), time.monotonic()), context.peer()  # gRPC forgets who has left
        with ExitStack() as admission:
            call = Call(
                remaining=lambda: self._remaining(context, began[1]),
                identify=lambda: self._caller(context, admission),
                authorizer=self.parts.authorizer,
            )
            refusal, reply = self._outcome(method, data, call)
        seconds = time.monotonic() - began[1]
        self.parts.observe(_record(f"{service}/{method.name}", call, refusal, began[0], seconds, peer))
        if refusal is not None:
            context.abort_with_status(to_status(refusal))
        return reply

    def _outcome(self, method: Method, data: bytes, call: Call) -> tuple[Refusal | None, bytes]:
        try:
            call.timeout()
            return None, method.handle(_read(method, data), call).SerializeToString()
        except Exception as error:
            return refusal_of(error, self.parts.new_id()), b""

    def _remaining(self, context: grpc.ServicerContext, began: float) -> float:
        if not context.is_active():  # the client left while the call waited for a thread
            return 0
        left = self.longest - (time.monotonic() - began)
        told: float | None = context.time_remaining()
        return left if told is None else min(left, told)

    def _caller(self, context: grpc.ServicerContext, admission: ExitStack) -> Caller:
        """Who calls, once they are let in; they are counted until the call has ended."""
        shown = read_credentials(context.invocation_metadata(), context.auth_context(), context.peer())
        caller = self.parts.authenticator.authenticate(shown)
        admission.enter_context(self.parts.admit(caller.subject))
        return caller


def _record(
    method: str, call: Call, refusal: Refusal | None, began: datetime, seconds: float, peer: str
) -> CallRecord:
    return CallRecord(
        method=method,
        status=refusal.status if refusal else "OK",
        began=began,
        seconds=seconds,
        peer=peer,
        caller=call.caller,
        verb=call.verb,
        namespace=call.namespace,
        name=call.name,
        request_id=call.request_id,
        incident=refusal.incident if refusal else "",
        fault=refusal.fault if refusal else "",
    )


def _read(method: Method, data: bytes) -> object:
    try:
        return method.request.FromString(data)
    except DecodeError:
        raise malformed() from None
