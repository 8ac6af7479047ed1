"""Services as gRPC finds them: by the path of a call, handled so that none waits for those that wait."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import grpc

from kagent_apply.instances.reason import Reason
from kagent_apply.service.refusal import Refusal
from kagent_apply.service.status import to_status

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from threading import Semaphore

    from google.protobuf.descriptor import ServiceDescriptor

    from kagent_apply.service.handling import Handling
    from kagent_apply.service.method import Method

Behaviour = Any
"""A function that gRPC calls; which arguments it has depends on what streams."""


def at_once(behaviour: Behaviour, gate: Semaphore) -> Behaviour:
    """A function of the same arguments that as many calls run at once as the gate lets in."""

    def gated(*arguments: Any) -> Any:
        with gate:
            return behaviour(*arguments)

    return gated


@dataclass(frozen=True, slots=True)
class Gates:
    """How many calls are handled at once: those that wait for actors, and the others."""

    calls: Semaphore
    waiting: Semaphore


def service_handler(
    descriptor: ServiceDescriptor, methods: Sequence[Method], handling: Handling, gates: Gates
) -> Any:
    """A service, every call of which has to be there; those that wait have a gate of their own."""
    missing = {method.name for method in descriptor.methods} ^ {method.name for method in methods}
    if missing:
        raise ValueError(f"{descriptor.full_name} and its calls differ in {', '.join(sorted(missing))}")
    handlers = {method.name: _handler(descriptor.name, method, handling, gates) for method in methods}
    return grpc.method_handlers_generic_handler(descriptor.full_name, handlers)


def _handler(service: str, method: Method, handling: Handling, gates: Gates) -> Any:
    def behaviour(data: bytes, context: grpc.ServicerContext) -> bytes:
        return handling.handle(service, method, data, context)

    # Without a deserializer gRPC gives the bytes, and what cannot be read is refused like any other fault.
    return grpc.unary_unary_rpc_method_handler(
        at_once(behaviour, gates.waiting if method.waits else gates.calls)
    )


UNSERVED: Final = {
    "kagent.api.v1alpha1.CheckpointService": Refusal(
        "UNIMPLEMENTED",
        Reason.CHECKPOINTS_NOT_SERVED,
        "this server makes no checkpoints and no forks",
        "create a new AgentInstance instead",
    ),
    "kagent.api.v1alpha1.AgentInstanceService": Refusal(
        "UNIMPLEMENTED",
        Reason.CALL_NOT_SERVED,
        "AgentInstanceService has no such call here",
        "use a client of kagent's API as of August 2026; reflection lists the calls",
    ),
}
"""Services of which some calls or all are not served, with what their callers are told."""


@dataclass(frozen=True, slots=True)
class Unserved:
    """Answers calls that no other handler takes, where more can be said than that they are not there."""

    refusals: Mapping[str, Refusal]

    def service(self, details: grpc.HandlerCallDetails) -> Any:
        """The handler of a call by its path, as gRPC asks for one."""
        service = str(details.method).strip("/").partition("/")[0]
        refusal = self.refusals.get(service)
        return grpc.unary_unary_rpc_method_handler(_refusing(refusal)) if refusal else None


def _refusing(refusal: Refusal) -> Callable[[bytes, grpc.ServicerContext], bytes]:
    def behaviour(_data: bytes, context: grpc.ServicerContext) -> bytes:
        context.abort_with_status(to_status(refusal))
        return b""

    return behaviour
