"""What the tests of the driver have in common: a committed revision, and drivers over fake servers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pytest

from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
from kagent_apply.instances.requests import AgentName
from kagent_apply.substrate.june import JuneCompute
from kagent_apply.substrate.newest import NewestCompute
from kagent_apply.substrate.port import Actor, ActorName, ActorState, Compute
from kagent_render.revision.canonical_yaml import dump
from tests.apply.substrate.fake_control import FakeClock, FakeControl, FakeTransport
from tests.apply.substrate.june_control import JuneControl
from tests.apply.substrate.newest_control import NewestControl
from tests.parts import REPOSITORY

NAME = ActorName("team", "ai-1")
KEY = ("team", "ai-1")
TEMPLATE = "triage-python-0123456789ab"
RULES: tuple[Mapping[str, Any], ...] = (
    {"https": {"hostnames": ["api.example.com"]}},
    {"http": {"hostnames": ["tools.team"], "ports": {"numbers": [8083]}}},
)
DOCUMENT: Mapping[str, Any] = {
    "metadata": {"atespace": "team", "name": TEMPLATE},
    "workerSelector": {"matchLabels": {"kagent.dev/worker-pool": "shared"}},
    "containers": [
        {
            "name": "kagent",
            "image": "registry.example.com/agent@sha256:" + "0" * 64,
            "env": [{"name": "GREETING", "value": "a private greeting"}],
            "wakeupProbe": {"httpGet": {"path": "/readyz", "port": 8081}},
        }
    ],
    "snapshotConfig": {"storageLocation": "s3://snapshots/team"},
    "sandboxConfig": {"sandboxClass": "SANDBOX_CLASS_GVISOR", "configName": "gvisor-default"},
}


def member(document: Mapping[str, Any] = DOCUMENT, **fields: Any) -> PreparedMember:
    """A member whose manifest holds a document."""
    told = {"path": "", "actor_template": TEMPLATE, "spec_digest": "sha256:0", "egress": RULES, **fields}
    return PreparedMember(manifest=dump(document).encode(), **told)


def revision(*members: PreparedMember, target: str = "ateapi/v0.4") -> PreparedRevision:
    """A revision of these members, or of one."""
    agent = AgentName("team", "python", "triage")
    return PreparedRevision(agent, "sha256:" + "1" * 64, target, {}, members or (member(),))


def elsewhere() -> PreparedRevision:
    """A revision in an atespace that nothing was prepared in yet."""
    place = {"atespace": "elsewhere", "name": TEMPLATE}
    there = revision(member({**DOCUMENT, "metadata": place}))
    return replace(there, agent=AgentName("elsewhere", "python", "triage"))


@dataclass
class Driven:
    """A driver, its server and its clock; the generation of the server was asked for already."""

    compute: Compute
    control: Any
    clock: FakeClock
    transport: FakeTransport

    def made(self, state: int | None = None) -> Actor:
        """An actor that is there and prepared for, as it was seen in a state."""
        self.compute.prepare(revision(target=self.target), 10)
        actor = self.compute.create(NAME, member(), 10)
        if state is not None:
            self.put(state)
            seen = self.compute.actor(NAME, 10)
            assert seen is not None
            actor = seen
        self.control.calls.clear()
        return actor

    @property
    def target(self) -> str:
        return "ateapi/v0.4" if isinstance(self.compute, NewestCompute) else "ate.dev/v1alpha1"

    def put(self, state: int) -> None:
        """Have the actor be in a state."""
        actor = self.control.actors[KEY]
        if isinstance(self.control, NewestControl):
            actor.status.state = state
        else:
            actor.status = state


def drive(control: FakeControl, *, asked: bool = True) -> Driven:
    """The driver of the generation that a fake is of."""
    clock = FakeClock()
    transport = FakeTransport(control, clock)
    newest = isinstance(control, NewestControl)
    compute = NewestCompute(transport, clock) if newest else JuneCompute(transport, clock)
    if asked:
        compute.ping(1)
        control.calls.clear()
    return Driven(compute, control, clock, transport)


@pytest.fixture
def newest() -> Driven:
    return drive(NewestControl())


@pytest.fixture(params=[NewestControl, JuneControl], ids=["newest", "june"])
def either(request: pytest.FixtureRequest) -> Driven:
    return drive(request.param())


def state_number(state: ActorState) -> int:
    """A state as both generations number it."""
    return list(ActorState).index(state) + 1


EXAMPLE = REPOSITORY / "examples/substrate-v0.4/rendered/agent-team/python-runtime/incident-coordinator"
