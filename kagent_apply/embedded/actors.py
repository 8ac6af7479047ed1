"""The calls on actors that move nothing: making, reading, listing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kagent_apply.embedded import resources
from kagent_apply.embedded.actor_templates import template_key
from kagent_apply.embedded.egress_policies import new_policy, policy_key
from kagent_apply.embedded.refusal import ControlError
from kagent_apply.embedded.views import Key
from kagent_render.target.messages import ateapi_pb2

if TYPE_CHECKING:
    from kagent_apply.embedded.changes import Change
    from kagent_apply.embedded.records import Records
    from kagent_apply.embedded.views import View


@dataclass(frozen=True, slots=True)
class Actors:
    """The actors, as they are kept."""

    records: Records

    def create(self, request: ateapi_pb2.CreateActorRequest) -> ateapi_pb2.Actor:
        """Make an actor that does not run yet, with the policy that its template gives it."""
        made = _new(request.actor)
        key = actor_key(made.metadata)

        def keep(change: Change) -> ateapi_pb2.Actor:
            resources.check_atespace(change, key.atespace)
            resources.check_new(change, key)
            template = _template(change, made.actor_template)
            put_actor(change, made)
            if template.HasField("default_egress_policy"):
                policy = new_policy(key.atespace, template.default_egress_policy)
                change.put(policy_key(key.atespace, key.name), policy.SerializeToString())
            return made

        return self.records.change(keep, key)

    def get(self, request: ateapi_pb2.GetActorRequest) -> ateapi_pb2.Actor:
        """One actor as it is now."""
        key = checked_actor(request.actor)
        return self.records.read(lambda view: read_actor(view, key))

    def list(self, request: ateapi_pb2.ListActorsRequest) -> ateapi_pb2.ListActorsResponse:
        """A page of those of one atespace, or of all."""
        page = self.records.read(lambda view: resources.page(view, "actor", ateapi_pb2.Actor, request))
        return ateapi_pb2.ListActorsResponse(actors=page.items, next_page_token=page.token)


def actor_key(named: ateapi_pb2.ResourceMetadata | ateapi_pb2.ObjectRef) -> Key:
    """What an actor is kept by."""
    return Key("actor", named.atespace, named.name)


def checked_actor(ref: ateapi_pb2.ObjectRef) -> Key:
    """The same of what a caller sent; INVALID_ARGUMENT where it names none."""
    resources.check_names("actor", ref)
    return actor_key(ref)


def read_actor(view: View, key: Key) -> ateapi_pb2.Actor:
    """An actor, or NOT_FOUND."""
    return resources.found(view, key, ateapi_pb2.Actor)


def put_actor(change: Change, actor: ateapi_pb2.Actor) -> None:
    """Keep an actor."""
    change.put(actor_key(actor.metadata), actor.SerializeToString(), actor.actor_template.name)


def _new(asked: ateapi_pb2.Actor) -> ateapi_pb2.Actor:
    resources.check_names("actor.metadata", asked.metadata)
    resources.check_names("actor.actor_template", asked.actor_template)
    if asked.actor_template.atespace != asked.metadata.atespace:
        raise ControlError("INVALID_ARGUMENT", "an actor is in the atespace of its template")
    if asked.HasField("source_tag"):
        raise ControlError("UNIMPLEMENTED", "the embedded Control has no tags: leave `source_tag` out")
    made = ateapi_pb2.Actor(actor_template=asked.actor_template)
    if asked.HasField("worker_selector"):
        made.worker_selector.CopyFrom(asked.worker_selector)
    made.metadata.atespace, made.metadata.name = asked.metadata.atespace, asked.metadata.name
    resources.begin(made.metadata)
    made.status.state = ateapi_pb2.ACTOR_STATE_SUSPENDED
    return made


def _template(view: View, ref: ateapi_pb2.ObjectRef) -> ateapi_pb2.ActorTemplate:
    template = resources.find(view, template_key(ref.atespace, ref.name), ateapi_pb2.ActorTemplate)
    if template is None:
        raise ControlError("FAILED_PRECONDITION", f"there is no actor template `{ref.atespace}/{ref.name}`")
    return template
