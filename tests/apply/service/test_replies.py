"""What the calls reply with, and what they ask of the parts behind them."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.json_format import MessageToDict

from kagent_apply.api.gitops.v1alpha1.revisions_pb2 import ListRevisionsResponse
from kagent_apply.api.v1alpha1.common_pb2 import PageResponse
from kagent_apply.instances.identifiers import page_token
from kagent_apply.instances.requests import AgentName, Creation, InstanceName
from kagent_apply.instances.standing import Standing
from kagent_apply.instances.states import Failure, FailureReason, Operation, State
from kagent_apply.revisions.port import PairStatus
from tests.apply.service.parts import AGENT, NOW, World, instance, share, uuid
from tests.apply.service.serving import Client

pytestmark = pytest.mark.server

NAME: dict[str, Any] = {"namespace": "payments", "agent_instance_id": uuid(1)}
AUTHORITY = f"ai-{uuid(1)}.payments.actors.resources.substrate.ate.dev"
READY = {
    "id": uuid(1),
    "namespace": "payments",
    "creator": "ann",
    "harness": {"namespace": "payments", "name": "python-runtime"},
    "agent_template": {"namespace": "payments", "name": "triage"},
    "prepared_revision": "sha256:" + "0" * 64,
    "a2a_authority": AUTHORITY,
    "state": "AGENT_INSTANCE_STATE_READY",
    "created_at": "2026-09-01T12:00:00Z",
    "updated_at": "2026-09-01T12:00:01Z",
    "labels": {"team": "a"},
}


def says(message: Any) -> Any:
    """A reply as a mapping."""
    return MessageToDict(message, preserving_proto_field_name=True)


def test_an_instance_is_told_whole(world: World, client: Client) -> None:
    world.store.kept = {uuid(1): instance()}
    assert says(client.call("GetAgentInstance", **NAME).message) == {"agent_instance": READY}


def test_an_id_may_be_spelled_in_other_ways(world: World, client: Client) -> None:
    world.store.kept = {uuid(1): instance()}
    spelled: dict[str, Any] = {**NAME, "agent_instance_id": f"urn:uuid:{uuid(1).upper()}"}
    assert client.call("GetAgentInstance", **spelled).message.agent_instance.id == uuid(1)


FAILURE = Failure(FailureReason.ACTOR_MISSING, "the actor is gone")


@pytest.mark.parametrize(
    ("standing", "expected"),
    [
        (Standing(State.CREATING, Operation.CREATE, 1), {"state": "CREATING", "operation": "CREATE"}),
        (Standing(State.READY, Operation.SUSPEND, 2), {"state": "READY", "operation": "SUSPEND"}),
        (Standing(State.SUSPENDED), {"state": "SUSPENDED"}),
        (Standing(State.FAILED, failure=FAILURE), {"state": "FAILED"}),
        (Standing(State.DELETING, Operation.DELETE, 3), {"state": "DELETING", "operation": "DELETE"}),
    ],
    ids=lambda value: value.state.name if isinstance(value, Standing) else "",
)
def test_state_operation_and_failure_are_told(
    world: World, client: Client, standing: Standing, expected: dict[str, str]
) -> None:
    world.store.kept = {uuid(1): instance(standing=standing)}
    told = says(client.call("GetAgentInstance", **NAME).message)["agent_instance"]
    found = {key: told[key].rpartition("_")[2] for key in ("state", "operation") if key in told}
    assert found == expected
    assert ("failure" in told) == (standing.failure is not None)
    assert bool(told.get("a2a_authority")) == (standing.state in (State.READY, State.SUSPENDED))


def test_create_asks_for_the_agent_in_the_name_of_the_caller(world: World, client: Client) -> None:
    fields: dict[str, Any] = {"namespace": "payments", "harness": "python-runtime"}
    reply = client.call(
        "CreateAgentInstance", token="bob", agent_template="triage", request_id="once", **fields
    )
    ((operation, creator, asked, _),) = world.operations.asked
    assert (operation, creator, asked) == ("create", "bob", Creation(AGENT, "once"))
    assert says(reply.message)["agent_instance"] == {**READY, "creator": "bob"}


@pytest.mark.parametrize(
    ("name", "state"), [("Suspend", State.SUSPENDED), ("Resume", State.READY), ("Delete", State.DELETED)]
)
def test_operations_go_to_where_they_are_carried_out(
    world: World, client: Client, name: str, state: State
) -> None:
    reply = client.call(f"{name}AgentInstance", **NAME)
    ((operation, creator, asked, _),) = world.operations.asked
    assert (operation, creator, asked) == (name.lower(), "ann", InstanceName("payments", uuid(1)))
    assert reply.message.agent_instance.state == state


def test_a_deleted_instance_is_told_without_what_it_needed(world: World, client: Client) -> None:
    told = client.call("DeleteAgentInstance", **NAME).message.agent_instance
    assert (told.prepared_revision, told.a2a_authority) == ("", "")
    assert told.id == uuid(1)


def kept(*numbers: int, **changes: Any) -> dict[str, Any]:
    """Instances by their ids."""
    return {uuid(number): instance(number, **changes) for number in numbers}


def test_a_list_is_read_page_by_page(world: World, client: Client) -> None:
    world.store.kept = kept(*range(1, 6))
    found, token, pages = [], "", 0
    while pages == 0 or token:
        page = {"limit": 2, "page_token": token}
        reply = client.call("ListAgentInstances", namespace="payments", page=page).message
        found += [made.id for made in reply.agent_instances]
        token, pages = reply.page.next_page_token, pages + 1
    assert (found, pages) == ([uuid(number) for number in range(1, 6)], 3)


def test_the_last_page_may_be_full(world: World, client: Client) -> None:
    world.store.kept = kept(1, 2)
    reply = client.call("ListAgentInstances", namespace="payments", page={"limit": 2}).message
    assert (len(reply.agent_instances), reply.page.next_page_token) == (2, "")


def test_a_page_has_50_items_unless_it_is_told(world: World, client: Client) -> None:
    world.store.kept = kept(*range(1, 60))
    reply = client.call("ListAgentInstances", namespace="payments").message
    assert len(reply.agent_instances) == 50
    assert reply.page.next_page_token == page_token(uuid(50))


def test_a_list_has_the_callers_own_or_all_by_their_labels(world: World, client: Client) -> None:
    world.store.kept = {**kept(1), **kept(2, creator="bob"), **kept(3, labels={"team": "b"})}
    for fields, expected in (
        ({}, [1, 3]),
        ({"all_creators": True}, [1, 2, 3]),
        ({"all_creators": True, "match_labels": {"team": "a"}}, [1, 2]),
    ):
        reply = client.call("ListAgentInstances", namespace="payments", **fields).message
        assert [made.id for made in reply.agent_instances] == [uuid(number) for number in expected]


def test_a_share_is_made_with_a_token_that_only_the_reply_has(world: World, client: Client) -> None:
    world.store.kept = kept(1)
    reply = client.call("CreateAgentInstanceShare", permission=2, **NAME).message
    assert says(reply.share) == {
        "id": uuid(99),
        "namespace": "payments",
        "agent_instance_id": uuid(1),
        "creator": "ann",
        "permission": "AGENT_INSTANCE_SHARE_PERMISSION_READ_WRITE",
        "created_at": "2026-09-01T12:00:00Z",
    }
    (stored,) = world.store.kept_shares.values()
    assert len(reply.token) == 43
    assert reply.token not in repr(stored)
    assert reply.token not in repr(world.records.kept)


def test_shares_are_listed_and_revoked(world: World, client: Client) -> None:
    world.store.kept = kept(1)
    world.store.kept_shares = {uuid(number): share(number) for number in (1, 2, 3)}
    first = client.call("ListAgentInstanceShares", page={"limit": 2}, **NAME).message
    assert [made.id for made in first.shares] == [uuid(1), uuid(2)]
    assert first.page.next_page_token == page_token(uuid(2))
    assert client.call("RevokeAgentInstanceShare", namespace="payments", share_id=uuid(1)).code == "OK"
    left = client.call("ListAgentInstanceShares", **NAME).message
    assert [made.id for made in left.shares] == [uuid(2), uuid(3)]


def pair(namespace: str, template: str, problem: str = "") -> PairStatus:
    """A pair that serves what it committed, but for a problem."""
    return PairStatus(AgentName(namespace, "h", template), "sha256:1", "sha256:2", "c" * 40, problem)


def test_revisions_are_listed_page_by_page_where_the_caller_may_list(world: World, client: Client) -> None:
    world.revisions.listed = [
        pair("a", "x", "it does not verify"),
        pair("a", "y"),
        pair("b", "x"),
        pair("c", "x"),
    ]
    world.revisions.trouble = "the ref cannot be read"
    world.policy.forbidden = {"b"}
    first = client.call("ListRevisions", page={"limit": 2}).message
    assert says(first)["pairs"][0] == {
        "namespace": "a",
        "harness": "h",
        "agent_template": "x",
        "serving": "sha256:1",
        "committed": "sha256:2",
        "commit": "c" * 40,
        "problem": "it does not verify",
    }
    assert first.problem == "the ref cannot be read"
    second = client.call("ListRevisions", page={"page_token": first.page.next_page_token}).message
    assert [(made.namespace, made.agent_template) for made in second.pairs] == [("c", "x")]
    assert second.page.next_page_token == ""
    assert [made.agent_template for made in client.call("ListRevisions", namespace="a").message.pairs] == [
        "x",
        "y",
    ]


@pytest.mark.parametrize("listed", [[pair("a", "x")], []], ids=["a pair", "nothing"])
def test_the_problem_of_the_ref_is_for_who_may_list_something(
    world: World, client: Client, listed: list[PairStatus]
) -> None:
    world.revisions.listed = listed
    world.revisions.trouble = "the ref of `https://git.example.com/agents` cannot be read"
    world.policy.forbidden = {"bob"}
    assert client.call("ListRevisions", token="ann").message.problem == world.revisions.trouble
    assert client.call("ListRevisions", token="bob").message == ListRevisionsResponse(page=PageResponse())


def test_what_is_in_use_is_told_by_namespace(world: World, client: Client) -> None:
    world.store.templates = {"payments": ["b", "a"], "other": ["c"]}
    reply = client.call("ListActorTemplatesInUse", namespace="payments").message
    assert list(reply.actor_templates) == ["a", "b"]
    assert list(client.call("ListActorTemplatesInUse", namespace="none").message.actor_templates) == []


def test_every_call_is_told_of_when_it_has_ended(world: World, client: Client) -> None:
    client.call("GetAgentInstance", token="bob", **NAME)
    record = world.records.last
    assert record.method == "AgentInstanceService/GetAgentInstance"
    assert record.caller is not None
    assert (record.status, record.caller.subject, record.verb) == ("NOT_FOUND", "bob", "get")
    assert (record.namespace, record.name) == ("payments", uuid(1))
    assert record.peer.startswith("ipv4:127.0.0.1:")
    assert record.began == NOW


@pytest.mark.parametrize("namespace", ["", "payments"])
def test_a_list_of_revisions_is_told_of_as_one(world: World, client: Client, namespace: str) -> None:
    client.call("ListRevisions", namespace=namespace)
    record = world.records.last
    assert (record.verb, record.namespace) == ("list", namespace)
