"""A Control service of June 2026, as far as its rules matter to a client."""

from __future__ import annotations

from kagent_apply.substrate.transport import StatusError
from kagent_render.target.messages import ateapi_june_pb2 as june
from tests.apply.substrate.fake_control import FakeControl

Key = tuple[str, str]
RUNNING, SUSPENDED = june.Actor.STATUS_RUNNING, june.Actor.STATUS_SUSPENDED


class JuneControl(FakeControl):
    """Actors and atespaces; there are no templates, policies and UIDs."""

    def __init__(self) -> None:
        super().__init__()
        self.atespaces: set[str] = set()
        self.actors: dict[Key, june.Actor] = {}
        for method, handler in (
            ("CreateAtespace", self._create_atespace),
            ("GetAtespace", self._get_atespace),
            ("CreateActor", self._create_actor),
            ("GetActor", lambda request: june.GetActorResponse(actor=self._kept(request.actor_ref))),
            ("ResumeActor", self._resume),
            ("SuspendActor", self._suspend),
            ("DeleteActor", self._delete_actor),
        ):
            self.handlers[method] = (getattr(june, f"{method}Request"), handler)

    def _kept(self, ref: june.ActorRef) -> june.Actor:
        if (found := self.actors.get((ref.atespace, ref.name))) is None:
            raise StatusError("NOT_FOUND", "actor not found")
        return found

    def _create_atespace(self, request: june.CreateAtespaceRequest) -> june.CreateAtespaceResponse:
        if request.name in self.atespaces:
            raise StatusError("ALREADY_EXISTS", "atespace already exists")
        self.atespaces.add(request.name)
        return june.CreateAtespaceResponse(atespace=june.Atespace(name=request.name))

    def _get_atespace(self, request: june.GetAtespaceRequest) -> june.GetAtespaceResponse:
        if request.name not in self.atespaces:
            raise StatusError("NOT_FOUND", "atespace not found")
        return june.GetAtespaceResponse(atespace=june.Atespace(name=request.name))

    def _create_actor(self, request: june.CreateActorRequest) -> june.CreateActorResponse:
        key = (request.actor_ref.atespace, request.actor_ref.name)
        if key in self.actors:
            raise StatusError("ALREADY_EXISTS", "actor already exists")
        self.actors[key] = june.Actor(
            actor_id=key[1],
            atespace=key[0],
            actor_template_namespace=request.actor_template_namespace,
            actor_template_name=request.actor_template_name,
            status=SUSPENDED,
        )
        return june.CreateActorResponse(actor=self.actors[key])

    def _resume(self, request: june.ResumeActorRequest) -> june.ResumeActorResponse:
        actor = self._kept(request.actor_ref)
        actor.status = RUNNING
        return june.ResumeActorResponse(actor=actor)

    def _suspend(self, request: june.SuspendActorRequest) -> june.SuspendActorResponse:
        actor = self._kept(request.actor_ref)
        actor.status = SUSPENDED
        return june.SuspendActorResponse(actor=actor)

    def _delete_actor(self, request: june.DeleteActorRequest) -> june.DeleteActorResponse:
        if self._kept(request.actor_ref).status != SUSPENDED:
            raise StatusError("FAILED_PRECONDITION", "actor is not suspended")
        del self.actors[request.actor_ref.atespace, request.actor_ref.name]
        return june.DeleteActorResponse()
