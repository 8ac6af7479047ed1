"""What a request has to be: every fault, and what becomes of a request without one."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from kagent_apply.instances import validation
from kagent_apply.instances.fault import FieldFault
from kagent_apply.instances.identifiers import page_token
from kagent_apply.instances.requests import (
    AgentName,
    CheckpointCreation,
    CheckpointList,
    CheckpointName,
    Creation,
    Fork,
    InstanceList,
    InstanceName,
    Page,
    ShareCreation,
    ShareList,
    ShareName,
)
from kagent_apply.instances.states import Permission
from tests.apply.api.calls import ID

OTHER = "2f0e4e12-93a7-4d5e-8a52-0c6c4f3f9b11"
CREATION = {"namespace": "payments", "harness": "python", "agent_template": "triage", "request_id": "once"}
INSTANCE = {"namespace": "payments", "agent_instance_id": ID}
CHECKPOINT = {"namespace": "payments", "checkpoint_id": ID}
PAGE = {"limit": 0, "token": ""}
LIST = {"namespace": "payments", "match_labels": {}, "all_creators": False, **PAGE}

Read = Callable[..., Any]
CALLS: dict[str, tuple[Read, dict[str, Any], object]] = {
    "CreateAgentInstance": (
        validation.read_creation,
        CREATION,
        Creation(AgentName("payments", "python", "triage"), "once"),
    ),
    "GetAgentInstance": (validation.read_instance, INSTANCE, InstanceName("payments", ID)),
    "ListAgentInstances": (
        validation.read_instance_list,
        LIST,
        InstanceList("payments", {}, all_creators=False, page=Page(50, "")),
    ),
    "CreateAgentInstanceShare": (
        validation.read_share_creation,
        {**INSTANCE, "permission": 1},
        ShareCreation(InstanceName("payments", ID), Permission.READ_ONLY),
    ),
    "ListAgentInstanceShares": (
        validation.read_share_list,
        {**INSTANCE, **PAGE},
        ShareList(InstanceName("payments", ID), Page(50, "")),
    ),
    "RevokeAgentInstanceShare": (
        validation.read_share,
        {"namespace": "payments", "share_id": ID},
        ShareName("payments", ID),
    ),
    "CreateCheckpoint": (
        validation.read_checkpoint_creation,
        {**INSTANCE, "request_id": "once"},
        CheckpointCreation(InstanceName("payments", ID), "once"),
    ),
    "GetCheckpoint": (validation.read_checkpoint, CHECKPOINT, CheckpointName("payments", ID)),
    "ListCheckpoints": (
        validation.read_checkpoint_list,
        {**INSTANCE, **PAGE},
        CheckpointList(InstanceName("payments", ID), Page(50, "")),
    ),
    "ForkAgentInstance": (
        validation.read_fork,
        {**CHECKPOINT, "request_id": "once"},
        Fork(CheckpointName("payments", ID), "once"),
    ),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_request_without_a_fault_becomes_a_value(call: str) -> None:
    read, fields, expected = CALLS[call]
    assert read(**fields) == expected


_NAME = "write at most 63 of `a-z`, `0-9` and `-`, the first and the last no `-`"
_OBJECT = "write at most 253 of `a-z`, `0-9`, `-` and `.`, each part with a letter or digit at both ends"
_IDENTITY = "give the id that the server replied with"
_LABEL = "write labels as Kubernetes has them: at most 63 of `A-Z`, `a-z`, `0-9`, `-`, `_` and `.`"
_TOKEN = "give the `next_page_token` of the page before, or leave it out for the first page"
_LIMIT = "write 1 to 100, or leave it out for 50"
_PERMISSION = (
    "write `AGENT_INSTANCE_SHARE_PERMISSION_READ_ONLY` or `AGENT_INSTANCE_SHARE_PERMISSION_READ_WRITE`"
)
_AGAIN = "write one, and the same again when you repeat the request"
_SPACE = ("`request_id` begins or ends with white space", "remove the white space")
_NO_TOKEN = ("`page.page_token` is not one that this server replied with", _TOKEN)
_NO_UUID = ("`agent_instance_id` is no UUID", _IDENTITY)
_NO_NAMESPACE = ("`namespace` is not the name of a namespace", _NAME)
_NO_OBJECT = ("`harness` is not the name of an object", _OBJECT)

FAULTS: list[tuple[str, dict[str, Any], str, tuple[str, str]]] = [
    ("Get", {"namespace": ""}, "namespace", ("`namespace` is missing", "name the namespace of the agent")),
    ("Get", {"namespace": "Payments"}, "namespace", _NO_NAMESPACE),
    ("Get", {"namespace": "pay.ments"}, "namespace", _NO_NAMESPACE),
    ("Get", {"namespace": "-payments"}, "namespace", _NO_NAMESPACE),
    ("Get", {"namespace": "payments\n"}, "namespace", _NO_NAMESPACE),
    ("Get", {"namespace": "p" * 64}, "namespace", _NO_NAMESPACE),
    ("Get", {"namespace": "\u0661"}, "namespace", _NO_NAMESPACE),
    (
        "Create",
        {"harness": ""},
        "harness",
        ("`harness` is missing", "give the name of the object in `metadata.name`"),
    ),
    ("Create", {"harness": "py_thon"}, "harness", _NO_OBJECT),
    ("Create", {"harness": "python."}, "harness", _NO_OBJECT),
    ("Create", {"harness": "../python"}, "harness", _NO_OBJECT),
    ("Create", {"harness": "p" * 254}, "harness", _NO_OBJECT),
    (
        "Create",
        {"agent_template": ""},
        "agent_template",
        ("`agent_template` is missing", "give the name of the object in `metadata.name`"),
    ),
    (
        "Create",
        {"agent_template": "a/b"},
        "agent_template",
        ("`agent_template` is not the name of an object", _OBJECT),
    ),
    ("Create", {"request_id": ""}, "request_id", ("`request_id` is missing", _AGAIN)),
    (
        "Create",
        {"request_id": "é" * 65},
        "request_id",
        ("`request_id` is longer than 128 bytes", "shorten it, or write a UUID"),
    ),
    ("Create", {"request_id": " once"}, "request_id", _SPACE),
    ("Create", {"request_id": "once\n"}, "request_id", _SPACE),
    ("Create", {"request_id": "once\u3000"}, "request_id", _SPACE),
    ("Create", {"request_id": "once\x85"}, "request_id", _SPACE),
    ("Create", {"request_id": "on\0ce"}, "request_id", ("`request_id` holds a null character", "remove it")),
    (
        "Get",
        {"agent_instance_id": ""},
        "agent_instance_id",
        ("`agent_instance_id` is missing", _IDENTITY),
    ),
    ("Get", {"agent_instance_id": ID[:-1]}, "agent_instance_id", _NO_UUID),
    ("Get", {"agent_instance_id": f"{ID} "}, "agent_instance_id", _NO_UUID),
    ("Get", {"agent_instance_id": "{" + ID}, "agent_instance_id", _NO_UUID),
    ("Get", {"agent_instance_id": ID.replace("-", "", 1)}, "agent_instance_id", _NO_UUID),
    ("Get", {"agent_instance_id": "-" * 36}, "agent_instance_id", _NO_UUID),
    ("Get", {"agent_instance_id": ID.replace("1", "\u0661")}, "agent_instance_id", _NO_UUID),
    ("Get", {"agent_instance_id": "a" * 1_000_000}, "agent_instance_id", _NO_UUID),
    ("List", {"limit": -1}, "page.limit", ("`page.limit` is not from 0 to 100", _LIMIT)),
    ("List", {"limit": 101}, "page.limit", ("`page.limit` is not from 0 to 100", _LIMIT)),
    ("List", {"token": "once"}, "page.page_token", _NO_TOKEN),
    ("List", {"token": "a"}, "page.page_token", _NO_TOKEN),
    ("List", {"token": f"{page_token(ID)}="}, "page.page_token", _NO_TOKEN),
    ("List", {"token": ID}, "page.page_token", _NO_TOKEN),
    ("List", {"token": "_" * 48}, "page.page_token", _NO_TOKEN),
    ("List", {"token": page_token(f"{ID[:-1]}'")}, "page.page_token", _NO_TOKEN),
    (
        "List",
        {"match_labels": {f"key-{number}": "" for number in range(33)}},
        "match_labels",
        ("`match_labels` has more than 32 labels", "ask for fewer, and choose among what comes back"),
    ),
    (
        "List",
        {"match_labels": {"te am": "a"}},
        "match_labels",
        ("a key of `match_labels` cannot be that of a label", _LABEL),
    ),
    (
        "List",
        {"match_labels": {"team": "a b", "unit": "\n"}},
        "match_labels",
        ("the value of `team` in `match_labels` cannot be that of a label", _LABEL),
    ),
    ("Share", {"permission": 0}, "permission", ("`permission` is missing", _PERMISSION)),
    ("Share", {"permission": 3}, "permission", ("`permission` is unknown", _PERMISSION)),
    ("Share", {"permission": -1}, "permission", ("`permission` is unknown", _PERMISSION)),
    ("Revoke", {"share_id": "once"}, "share_id", ("`share_id` is no UUID", _IDENTITY)),
    ("Checkpoint", {"checkpoint_id": "once"}, "checkpoint_id", ("`checkpoint_id` is no UUID", _IDENTITY)),
    ("Fork", {"request_id": ""}, "request_id", ("`request_id` is missing", _AGAIN)),
]
_SHORT = {
    "Get": "GetAgentInstance",
    "Create": "CreateAgentInstance",
    "List": "ListAgentInstances",
    "Share": "CreateAgentInstanceShare",
    "Revoke": "RevokeAgentInstanceShare",
    "Checkpoint": "GetCheckpoint",
    "Fork": "ForkAgentInstance",
}


@pytest.mark.parametrize(("call", "wrong", "field", "told"), FAULTS)
def test_a_fault_names_its_field_and_what_to_do(
    call: str, wrong: dict[str, Any], field: str, told: tuple[str, str]
) -> None:
    read, fields, _ = CALLS[_SHORT[call]]
    assert read(**{**fields, **wrong}) == [FieldFault(field, *told)]


@pytest.mark.parametrize("call", CALLS)
def test_every_fault_of_a_request_is_told_at_once(call: str) -> None:
    read, fields, _ = CALLS[call]
    wrong: dict[str, Any] = {"limit": -1, "permission": 0, "match_labels": {"": ""}, "all_creators": True}
    faults = read(**{name: wrong.get(name, "\0") for name in fields})
    named = {"limit": "page.limit", "token": "page.page_token"}
    assert [fault.field for fault in faults] == [
        named.get(name, name) for name in fields if name != "all_creators"
    ]


def test_neither_message_nor_hint_shows_what_was_sent() -> None:
    secret = "\x1b[31m`hunter2`"
    read = partial(validation.read_creation, "payments", "python", "triage")
    faults = [read(f" {secret}"), validation.read_instance(secret, secret)]
    labels = validation.read_instance_list("a", {secret: secret}, all_creators=False, limit=0, token=secret)
    told = f"{faults} {labels}"
    assert "FieldFault" in told
    assert "hunter2" not in told


SPELLINGS = [ID, ID.upper(), f"urn:uuid:{ID}", f"URN:UUID:{ID}", f"{{{ID}}}", ID.replace("-", "")]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_an_id_has_one_spelling_inside(spelling: str) -> None:
    assert validation.read_instance("payments", spelling) == InstanceName("payments", ID)
    listed = validation.read_instance_list(
        "payments", {}, all_creators=True, limit=1, token=page_token(spelling)
    )
    assert listed == InstanceList("payments", {}, all_creators=True, page=Page(1, ID))


def test_a_token_is_the_text_of_an_id_in_base64url() -> None:
    assert page_token(ID) == "MWYwZTRlMTItOTNhNy00ZDVlLThhNTItMGM2YzRmM2Y5YjEx"
    assert page_token(ID) != page_token(OTHER)


@pytest.mark.parametrize(("limit", "items"), [(0, 50), (1, 1), (50, 50), (100, 100)])
def test_a_limit_of_0_means_50(limit: int, items: int) -> None:
    shares = validation.read_share_list("payments", ID, limit=limit, token="")
    assert shares == ShareList(InstanceName("payments", ID), Page(items, ""))


@pytest.mark.parametrize("request_id", ["r", "é" * 64, "a b", "a\nb", "\x1conce\x1c", "\u200bonce"])
def test_a_request_id_is_kept_as_it_was_sent(request_id: str) -> None:
    read = validation.read_creation("payments", "python.v2", "t" * 253, request_id)
    assert isinstance(read, Creation)
    assert read.request_id == request_id
