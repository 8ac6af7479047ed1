"""Whether a server is of the generation that it is spoken to in: both have the same paths (facts 10.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_apply.substrate.calls import Call, repeat
from kagent_apply.substrate.port import ComputeRefusedError
from kagent_apply.substrate.statuses import fault_of
from kagent_apply.substrate.transport import StatusError
from kagent_render.target.messages import ateapi_pb2

if TYPE_CHECKING:
    from kagent_apply.substrate.actor_messages import ActorMessages
    from kagent_apply.substrate.deadline import Deadline
    from kagent_apply.substrate.transport import Transport

_PLACE: Final = "kagent-apply"
_ANSWERS: Final = frozenset({"NOT_FOUND", "PERMISSION_DENIED", "INVALID_ARGUMENT", "FAILED_PRECONDITION"})
"""Statuses that only a server gives that has the method."""


class GenerationCheck:
    """Asks a server once for what only one of the generations has, before anything else is asked.

    `GetActorTemplate` came with the newest, and its request is one that a server of either can read.
    """

    def __init__(self, transport: Transport, messages: ActorMessages, *, has_templates: bool) -> None:
        self._transport = transport
        self._messages = messages
        self._has_templates = has_templates
        self._passed = False  # several threads may set it, all to the same

    def ensure(self, deadline: Deadline) -> None:
        """Ask unless the server was of the generation before; raises as `ask` does."""
        if not self._passed:
            self.ask(deadline)

    def ask(self, deadline: Deadline) -> None:
        """Raises ComputeRefusedError for another generation, ComputeUnavailableError without an answer."""
        self._passed = False
        name = ateapi_pb2.ObjectRef(atespace=_PLACE, name="generation")
        request = ateapi_pb2.GetActorTemplateRequest(actor_template=name)
        subject = f"the ActorTemplate `{name.atespace}/{name.name}`"
        probe = Call("GetActorTemplate", subject, request, ateapi_pb2.ActorTemplate)
        if self._answers(probe, deadline) is not self._has_templates:
            raise self._another()
        if not self._has_templates and not self._answers(self._messages.get_atespace(_PLACE), deadline):
            raise self._another()
        self._passed = True

    def _answers(self, call: Call[ateapi_pb2.ActorTemplate], deadline: Deadline) -> bool:
        reply = repeat(self._transport, call, deadline)
        if not isinstance(reply, StatusError) or reply.code in _ANSWERS:
            return True
        if reply.code != "UNIMPLEMENTED":
            raise fault_of(call.method, call.subject, reply)
        return False

    def _another(self) -> ComputeRefusedError:
        return ComputeRefusedError(
            f"the server is not of the generation of {self._messages.generation}",
            "give the address of a Substrate of the generation that the agents are rendered for, or render"
            " them for the one that runs",
        )
