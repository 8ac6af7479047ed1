"""A Control service of v0.4.0, as far as its rules matter to a client."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, TypeVar

from google.protobuf.message import Message

from kagent_apply.substrate.transport import StatusError
from kagent_render.target.messages import ateapi_pb2 as api
from tests.apply.substrate.fake_control import FakeControl

Key = tuple[str, str]
Kept = TypeVar("Kept", bound=Message)
RUNNING, SUSPENDED, PAUSED = api.ACTOR_STATE_RUNNING, api.ACTOR_STATE_SUSPENDED, api.ACTOR_STATE_PAUSED
DELETING = api.ACTOR_STATE_DELETING
SUSPENDING, RESUMING, CRASHED = (
    api.ACTOR_STATE_SUSPENDING,
    api.ACTOR_STATE_RESUMING,
    api.ACTOR_STATE_CRASHED,
)


class NewestControl(FakeControl):
    """`ends` has where a suspend or resume leaves an actor, `next_state` what comes of one with each look."""

    def __init__(self) -> None:
        super().__init__()
        self.atespaces: dict[Key, api.Atespace] = {}
        self.templates: dict[Key, api.ActorTemplate] = {}
        self.actors: dict[Key, api.Actor] = {}
        self.policies: dict[Key, api.EgressPolicy] = {}
        self.golden = True
        self.ends: dict[str, int] = {"ResumeActor": RUNNING, "SuspendActor": SUSPENDED}
        self.next_state: Callable[[int], int] = lambda state: state
        self._numbers = itertools.count(1)
        for method, handler in (
            ("CreateAtespace", self._create_atespace),
            ("GetAtespace", self._get_atespace),
            ("CreateActorTemplate", self._create_template),
            ("GetActorTemplate", self._get_template),
            ("ListActorTemplates", self._list_templates),
            ("DeleteActorTemplate", self._delete_template),
            ("CreateActor", self._create_actor),
            ("GetActor", self._get_actor),
            ("ResumeActor", self._resume),
            ("SuspendActor", self._suspend),
            ("DeleteActor", self._delete_actor),
            ("CreateActorEgressPolicy", self._create_policy),
            ("GetActorEgressPolicy", self._get_policy),
            ("UpdateActorEgressPolicy", self._update_policy),
        ):
            self.handlers[method] = (getattr(api, f"{method}Request"), handler)

    def _owned(self, metadata: api.ResourceMetadata) -> None:
        number = next(self._numbers)
        metadata.uid, metadata.version = f"uid-{number}", number
        metadata.create_time.FromSeconds(number)

    def _create_atespace(self, request: api.CreateAtespaceRequest) -> api.Atespace:
        key = ("", request.atespace.metadata.name)
        if key in self.atespaces:
            raise StatusError("ALREADY_EXISTS", f"Atespace {key[1]} already exists")
        self._owned(request.atespace.metadata)
        self.atespaces[key] = request.atespace
        return request.atespace

    def _get_atespace(self, request: api.GetAtespaceRequest) -> api.Atespace:
        return _kept(self.atespaces, _key(request.atespace))

    def _create_template(self, request: api.CreateActorTemplateRequest) -> api.ActorTemplate:
        template = request.actor_template
        key = (template.metadata.atespace, template.metadata.name)
        if ("", key[0]) not in self.atespaces:
            raise StatusError("FAILED_PRECONDITION", f"Atespace {key[0]} not found")
        if key in self.templates:
            raise StatusError("ALREADY_EXISTS", f"ActorTemplate {key} already exists")
        self._owned(template.metadata)
        for container in template.containers:
            if container.HasField("wakeup_probe") and not container.wakeup_probe.timeout_seconds:
                container.wakeup_probe.timeout_seconds = 30
        if not template.snapshot_config.on_commit:
            template.snapshot_config.on_commit = api.SNAPSHOT_CONTENT_SCOPE_FULL
        template.status.SetInParent()
        self.templates[key] = template
        return template

    def _get_template(self, request: api.GetActorTemplateRequest) -> api.ActorTemplate:
        template = _kept(self.templates, _key(request.actor_template))
        if self.golden:
            template.status.golden_snapshot_status.golden_tag.name = "golden"
        return template

    def _list_templates(self, request: api.ListActorTemplatesRequest) -> api.ListActorTemplatesResponse:
        """Two of an atespace at a time, however many are asked for."""
        found = [found for key, found in sorted(self.templates.items()) if key[0] == request.atespace]
        begin = int(request.page_token or 0)
        token = str(begin + 2) if len(found) > begin + 2 else ""
        return api.ListActorTemplatesResponse(actor_templates=found[begin : begin + 2], next_page_token=token)

    def _delete_template(self, request: api.DeleteActorTemplateRequest) -> api.ActorTemplate:
        template = _kept(self.templates, _key(request.actor_template))
        _see_uid(request.options, template.metadata)
        return self.templates.pop(_key(request.actor_template))

    def _create_actor(self, request: api.CreateActorRequest) -> api.Actor:
        actor = request.actor
        key = (actor.metadata.atespace, actor.metadata.name)
        if _key(actor.actor_template) not in self.templates:
            raise StatusError("FAILED_PRECONDITION", "actor template not found")
        if key in self.actors:
            raise StatusError("ALREADY_EXISTS", f"Actor {key} already exists")
        self._owned(actor.metadata)
        actor.status.state = SUSPENDED
        self.actors[key] = actor
        return actor

    def _get_actor(self, request: api.GetActorRequest) -> api.Actor:
        actor = _kept(self.actors, _key(request.actor))
        _put(actor, self.next_state(actor.status.state))
        return actor

    def _resume(self, request: api.ResumeActorRequest) -> api.ResumeActorResponse:
        actor = self._move(request.actor, "ResumeActor", {SUSPENDED, PAUSED, RESUMING, RUNNING})
        return api.ResumeActorResponse(actor=actor, resumed=True)

    def _suspend(self, request: api.SuspendActorRequest) -> api.SuspendActorResponse:
        actor = self._move(request.actor, "SuspendActor", {RUNNING, PAUSED, SUSPENDING, SUSPENDED})
        return api.SuspendActorResponse(actor=actor)

    def _move(self, ref: api.ObjectRef, method: str, allowed: set[int]) -> api.Actor:
        actor = _kept(self.actors, _key(ref))
        if actor.status.state not in allowed:
            raise StatusError("FAILED_PRECONDITION", f"prerequisite not met: {actor.status.state}")
        _put(actor, self.ends[method])
        return actor

    def _delete_actor(self, request: api.DeleteActorRequest) -> api.Actor:
        actor = _kept(self.actors, _key(request.actor))
        _see_uid(request.options, actor.metadata)
        if not request.any_state and actor.status.state not in {SUSPENDED, CRASHED, DELETING}:
            raise StatusError("FAILED_PRECONDITION", "Actor is not in a deletable state")
        self.policies.pop(_key(request.actor), None)
        return self.actors.pop(_key(request.actor))

    def _create_policy(self, request: api.CreateActorEgressPolicyRequest) -> api.EgressPolicy:
        key = _key(request.actor)
        if key not in self.actors:
            raise StatusError("FAILED_PRECONDITION", "parent Actor does not exist")
        if key in self.policies:
            raise StatusError("ALREADY_EXISTS", "EgressPolicy already exists")
        if request.egress_policy.metadata.name != "default":
            raise StatusError("INVALID_ARGUMENT", "the policy has to be called default")
        return self._keep_policy(key, request.egress_policy)

    def _get_policy(self, request: api.GetActorEgressPolicyRequest) -> api.EgressPolicy:
        return _kept(self.policies, _key(request.actor))

    def _update_policy(self, request: api.UpdateActorEgressPolicyRequest) -> api.EgressPolicy:
        key = _key(request.actor)
        held, sent = _kept(self.policies, key).metadata, request.egress_policy.metadata
        if (held.uid, held.version) != (sent.uid, sent.version):
            raise StatusError("ABORTED", "EgressPolicy version conflict")
        return self._keep_policy(key, request.egress_policy)

    def _keep_policy(self, key: Key, policy: api.EgressPolicy) -> api.EgressPolicy:
        self._owned(policy.metadata)
        for rule in policy.rules:
            if rule.HasField("https") and not rule.https.HasField("ports"):
                rule.https.ports.numbers.append(443)
        self.policies[key] = policy
        return policy


def _key(ref: api.ObjectRef) -> Key:
    return ref.atespace, ref.name


def _kept(kept: dict[Key, Kept], key: Key) -> Kept:
    if (found := kept.get(key)) is None:
        raise StatusError("NOT_FOUND", f"{key} not found")
    return found


def _see_uid(options: api.DeleteOptions, metadata: api.ResourceMetadata) -> None:
    if options.uid and options.uid != metadata.uid:
        raise StatusError("ABORTED", "UID conflict")


def _put(actor: Any, state: int) -> None:
    actor.status.state = state
