"""What happens around every call: its message, its time, its caller, its refusal, and its record."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from google.protobuf.message import DecodeError

from kagent_apply.service.call import Call
from kagent_apply.service.credentials import credentials_of
from kagent_apply.service.port import CallRecord
from kagent_apply.service.refusal import Refusal, malformed, refusal_of
from kagent_apply.service.status import to_status

if TYPE_CHECKING:
    import grpc  # type: ignore[import-untyped]

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
        began = time.monotonic()
        call = Call(
            lambda: self._remaining(context, began), lambda: self._caller(context), self.parts.authorizer
        )
        refusal, reply = self._outcome(method, data, call)
        self._record(f"{service}/{method.name}", call, context, refusal, time.monotonic() - began)
        if refusal is not None:
            context.abort_with_status(to_status(refusal))
        return reply

    def _outcome(self, method: Method, data: bytes, call: Call) -> tuple[Refusal | None, bytes]:
        try:
            call.timeout()
            return None, method.handle(_read(method, data), call).SerializeToString()
        except Exception as error:
            refusal = refusal_of(error, self.parts.new_id())
        return refusal, b""

    def _remaining(self, context: grpc.ServicerContext, began: float) -> float:
        if not context.is_active():  # the client left while the call waited for a thread
            return 0
        left = self.longest - (time.monotonic() - began)
        told: float | None = context.time_remaining()
        return left if told is None else min(left, told)

    def _caller(self, context: grpc.ServicerContext) -> Caller:
        return self.parts.authenticator.authenticate(credentials_of(context))

    def _record(
        self,
        method: str,
        call: Call,
        context: grpc.ServicerContext,
        refusal: Refusal | None,
        seconds: float,
    ) -> None:
        verb, namespace, name = call.asked
        self.parts.observe(
            CallRecord(
                method=method,
                status=refusal.status if refusal else "OK",
                seconds=seconds,
                subject=call.caller.subject if call.caller else "",
                verb=verb,
                namespace=namespace,
                name=name,
                peer=context.peer(),
                incident=refusal.incident if refusal else "",
                fault=refusal.fault if refusal else "",
            )
        )


def _read(method: Method, data: bytes) -> object:
    try:
        return method.request.FromString(data)
    except DecodeError:
        raise malformed() from None
