"""Calls about actors in the messages of June 2026, when ActorTemplates were custom resources (facts 10.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kagent_apply.substrate.actor_messages import checked, state_of, subject_of
from kagent_apply.substrate.actor_steps import Goal
from kagent_apply.substrate.calls import Call
from kagent_apply.substrate.port import Actor, ActorName
from kagent_render.target.messages import ateapi_june_pb2

if TYPE_CHECKING:
    from kagent_apply.substrate.actor_messages import ActorMessages

GENERATION: Final = "Substrate of June 2026"
"""What messages call the generation."""


def _ref(name: ActorName) -> ateapi_june_pb2.ActorRef:
    return ateapi_june_pb2.ActorRef(atespace=name.atespace, name=name.name)


class JuneMessages:
    """The messages of June 2026, which know no UID."""

    generation = GENERATION

    def get_atespace(self, name: str) -> Call[ateapi_june_pb2.GetAtespaceResponse]:
        """Whether an atespace is there."""
        request = ateapi_june_pb2.GetAtespaceRequest(name=name)
        return Call("GetAtespace", f"the atespace `{name}`", request, ateapi_june_pb2.GetAtespaceResponse)

    def create_atespace(self, name: str) -> Call[ateapi_june_pb2.CreateAtespaceResponse]:
        """Make an atespace."""
        request = ateapi_june_pb2.CreateAtespaceRequest(name=name)
        reply = ateapi_june_pb2.CreateAtespaceResponse
        return Call("CreateAtespace", f"the atespace `{name}`", request, reply)

    def get_actor(self, name: ActorName) -> Call[ateapi_june_pb2.GetActorResponse]:
        """An actor as it is."""
        request = ateapi_june_pb2.GetActorRequest(actor_ref=_ref(name))
        return Call("GetActor", subject_of(name), request, ateapi_june_pb2.GetActorResponse)

    def create_actor(self, name: ActorName, actor_template: str) -> Call[ateapi_june_pb2.CreateActorResponse]:
        """Make an actor of a template in the namespace that its atespace is named for."""
        request = ateapi_june_pb2.CreateActorRequest(
            actor_ref=_ref(name),
            actor_template_namespace=name.atespace,
            actor_template_name=actor_template,
        )
        return Call("CreateActor", subject_of(name), request, ateapi_june_pb2.CreateActorResponse)

    def move_actor(self, goal: Goal, name: ActorName) -> Call[Any]:
        """Suspend an actor, or have it run."""
        ref, subject = _ref(name), subject_of(name)
        if goal is Goal.RUNNING:
            resume = ateapi_june_pb2.ResumeActorRequest(actor_ref=ref)
            return Call(goal.value, subject, resume, ateapi_june_pb2.ResumeActorResponse)
        suspend = ateapi_june_pb2.SuspendActorRequest(actor_ref=ref)
        return Call(goal.value, subject, suspend, ateapi_june_pb2.SuspendActorResponse)

    def delete_actor(
        self,
        name: ActorName,
        uid: str,  # noqa: ARG002 - no UID in this generation
        *,
        any_state: bool,  # noqa: ARG002 - an actor that runs is never deleted in this one
    ) -> Call[ateapi_june_pb2.DeleteActorResponse]:
        """Delete an actor, whichever it is that has the name."""
        request = ateapi_june_pb2.DeleteActorRequest(actor_ref=_ref(name))
        return Call("DeleteActor", subject_of(name), request, ateapi_june_pb2.DeleteActorResponse)

    def read_actor(self, reply: Any, name: ActorName) -> Actor:
        """The actor in any of these replies; raises ComputeDeniedError unless it is the one of that name."""
        sent: ateapi_june_pb2.Actor = reply.actor
        actor = Actor(
            ActorName(sent.atespace, sent.actor_id),
            "",
            sent.actor_template_namespace,
            sent.actor_template_name,
            state_of(sent.status, name, GENERATION),
        )
        return checked(actor, name, GENERATION, has_uid=False)


if TYPE_CHECKING:
    _: type[ActorMessages] = JuneMessages
