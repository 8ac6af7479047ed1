"""Calls about actors in the messages of Substrate's newest generation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kagent_apply.substrate.actor_messages import checked, state_of, subject_of
from kagent_apply.substrate.actor_steps import Goal
from kagent_apply.substrate.calls import Call
from kagent_apply.substrate.port import Actor, ActorName
from kagent_render.target.messages import ateapi_pb2

if TYPE_CHECKING:
    from kagent_apply.substrate.actor_messages import ActorMessages

GENERATION: Final = "Substrate v0.4.0"
"""What messages call the generation, by its last release that is known."""


def object_ref(name: ActorName) -> ateapi_pb2.ObjectRef:
    """What an actor is addressed by; an ActorTemplate is addressed in the same way."""
    return ateapi_pb2.ObjectRef(atespace=name.atespace, name=name.name)


class NewestMessages:
    """The messages of v0.4.0-alpha1 and of v0.4.0."""

    generation = GENERATION

    def get_atespace(self, name: str) -> Call[ateapi_pb2.Atespace]:
        """Whether an atespace is there."""
        request = ateapi_pb2.GetAtespaceRequest(atespace=ateapi_pb2.ObjectRef(name=name))
        return Call("GetAtespace", f"the atespace `{name}`", request, ateapi_pb2.Atespace)

    def create_atespace(self, name: str) -> Call[ateapi_pb2.Atespace]:
        """Make an atespace."""
        atespace = ateapi_pb2.Atespace(metadata=ateapi_pb2.ResourceMetadata(name=name))
        request = ateapi_pb2.CreateAtespaceRequest(atespace=atespace)
        return Call("CreateAtespace", f"the atespace `{name}`", request, ateapi_pb2.Atespace)

    def get_actor(self, name: ActorName) -> Call[ateapi_pb2.Actor]:
        """An actor as it is."""
        request = ateapi_pb2.GetActorRequest(actor=object_ref(name))
        return Call("GetActor", subject_of(name), request, ateapi_pb2.Actor)

    def create_actor(self, name: ActorName, actor_template: str) -> Call[ateapi_pb2.Actor]:
        """Make an actor of a template in its own atespace."""
        actor = ateapi_pb2.Actor(
            metadata=ateapi_pb2.ResourceMetadata(atespace=name.atespace, name=name.name),
            actor_template=ateapi_pb2.ObjectRef(atespace=name.atespace, name=actor_template),
        )
        request = ateapi_pb2.CreateActorRequest(actor=actor)
        return Call("CreateActor", subject_of(name), request, ateapi_pb2.Actor)

    def move_actor(self, goal: Goal, name: ActorName) -> Call[Any]:
        """Suspend an actor, or have it run."""
        ref, subject = object_ref(name), subject_of(name)
        if goal is Goal.RUNNING:
            resume = ateapi_pb2.ResumeActorRequest(actor=ref)
            return Call(goal.value, subject, resume, ateapi_pb2.ResumeActorResponse)
        suspend = ateapi_pb2.SuspendActorRequest(actor=ref)
        return Call(goal.value, subject, suspend, ateapi_pb2.SuspendActorResponse)

    def delete_actor(self, name: ActorName, uid: str, *, any_state: bool) -> Call[ateapi_pb2.Actor]:
        """Delete an actor, and none with another UID; early releases do not read that part."""
        options = ateapi_pb2.DeleteOptions(uid=uid)
        request = ateapi_pb2.DeleteActorRequest(actor=object_ref(name), any_state=any_state, options=options)
        return Call("DeleteActor", subject_of(name), request, ateapi_pb2.Actor)

    def read_actor(self, reply: Any, name: ActorName) -> Actor:
        """The actor in any of these replies; raises ComputeDeniedError unless it is the one of that name."""
        sent: ateapi_pb2.Actor = reply if isinstance(reply, ateapi_pb2.Actor) else reply.actor
        actor = Actor(
            ActorName(sent.metadata.atespace, sent.metadata.name),
            sent.metadata.uid,
            sent.actor_template.atespace,
            sent.actor_template.name,
            state_of(sent.status.state, name, GENERATION),
        )
        return checked(actor, name, GENERATION, has_uid=True)


if TYPE_CHECKING:
    _: type[ActorMessages] = NewestMessages
