"""Substrate answers slowly, with errors or not at all, and callers are told what is so in the end."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest

from kagent_apply.embedded.control import Control
from kagent_apply.embedded.opening import open_echo
from kagent_apply.embedded.refusal import ControlError
from kagent_apply.embedded.serving import serve_control
from kagent_apply.settings.model import Settings
from kagent_render.target.messages import ateapi_pb2
from tests.apply.service.serving import Reply
from tests.apply.whole import agents
from tests.apply.whole.actors import Seen, seen
from tests.apply.whole.agents import NAMESPACE
from tests.apply.whole.client import AGAIN, Client, answers, names, of, state
from tests.apply.whole.composition import composed
from tests.apply.whole.conftest import token, tokens_file
from tests.apply.whole.crowd import crowd
from tests.apply.whole.faulty import Fault, FaultyControl, once, storm

pytestmark = pytest.mark.server


@dataclass
class Scene:
    """A service in this process, and a Control that does what a test wants."""

    control: FaultyControl
    address: str
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def caller(self) -> Client:
        """Somebody who has nothing yet."""
        return Client(self.address, token(next(self._numbers)))

    def actors(self) -> dict[str, Seen]:
        """Every Actor that there is."""

        def page(request: ateapi_pb2.ListActorsRequest) -> ateapi_pb2.ListActorsResponse:
            return self.control.control.call("ListActors", request, ateapi_pb2.ListActorsResponse, 5)

        return dict(seen(page))

    def does(self, method: str, **fields: Any) -> Any:
        """Somebody else does something to an Actor."""
        service = ateapi_pb2.DESCRIPTOR.services_by_name["Control"]
        reply = getattr(ateapi_pb2, service.methods_by_name[method].output_type.name)
        request = getattr(ateapi_pb2, f"{method}Request")(**fields)
        return self.control.control.call(method, request, reply, 5)


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """One service for all tests here."""
    place: Path = tmp_path_factory.mktemp("faults")
    upstream = agents.upstream(place / "repository")
    faulty = FaultyControl(open_echo(place / "control"))
    server, port = serve_control(cast("Control", faulty), "127.0.0.1:0")
    settings = Settings(
        repo=str(upstream.folder),
        ref="main",
        listen="127.0.0.1:0",
        substrate=f"dns:///127.0.0.1:{port}",
        substrate_plaintext=True,
        tokens=tokens_file(place / "tokens.yaml"),
    )
    with composed(settings, place / "state") as (served, _):
        made = Scene(faulty, f"127.0.0.1:{served.port}")
        caller = made.caller()
        for reply in answers(lambda: _patient(caller.create("coordinator", "first"))):
            caller.done("Delete", reply.message.agent_instance.id)
        yield made
    server.stop(None).wait()
    faulty.control.close()


@pytest.fixture
def caller(scene: Scene) -> Iterator[Client]:
    """Somebody who has nothing yet, while Substrate is well before and after."""
    client = scene.caller()
    yield client
    scene.control.begin(lambda _method, _count: None)
    client.close()


def _patient(reply: Reply) -> Reply:
    """An agent does not serve before the ref was read."""
    return Reply("UNAVAILABLE", reply.text, {}) if reply.code == "FAILED_PRECONDITION" else reply


METHODS = {
    "Create": (
        "GetActorTemplate",
        "CreateActor",
        "CreateActorEgressPolicy",
        "GetActor",
        "ResumeActor",
    ),
    "Suspend": ("GetActor", "SuspendActor"),
    "Resume": ("GetActor", "CreateActorEgressPolicy", "GetActorEgressPolicy", "ResumeActor"),
    "Delete": ("GetActor", "SuspendActor", "DeleteActor"),
}
"""What each operation calls; the atespace was made with the first instance, and is not asked about again."""

ENDS = {"Create": "READY", "Suspend": "SUSPENDED", "Resume": "READY", "Delete": "DELETED"}
CASES = [(fault, verb, method) for fault in Fault for verb, methods in METHODS.items() for method in methods]


@pytest.mark.parametrize(("fault", "verb", "method"), CASES)
def test_one_call_that_goes_wrong_makes_no_operation_end_otherwise(
    fault: Fault, verb: str, method: str, scene: Scene, caller: Client
) -> None:
    number = "" if verb == "Create" else caller.made("coordinator", "first").id
    if verb == "Resume":
        caller.done("Suspend", number)
    uids = [actor.uid for actor in of(number, scene.actors())] if number else []
    scene.control.met.clear()
    scene.control.begin(once(method, fault))
    asked = (
        (lambda: caller.about(verb, number)) if number else (lambda: caller.create("coordinator", "first"))
    )
    for reply in answers(asked):
        assert reply.code == "OK", reply
        assert state(reply.message.agent_instance) == ENDS[verb]
        number = reply.message.agent_instance.id
    assert scene.control.met == {(method, fault): 1}
    now = of(number, scene.actors())
    assert {actor.state for actor in now} == {
        "Create": {"RUNNING"},
        "Suspend": {"SUSPENDED"},
        "Resume": {"RUNNING"},
        "Delete": set(),
    }[verb]
    assert not uids or not now or [actor.uid for actor in now] == uids


def test_a_crowd_in_a_storm_of_faults_is_told_what_is_so(scene: Scene, caller: Client) -> None:
    clients = [scene.caller() for _ in range(8)]
    scene.control.begin(storm(1, share=0.15))
    with crowd(clients, seed=1) as working:
        working.until_each(lambda member: member.done, 6)
    scene.control.begin(lambda _method, _count: None)
    theirs = {number for member in working.members for number in member.own}

    def actors() -> dict[str, Seen]:
        return {name: actor for name, actor in scene.actors().items() if name[3:39] in theirs}

    working.is_right(actors)
    assert len(scene.control.met) > 10
    for client in clients:
        client.close()


def test_a_substrate_that_does_not_answer_is_told_and_the_instance_stays(
    scene: Scene, caller: Client
) -> None:
    made = caller.made("coordinator", "first")
    scene.control.begin(lambda _method, _count: Fault.ERROR)
    refused = caller.about("Suspend", made.id)
    assert refused.code in AGAIN
    assert state(caller.done("Get", made.id)) == "READY"  # nothing was issued
    late = caller.create("coordinator", "second")
    assert late.code in AGAIN
    (creating,) = [found for found in caller.listed() if found.id != made.id]
    assert state(creating) == "CREATING CREATE"
    scene.control.begin(lambda _method, _count: None)
    assert {state(found) for found in caller.settled().values()} == {"READY"}  # nobody asked again


@dataclass
class Refusing:
    """A Control that refuses one method."""

    control: Any
    method: str
    code: Any = "INVALID_ARGUMENT"

    def call(self, method: str, request: Any, reply_type: Any, timeout: float) -> Any:
        """Refused, or as it is."""
        if method == self.method:
            raise ControlError(self.code, "the test says so")
        return self.control.call(method, request, reply_type, timeout)

    def close(self) -> None:
        """Nothing."""


@pytest.mark.parametrize("method", ["CreateActor", "CreateActorEgressPolicy", "ResumeActor"])
def test_what_substrate_refuses_for_good_ends_a_creation(
    method: str, scene: Scene, caller: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as changed:
        changed.setattr(scene.control, "control", Refusing(scene.control.control, method))
        refused = caller.create("coordinator", "first")
    assert (refused.code, refused.details["ErrorInfo"].reason) == ("FAILED_PRECONDITION", "ActorRefused")
    (failed,) = caller.listed()
    assert (state(failed), failed.failure.reason) == ("FAILED", "ActorRefused")
    assert caller.create("coordinator", "first").code == "FAILED_PRECONDITION"
    assert {caller.about(verb, failed.id).code for verb in ("Suspend", "Resume")} == {"ABORTED"}
    caller.done("Delete", failed.id)
    assert of(failed.id, scene.actors()) == []


def test_what_substrate_denies_to_the_server_waits_for_its_operator_or_is_deleted(
    scene: Scene, caller: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as changed:
        changed.setattr(
            scene.control, "control", Refusing(scene.control.control, "CreateActor", "UNAUTHENTICATED")
        )
        denied = [caller.create("coordinator", request) for request in ("first", "second")]
        assert {(told.code, told.details["ErrorInfo"].reason) for told in denied} == {
            ("UNAVAILABLE", "SUBSTRATE_DENIED")
        }
        kept, given_up = caller.listed()
        assert state(kept) == state(given_up) == "CREATING CREATE"
        assert state(caller.done("Delete", given_up.id)) == "DELETED"
    settled = caller.settled()
    assert {number: state(found) for number, found in settled.items()} == {kept.id: "READY"}


@pytest.mark.parametrize("verb", ["Suspend", "Resume"])
@pytest.mark.parametrize("place", [0, 1])
def test_an_actor_that_others_deleted_is_never_made_again(
    place: int, verb: str, scene: Scene, caller: Client
) -> None:
    made = caller.made("coordinator", "first")
    if verb == "Resume":
        caller.done("Suspend", made.id)
    name = names(made.id, 2)[place]
    scene.does("DeleteActor", actor={"atespace": NAMESPACE, "name": name}, any_state=True)
    refused = caller.about(verb, made.id)
    assert (refused.code, refused.details["ErrorInfo"].reason) == ("FAILED_PRECONDITION", "ActorMissing")
    assert name not in scene.actors()
    assert (state(failed := caller.done("Get", made.id)), failed.failure.reason) == ("FAILED", "ActorMissing")
    caller.done("Delete", made.id)
    assert of(made.id, scene.actors()) == []


def test_an_actor_that_others_put_in_the_place_is_left_alone(scene: Scene, caller: Client) -> None:
    made = caller.made("coordinator", "first")
    ref = {"atespace": NAMESPACE, "name": names(made.id, 2)[1]}
    actor = scene.does("GetActor", actor=ref)
    scene.does("DeleteActor", actor=ref, any_state=True)
    theirs = {"metadata": ref, "actor_template": actor.actor_template}
    other = scene.does("CreateActor", actor=theirs).metadata.uid
    refused = caller.about("Suspend", made.id)
    assert (refused.code, refused.details["ErrorInfo"].reason) == ("FAILED_PRECONDITION", "ActorMismatch")
    again = caller.about("Delete", made.id)
    assert (again.code, again.details["ErrorInfo"].reason) == ("FAILED_PRECONDITION", "ActorMismatch")
    assert scene.actors()[ref["name"]].uid == other
    scene.does("DeleteActor", actor=ref, any_state=True)
    caller.done("Delete", made.id)
    assert of(made.id, scene.actors()) == []
