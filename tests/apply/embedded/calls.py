"""Calls on an embedded Control in few words, and the template that they are about."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from kagent_apply.embedded.control import Control
from kagent_apply.embedded.refusal import ControlError
from kagent_render.target.messages import ateapi_pb2

TEAM = "agent-team"
TEMPLATE = "agent"
IMAGE = f"registry.example.com/agent@sha256:{'0' * 64}"
STATE = {
    value.name.removeprefix("ACTOR_STATE_"): value.number for value in ateapi_pb2.ActorState.DESCRIPTOR.values
}


def template(name: str = TEMPLATE, atespace: str = TEAM, **env: str) -> ateapi_pb2.ActorTemplate:
    """A template with one container that has a probe; `env` in its variables."""
    made = ateapi_pb2.ActorTemplate()
    made.metadata.atespace, made.metadata.name = atespace, name
    container = made.containers.add(name="kagent", image=IMAGE)
    container.wakeup_probe.http_get.path, container.wakeup_probe.http_get.port = "/readyz", 8081
    for key, value in env.items():
        container.env.add(name=key, value=value)
    made.snapshot_config.on_commit = ateapi_pb2.SNAPSHOT_CONTENT_SCOPE_DATA
    made.snapshot_config.storage_location = "s3://snapshots/team"
    made.sandbox_config.sandbox_class = ateapi_pb2.SANDBOX_CLASS_GVISOR
    made.sandbox_config.config_name = "gvisor-default"
    return made


def ref(name: str, atespace: str = TEAM) -> ateapi_pb2.ObjectRef:
    return ateapi_pb2.ObjectRef(atespace=atespace, name=name)


@dataclass
class Client:
    """What tests ask of a Control, in its messages' own words."""

    control: Control
    timeout: float = 30.0
    made: list[str] = field(default_factory=list)

    def call(self, method: str, request: Any) -> Any:
        service = ateapi_pb2.DESCRIPTOR.services_by_name["Control"]
        reply = getattr(ateapi_pb2, service.methods_by_name[method].output_type.name)
        return self.control.call(method, request, reply, self.timeout)

    def begin(self, made: ateapi_pb2.ActorTemplate | None = None) -> Client:
        """An atespace with a template."""
        self.atespace(TEAM)
        self.template(made or template())
        return self

    def atespace(self, name: str) -> Any:
        atespace = ateapi_pb2.Atespace(metadata=ateapi_pb2.ResourceMetadata(name=name))
        return self.call("CreateAtespace", ateapi_pb2.CreateAtespaceRequest(atespace=atespace))

    def template(self, made: ateapi_pb2.ActorTemplate) -> Any:
        request = ateapi_pb2.CreateActorTemplateRequest(actor_template=made)
        return self.call("CreateActorTemplate", request)

    def create(self, name: str, made_from: str = TEMPLATE, atespace: str = TEAM) -> Any:
        actor = ateapi_pb2.Actor(
            metadata=ateapi_pb2.ResourceMetadata(atespace=atespace, name=name),
            actor_template=ref(made_from, atespace),
        )
        return self.call("CreateActor", ateapi_pb2.CreateActorRequest(actor=actor))

    def get(self, name: str) -> Any:
        return self.call("GetActor", ateapi_pb2.GetActorRequest(actor=ref(name)))

    def resume(self, name: str) -> Any:
        return self.call("ResumeActor", ateapi_pb2.ResumeActorRequest(actor=ref(name)))

    def suspend(self, name: str) -> Any:
        return self.call("SuspendActor", ateapi_pb2.SuspendActorRequest(actor=ref(name))).actor

    def pause(self, name: str) -> Any:
        return self.call("PauseActor", ateapi_pb2.PauseActorRequest(actor=ref(name))).actor

    def delete(self, name: str, **asked: Any) -> Any:
        return self.call("DeleteActor", ateapi_pb2.DeleteActorRequest(actor=ref(name), **asked))

    def state(self, name: str) -> str:
        return ateapi_pb2.ActorState.Name(self.get(name).status.state).removeprefix("ACTOR_STATE_")

    def policy(self, method: str, **asked: Any) -> Any:
        request = getattr(ateapi_pb2, f"{method}ActorEgressPolicyRequest")
        return self.call(f"{method}ActorEgressPolicy", request(**asked))


def code_of(call: Callable[[], object]) -> str:
    """The status that a call is refused with."""
    with pytest.raises(ControlError) as refused:
        call()
    assert refused.value.text
    assert "\n" not in refused.value.text
    return refused.value.code


def python(program: Path | str, *more: str) -> list[str]:
    """A command that runs a file with this Python."""
    return [sys.executable, str(program), *more]
