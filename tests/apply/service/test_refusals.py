"""Every error of AgentInstanceService and RevisionService over a real socket, with its code and its text."""

from __future__ import annotations

from typing import Any

import grpc
import pytest

from kagent_apply.instances.outcome import Status
from kagent_apply.instances.reason import Reason
from kagent_apply.instances.states import FailureReason, State
from kagent_apply.operations.error import OperationError
from kagent_apply.service.server import INSTANCES
from tests.apply.service.parts import STORE_DOWN, World, done, instance, share, uuid
from tests.apply.service.serving import CALLS, Client
from tests.target.wire import entry, number, text

pytestmark = pytest.mark.server

CREATE: dict[str, Any] = {
    "namespace": "payments",
    "harness": "python-runtime",
    "agent_template": "triage",
    "request_id": "once",
}
NAME: dict[str, Any] = {"namespace": "payments", "agent_instance_id": uuid(1)}
VALID: dict[str, dict[str, Any]] = {
    "CreateAgentInstance": CREATE,
    "GetAgentInstance": NAME,
    "ListAgentInstances": {"namespace": "payments"},
    "SuspendAgentInstance": NAME,
    "ResumeAgentInstance": NAME,
    "DeleteAgentInstance": NAME,
    "CreateAgentInstanceShare": {**NAME, "permission": 1},
    "ListAgentInstanceShares": NAME,
    "RevokeAgentInstanceShare": {"namespace": "payments", "share_id": uuid(1)},
    "ListRevisions": {"namespace": "payments"},
    "ListActorTemplatesInUse": {"namespace": "payments"},
}
INVALID: list[tuple[str, dict[str, Any], list[str]]] = [
    ("CreateAgentInstance", {}, ["namespace", "harness", "agent_template", "request_id"]),
    ("CreateAgentInstance", {**CREATE, "namespace": "Payments"}, ["namespace"]),
    ("CreateAgentInstance", {**CREATE, "harness": "../x"}, ["harness"]),
    ("CreateAgentInstance", {**CREATE, "agent_template": "a" * 254}, ["agent_template"]),
    ("CreateAgentInstance", {**CREATE, "request_id": " once"}, ["request_id"]),
    ("CreateAgentInstance", {**CREATE, "request_id": "é" * 65}, ["request_id"]),
    ("GetAgentInstance", {**NAME, "agent_instance_id": "1"}, ["agent_instance_id"]),
    ("GetAgentInstance", {"namespace": uuid(1)}, ["agent_instance_id"]),
    ("ListAgentInstances", {"namespace": "payments", "page": {"limit": 101}}, ["page.limit"]),
    ("ListAgentInstances", {"namespace": "payments", "page": {"limit": -1}}, ["page.limit"]),
    ("ListAgentInstances", {"namespace": "payments", "page": {"page_token": "x"}}, ["page.page_token"]),
    ("ListAgentInstances", {"namespace": "payments", "match_labels": {"a b": "c"}}, ["match_labels"]),
    ("SuspendAgentInstance", {}, ["namespace", "agent_instance_id"]),
    ("ResumeAgentInstance", {}, ["namespace", "agent_instance_id"]),
    ("DeleteAgentInstance", {}, ["namespace", "agent_instance_id"]),
    ("CreateAgentInstanceShare", NAME, ["permission"]),
    ("CreateAgentInstanceShare", {**NAME, "permission": 3}, ["permission"]),
    ("ListAgentInstanceShares", {**NAME, "page": {"limit": 500}}, ["page.limit"]),
    ("RevokeAgentInstanceShare", {"namespace": "payments"}, ["share_id"]),
    ("ListRevisions", {"namespace": "a/b"}, ["namespace"]),
    ("ListRevisions", {"page": {"limit": 101, "page_token": "YQ"}}, ["page.limit", "page.page_token"]),
    ("ListActorTemplatesInUse", {}, ["namespace"]),
]


def _id(case: tuple[str, dict[str, Any], list[str]]) -> str:
    return f"{case[0]}-{'-'.join(case[2])}"


@pytest.mark.parametrize("case", INVALID, ids=_id)
def test_every_fault_of_a_request_is_told_before_anyone_asks_who_calls(
    world: World, client: Client, case: tuple[str, dict[str, Any], list[str]]
) -> None:
    name, fields, faulty = case
    reply = client.call(name, token="nobody", **fields)
    assert reply.code == "INVALID_ARGUMENT"
    violations = reply.details["BadRequest"].field_violations
    assert [found.field for found in violations] == faulty
    assert reply.text == "; and ".join(found.description for found in violations)
    assert reply.details["ErrorInfo"].reason == "INVALID_REQUEST"
    assert world.tokens.seen == []


@pytest.mark.parametrize("name", CALLS)
def test_a_caller_whom_nobody_knows_is_refused(world: World, client: Client, name: str) -> None:
    world.store.kept = {uuid(1): instance()}
    reply = client.call(name, token="nobody", **VALID[name])
    assert (reply.code, reply.text) == ("UNAUTHENTICATED", "the token names nobody; get another")
    assert world.operations.asked == []


ASKED = {
    "CreateAgentInstance": ("create", "triage"),
    "GetAgentInstance": ("get", uuid(1)),
    "ListAgentInstances": ("list", ""),
    "SuspendAgentInstance": ("update", uuid(1)),
    "ResumeAgentInstance": ("update", uuid(1)),
    "DeleteAgentInstance": ("delete", uuid(1)),
    "CreateAgentInstanceShare": ("share", f"{uuid(1)}/shares"),
    "ListAgentInstanceShares": ("share", f"{uuid(1)}/shares"),
    "RevokeAgentInstanceShare": ("share", f"shares/{uuid(1)}"),
    "ListRevisions": ("list", ""),
    "ListActorTemplatesInUse": ("list", ""),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_caller_needs_the_verb_of_the_call(world: World, client: Client, name: str) -> None:
    verb, resource = ASKED[name]
    world.store.kept = {uuid(1): instance()}
    world.policy.forbidden = {verb}
    reply = client.call(name, **VALID[name])
    assert world.policy.asked == [(verb, "payments", resource)]
    assert (reply.code, reply.details["ErrorInfo"].reason) == ("PERMISSION_DENIED", "NOT_ALLOWED")
    assert reply.text == (
        f"the server's policy does not allow you `{verb}` in the namespace `payments`;"
        " ask who keeps the policy, or name another namespace"
    )
    assert world.operations.asked == []


def test_what_others_created_asks_for_a_verb_of_its_own(world: World, client: Client) -> None:
    world.policy.forbidden = {"all-creators"}
    reply = client.call("ListAgentInstances", namespace="payments", all_creators=True)
    assert (reply.code, reply.text.partition("; ")[2]) == (
        "PERMISSION_DENIED",
        "list your own, or have a rule of the server's `--policy` name `all-creators`",
    )


OPERATIONS = [f"{verb}AgentInstance" for verb in ("Create", "Suspend", "Resume", "Delete")]
OTHERS = [name for name in CALLS if "agent_instance_id" in VALID[name] and "AgentInstanceShare" in name]


@pytest.mark.parametrize("name", ["GetAgentInstance", *OTHERS])
@pytest.mark.parametrize(
    "kept",
    [None, instance(creator="bob"), instance(state=State.DELETED)],
    ids=["never was", "somebody else's", "deleted"],
)
def test_nobody_can_tell_apart_why_an_instance_is_not_there(
    world: World, client: Client, name: str, kept: Any
) -> None:
    world.store.kept = {kept.id: kept} if kept else {}
    reply = client.call(name, **VALID[name])
    assert reply.code == "NOT_FOUND"
    assert reply.text == "there is no such AgentInstance; list those of the namespace"
    assert reply.details["ErrorInfo"].reason == "INSTANCE_NOT_FOUND"
    assert world.store.kept_shares == {}


def test_somebody_elses_share_is_not_there(world: World, client: Client) -> None:
    world.store.kept_shares = {uuid(1): share(creator="bob")}
    reply = client.call("RevokeAgentInstanceShare", **VALID["RevokeAgentInstanceShare"])
    assert reply.code == "NOT_FOUND"
    assert reply.text == "there is no such AgentInstanceShare; list those of the instance"
    assert list(world.store.kept_shares) == [uuid(1)]


@pytest.mark.parametrize(
    "status", ["NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION", "ABORTED", "UNAVAILABLE"]
)
@pytest.mark.parametrize("name", OPERATIONS)
def test_what_operations_refuse_reaches_the_client_as_they_say_it(
    world: World, client: Client, name: str, status: str
) -> None:
    def act(*_: object) -> Any:
        raise OperationError(
            Status(status),
            Reason.OPERATION_UNDER_WAY,
            "`SUSPEND` of the AgentInstance is under way",
            "wait until it has ended",
        )

    world.operations.act = act
    reply = client.call(name, **VALID[name])
    assert (reply.code, reply.details["ErrorInfo"].reason) == (status, "OPERATION_UNDER_WAY")
    assert reply.text == "`SUSPEND` of the AgentInstance is under way; wait until it has ended"
    assert reply.details["ErrorInfo"].metadata["hint"] == "wait until it has ended"


def test_why_an_instance_is_failed_is_the_reason(world: World, client: Client) -> None:
    def act(*_: object) -> Any:
        raise OperationError(
            Status.FAILED_PRECONDITION, FailureReason.ACTOR_MISSING, "the actor is gone", "delete it"
        )

    world.operations.act = act
    assert client.call("ResumeAgentInstance", **NAME).details["ErrorInfo"].reason == "ActorMissing"


@pytest.mark.parametrize("name", ["GetAgentInstance", "ListAgentInstances", "ListActorTemplatesInUse"])
def test_trouble_of_the_store_is_internal(world: World, client: Client, name: str) -> None:
    world.store.down = STORE_DOWN
    reply = client.call(name, **VALID[name])
    assert (reply.code, reply.details["ErrorInfo"].reason) == ("INTERNAL", "STORE_FAILED")
    assert reply.text == "the store did not answer; try again when the store answers"


@pytest.mark.parametrize(
    "bug",
    [KeyError("a secret"), OperationError(Status.INTERNAL, Reason.INTERNAL, "a secret", "")],
    ids=["of a call", "of an operation"],
)
def test_a_bug_is_told_by_an_id_and_its_text_stays_here(world: World, client: Client, bug: Exception) -> None:
    def act(*_: object) -> Any:
        raise bug

    world.operations.act = act
    reply = client.call("CreateAgentInstance", **CREATE)
    assert reply.code == "INTERNAL"
    assert reply.text.startswith(f"the server failed with the id `{uuid(99)}`; give this id")
    assert reply.details["RequestInfo"].request_id == uuid(99) == world.records.last.incident
    assert world.records.last.fault.startswith(type(bug).__name__)
    assert " at kagent_apply.service.instances:" in world.records.last.fault
    assert "secret" not in repr(world.records.last) + reply.text


NOT_MESSAGES = [b"\xff", b"\x0a\xff", text(1, "payments")[:-1], b"\x0a\x02\xff\xfe"]


@pytest.mark.parametrize("data", NOT_MESSAGES, ids=["no field", "too short", "cut off", "no UTF-8"])
@pytest.mark.parametrize("name", CALLS)
def test_bytes_that_are_no_message_are_refused(world: World, client: Client, name: str, data: bytes) -> None:
    reply = client.send(name, data)
    assert reply.code == "INVALID_ARGUMENT"
    assert reply.text == "the request is not a message of this call; compare the client's `.proto` files"
    assert world.tokens.seen == []


@pytest.mark.parametrize(
    ("field", "data"),
    [
        ("agent_template", text(5, "triage")),
        ("harness", text(6, "python-runtime")),
        ("harness", number(6, 1)),
    ],
)
def test_filters_that_are_not_known_are_refused_rather_than_left_out(
    client: Client, field: str, data: bytes
) -> None:
    reply = client.send("ListAgentInstances", text(1, "payments") + data)
    assert reply.code == "INVALID_ARGUMENT"
    assert reply.text == f"`{field}` is no filter here; leave it out, and choose among the items of the reply"


def test_other_fields_of_later_versions_are_left_out(client: Client) -> None:
    assert client.send("ListAgentInstances", text(1, "payments") + text(77, "x")).code == "OK"


def test_a_request_that_is_too_large_is_refused(client: Client) -> None:
    data = text(1, "payments") + entry(2, "a", "b" * (1 << 20))
    assert client.send("ListAgentInstances", data).code == "RESOURCE_EXHAUSTED"


@pytest.mark.parametrize("header", ["Basic YTpi", "Bearer", "Bearer a b", "bearer"])
def test_an_authorization_that_is_no_bearer_token_is_refused(
    world: World, client: Client, header: str
) -> None:
    reply = client.send("ListAgentInstances", text(1, "payments"), metadata=(("authorization", header),))
    assert reply.code == "UNAUTHENTICATED"
    assert reply.text.startswith("the `authorization` of the call is no bearer token; send one")
    assert "YTpi" not in repr(world.records.last)


def test_two_tokens_are_refused(client: Client) -> None:
    two = (("authorization", "Bearer ann"), ("authorization", "Bearer bob"))
    assert client.send("ListAgentInstances", text(1, "payments"), metadata=two).code == "UNAUTHENTICATED"


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("kagent.api.v1alpha1.CheckpointService/CreateCheckpoint", "this server makes no checkpoints"),
        ("kagent.api.v1alpha1.CheckpointService/Whatever", "this server makes no checkpoints"),
        ("kagent.api.v1alpha1.AgentInstanceService/RenameAgentInstance", "AgentInstanceService has no such"),
        ("kagent.api.v1alpha1.Other/Call", "Method not found!"),
    ],
)
def test_a_call_that_is_not_served_is_unimplemented(client: Client, path: str, told: str) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        client.channel.unary_unary(f"/{path}")(b"", timeout=10)
    assert caught.value.code().name == "UNIMPLEMENTED"
    assert caught.value.details().startswith(told)


def test_a_caller_of_too_many_calls_is_told_how_long_to_wait(world: World, client: Client) -> None:
    world.crowd.full = {"bob"}
    reply = client.call("GetAgentInstance", token="bob", **NAME)
    assert (reply.code, reply.text) == ("RESOURCE_EXHAUSTED", "too many calls; wait")
    assert reply.details["RetryInfo"].retry_delay.ToTimedelta().total_seconds() == 1.5
    assert world.policy.asked == []


def test_a_call_is_counted_while_it_lasts(world: World, client: Client) -> None:
    def act(*asked: Any) -> Any:
        assert world.crowd.inside == ["ann"]
        return done(*asked)

    world.operations.act = act
    assert client.call("CreateAgentInstance", **CREATE).code == "OK"
    client.call("GetAgentInstance", token="nobody", **NAME)
    assert (world.crowd.inside, world.crowd.seen) == ([], ["ann"])


def test_the_table_has_a_valid_request_of_every_call() -> None:
    assert set(VALID) == set(ASKED) == set(CALLS)
    assert len(INSTANCES.methods) == 9
