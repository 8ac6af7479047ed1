"""The whole life of instances, the same through every store and every way to Substrate."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from tests.apply.service.serving import Reply
from tests.apply.whole.agents import BOUNDARIES, NAMESPACE, agent, edition, revision
from tests.apply.whole.client import Client, given, named, names, of, state
from tests.apply.whole.conftest import Whole

pytestmark = pytest.mark.server

NOBODYS = "00000000-0000-4000-8000-000000000001"


@pytest.fixture
def caller(whole: Whole) -> Iterator[Client]:
    """Somebody who has no instances yet, once every agent serves."""
    client = whole.caller()
    yield client
    client.close()


@pytest.mark.parametrize("name", BOUNDARIES)
def test_an_instance_lives_and_its_actors_with_it(name: str, whole: Whole, caller: Client) -> None:
    made = caller.made(name, "first")
    members = names(made.id, BOUNDARIES[name])
    assert state(made) == "READY"
    assert made.prepared_revision == revision(name, edition(1, whole.example))
    assert made.a2a_authority == f"ai-{made.id}.{NAMESPACE}.actors.resources.substrate.ate.dev"
    assert made.labels["example.com/runtime"] == "python"
    assert caller.done("Get", made.id) == made
    assert caller.listed() == [made]
    born = {name: whole.actors()[name] for name in members}
    assert {actor.state for actor in born.values()} == {"RUNNING"}
    for verb, stands, acting in (("Suspend", "SUSPENDED", "SUSPENDED"), ("Resume", "READY", "RUNNING")):
        now = caller.done(verb, made.id)
        assert state(now) == stands == state(caller.done("Get", made.id))
        assert [actor.state for actor in of(made.id, whole.actors())] == [acting] * len(members)
    assert {name: whole.actors()[name].uid for name in members} == {
        name: actor.uid for name, actor in born.items()
    }
    gone = caller.done("Delete", made.id)
    assert (state(gone), gone.prepared_revision, gone.a2a_authority) == ("DELETED", "", "")
    assert of(made.id, whole.actors()) == []
    assert caller.listed() == []
    assert {caller.about(verb, made.id).code for verb in ("Get", "Suspend", "Resume", "Delete")} == {
        "NOT_FOUND"
    }


def test_a_suspended_instance_is_deleted_without_running_again(whole: Whole, caller: Client) -> None:
    made = caller.made("coordinator", "first")
    caller.done("Suspend", made.id)
    caller.done("Delete", made.id)
    assert of(made.id, whole.actors()) == []


def test_a_request_id_means_one_instance_for_ever(caller: Client, whole: Whole) -> None:
    made = caller.made("reviewer", "once")
    assert caller.made("reviewer", "once") == made
    assert caller.create("researcher", "once").code == "ALREADY_EXISTS"
    caller.done("Suspend", made.id)
    assert caller.create("reviewer", "once").code == "FAILED_PRECONDITION"
    caller.done("Resume", made.id)
    assert caller.made("reviewer", "once").id == made.id
    caller.done("Delete", made.id)
    assert caller.create("reviewer", "once").code == "FAILED_PRECONDITION"
    another = whole.caller()
    assert another.made("reviewer", "once").id != made.id
    another.close()


def test_whoever_asks_for_the_same_at_once_gets_the_same(caller: Client, whole: Whole) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: caller.made("coordinator", "same"), range(8)))
        (number,) = {found.id for found in made}
        for verb, stands in (("Suspend", "SUSPENDED"), ("Resume", "READY"), ("Delete", "DELETED")):
            replies = list(pool.map(partial(Client.about, verb=verb, number=number), [caller] * 8))
            ended = [given(reply) for reply in replies if reply.code == "OK"]
            assert ended
            assert {state(found) for found in ended} == {stands}
            late = {reply.code for reply in replies} - {"OK"}  # who came when it had ended
            assert late <= {"NOT_FOUND" if verb == "Delete" else "ABORTED"}
    assert of(number, whole.actors()) == []


def test_different_operations_at_once_end_as_if_one_came_after_the_other(
    caller: Client, whole: Whole
) -> None:
    numbers = [caller.made("coordinator", f"r{place}").id for place in range(4)]
    with ThreadPoolExecutor(8) as pool:
        asked = [(number, verb) for number in numbers for verb in ("Suspend", "Delete")]
        replies = dict(zip(asked, pool.map(lambda one: caller.about(one[1], one[0]), asked), strict=True))
    left = caller.settled()
    for number in numbers:
        codes = {verb: replies[number, verb].code for verb in ("Suspend", "Delete")}
        assert codes["Suspend"] in {"OK", "ABORTED", "NOT_FOUND"}
        assert codes["Delete"] in {"OK", "ABORTED"}
        assert "OK" in codes.values()
        assert (number in left) == (codes["Delete"] == "ABORTED")
        assert {actor.state for actor in of(number, whole.actors())} == (
            {"SUSPENDED"} if number in left else set()
        )


INSTANCE: dict[str, Any] = {"namespace": NAMESPACE, "agent_instance_id": NOBODYS}
INVALID: list[tuple[str, dict[str, Any], set[str]]] = [
    ("CreateAgentInstance", {}, {"namespace", "harness", "agent_template", "request_id"}),
    ("CreateAgentInstance", {**agent("reviewer"), "request_id": " x"}, {"request_id"}),
    ("CreateAgentInstance", {**agent("reviewer"), "request_id": "é" * 65}, {"request_id"}),
    ("CreateAgentInstance", {**agent("reviewer"), "request_id": "x", "namespace": "A"}, {"namespace"}),
    ("CreateAgentInstance", {**agent("reviewer"), "request_id": "x", "harness": "a/b"}, {"harness"}),
    ("GetAgentInstance", {**INSTANCE, "agent_instance_id": "1"}, {"agent_instance_id"}),
    ("SuspendAgentInstance", {**INSTANCE, "namespace": ""}, {"namespace"}),
    ("ResumeAgentInstance", {**INSTANCE, "agent_instance_id": ""}, {"agent_instance_id"}),
    ("DeleteAgentInstance", {**INSTANCE, "agent_instance_id": NOBODYS + "0"}, {"agent_instance_id"}),
    ("ListAgentInstances", {"namespace": NAMESPACE, "page": {"limit": 101}}, {"page.limit"}),
    ("ListAgentInstances", {"namespace": NAMESPACE, "page": {"limit": -1}}, {"page.limit"}),
    ("ListAgentInstances", {"namespace": NAMESPACE, "page": {"page_token": "x"}}, {"page.page_token"}),
    ("ListAgentInstances", {"namespace": NAMESPACE, "match_labels": {"": "x"}}, {"match_labels"}),
    ("CreateAgentInstanceShare", INSTANCE, {"permission"}),
    ("RevokeAgentInstanceShare", {"namespace": NAMESPACE, "share_id": "x"}, {"share_id"}),
    ("ListAgentInstanceShares", {**INSTANCE, "page": {"limit": 101}}, {"page.limit"}),
]


@pytest.mark.parametrize(("name", "fields", "at"), INVALID)
def test_what_a_request_has_to_be_is_told_before_who_asks(
    name: str, fields: dict[str, Any], at: set[str], whole: Whole
) -> None:
    nobody = Client(whole.address)
    reply = nobody.call(name, **fields)
    assert reply.code == "INVALID_ARGUMENT"
    assert {found.field for found in reply.details["BadRequest"].field_violations} == at
    nobody.close()


SOUND: list[tuple[str, dict[str, Any]]] = [
    ("CreateAgentInstance", {**agent("reviewer"), "request_id": "x"}),
    *((f"{verb}AgentInstance", INSTANCE) for verb in ("Get", "Suspend", "Resume", "Delete")),
    ("ListAgentInstances", {"namespace": NAMESPACE}),
    ("CreateAgentInstanceShare", {**INSTANCE, "permission": 1}),
    ("ListAgentInstanceShares", INSTANCE),
    ("RevokeAgentInstanceShare", {"namespace": NAMESPACE, "share_id": NOBODYS}),
    ("ListRevisions", {}),
    ("ListActorTemplatesInUse", {"namespace": NAMESPACE}),
]


@pytest.mark.parametrize(("name", "fields"), SOUND)
@pytest.mark.parametrize("token", [None, "x" * 40])
def test_whoever_is_not_known_gets_nothing(
    token: str | None, name: str, fields: dict[str, Any], whole: Whole
) -> None:
    nobody = Client(whole.address, token)
    assert nobody.call(name, **fields).code == "UNAUTHENTICATED"
    nobody.close()


def test_what_the_state_does_not_allow_is_refused(caller: Client) -> None:
    made = caller.made("reviewer", "first")

    def refused(reply: Reply) -> tuple[str, str]:
        return reply.code, reply.details["ErrorInfo"].reason

    assert refused(caller.about("Resume", made.id)) == ("ABORTED", "WRONG_STATE")
    caller.done("Suspend", made.id)
    assert refused(caller.about("Suspend", made.id)) == ("ABORTED", "WRONG_STATE")
    assert state(caller.done("Get", made.id)) == "SUSPENDED"
    unknown = caller.create("nobody", "second")
    assert refused(unknown) == ("FAILED_PRECONDITION", "NO_REVISION_SERVES")
    assert refused(caller.about("Get", NOBODYS)) == ("NOT_FOUND", "INSTANCE_NOT_FOUND")
    everybodys = caller.call("ListAgentInstances", namespace=NAMESPACE, all_creators=True)
    assert refused(everybodys) == ("PERMISSION_DENIED", "NOT_ALLOWED")


def test_an_instance_of_somebody_else_is_not_there(whole: Whole, caller: Client) -> None:
    made = caller.made("reviewer", "first")
    other = whole.caller()
    about = named(made.id)
    assert {other.about(verb, made.id).code for verb in ("Get", "Suspend", "Resume", "Delete")} == {
        "NOT_FOUND"
    }
    assert other.call("CreateAgentInstanceShare", permission=1, **about).code == "NOT_FOUND"
    assert other.call("ListAgentInstanceShares", **about).code == "NOT_FOUND"
    assert other.listed() == []
    elsewhere = caller.call("GetAgentInstance", namespace="elsewhere", agent_instance_id=made.id)
    assert elsewhere.code == "NOT_FOUND"
    assert caller.done("Get", made.id) == made
    other.close()


def test_an_id_may_be_spelled_in_every_way(caller: Client) -> None:
    made = caller.made("reviewer", "first")
    number = uuid.UUID(made.id)
    for spelled in (str(number).upper(), number.hex, f"{{{number}}}", number.urn):
        assert caller.done("Get", spelled).id == made.id


def test_shares_are_told_once_listed_and_revoked(whole: Whole, caller: Client) -> None:
    made = caller.made("reviewer", "first")
    about = named(made.id)
    given_out = [caller.call("CreateAgentInstanceShare", permission=1 + n % 2, **about) for n in range(3)]
    assert len({reply.message.token for reply in given_out}) == 3
    shares = sorted((reply.message.share for reply in given_out), key=lambda share: share.id)

    def listed(**page: Any) -> Any:
        return caller.call("ListAgentInstanceShares", page=page, **about).message

    assert list(listed().shares) == shares
    first = listed(limit=2)
    rest = listed(limit=2, page_token=first.page.next_page_token)
    assert [*first.shares, *rest.shares] == shares
    assert not rest.page.next_page_token
    other = whole.caller()
    revoking: dict[str, Any] = {"namespace": NAMESPACE, "share_id": shares[0].id}
    assert other.call("RevokeAgentInstanceShare", **revoking).code == "NOT_FOUND"
    assert caller.call("RevokeAgentInstanceShare", **revoking).code == "OK"
    assert caller.call("RevokeAgentInstanceShare", **revoking).code == "NOT_FOUND"
    assert list(listed().shares) == shares[1:]
    caller.done("Delete", made.id)
    assert caller.call("ListAgentInstanceShares", **about).code == "NOT_FOUND"
    gone = shares[1].id
    assert caller.call("RevokeAgentInstanceShare", namespace=NAMESPACE, share_id=gone).code == "NOT_FOUND"
    other.close()


def test_pages_have_everything_once_in_order_and_by_labels(caller: Client) -> None:
    made = {caller.made(name, f"{name}{n}").id for name in ("reviewer", "researcher") for n in range(3)}
    for limit in (1, 2, 5, 6, 100):
        assert [found.id for found in caller.listed(limit)] == sorted(made)
    first = caller.call("ListAgentInstances", namespace=NAMESPACE, page={"limit": 2}).message
    gone = first.agent_instances[1].id
    caller.done("Delete", gone)
    token = first.page.next_page_token
    after = caller.call("ListAgentInstances", namespace=NAMESPACE, page={"page_token": token}).message
    assert [found.id for found in after.agent_instances] == sorted(made)[2:]
    left = sorted(made - {gone})
    assert [one.id for one in caller.listed(match_labels={"example.com/runtime": "python"})] == left
    assert caller.listed(match_labels={"example.com/runtime": "go"}) == []
    other = caller.call("ListAgentInstances", namespace="elsewhere").message
    assert list(other.agent_instances) == []
