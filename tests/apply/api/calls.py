"""A request and a reply for each call of kagent's services: the messages, the bytes, and what they say."""

from __future__ import annotations

from typing import Any

from tests.target.wire import entry, inner, number, text

Side = tuple[str, bytes, dict[str, Any]]
"""A message, its bytes, and what they say."""

ID = "1f0e4e12-93a7-4d5e-8a52-0c6c4f3f9b11"
IDENTITY = text(1, "payments") + text(2, ID)
INSTANCE = {"namespace": "payments", "agent_instance_id": ID}
CHECKPOINT = {"namespace": "payments", "checkpoint_id": ID}
SHARE = (
    inner(
        1,
        text(1, ID),
        text(2, "payments"),
        text(3, "i"),
        text(4, "ann"),
        number(5, 2),
        inner(6, number(1, 60)),
    ),
    {
        "share": {
            "id": ID,
            "namespace": "payments",
            "agent_instance_id": "i",
            "creator": "ann",
            "permission": "AGENT_INSTANCE_SHARE_PERMISSION_READ_WRITE",
            "created_at": "1970-01-01T00:01:00Z",
        }
    },
)
PAGE = inner(3, number(1, 20), text(2, "next"))
PAGE_SAYS = {"page": {"limit": 20, "page_token": "next"}}
MORE = inner(2, text(1, "next"))
MORE_SAYS = {"page": {"next_page_token": "next"}}


def _instance(*fields: bytes, **says: Any) -> tuple[bytes, dict[str, Any]]:
    return inner(1, text(1, ID), *fields), {"agent_instance": {"id": ID, **says}}


def _state(state: str) -> str:
    return f"AGENT_INSTANCE_STATE_{state}"


CREATED = _instance(
    text(2, "payments"),
    text(3, "ann"),
    inner(4, text(1, "payments"), text(2, "python-runtime")),
    inner(5, text(1, "payments"), text(2, "triage")),
    text(6, "sha256:00"),
    text(7, "ai-1.payments.actors"),
    number(8, 2),
    inner(11, number(1, 60)),
    inner(12, number(1, 61)),
    entry(13, "team", "a"),
    namespace="payments",
    creator="ann",
    harness={"namespace": "payments", "name": "python-runtime"},
    agent_template={"namespace": "payments", "name": "triage"},
    prepared_revision="sha256:00",
    a2a_authority="ai-1.payments.actors",
    state=_state("READY"),
    created_at="1970-01-01T00:01:00Z",
    updated_at="1970-01-01T00:01:01Z",
    labels={"team": "a"},
)
FAILED = _instance(
    number(8, 4),
    inner(10, text(1, "ActorMissing"), text(2, "it is gone")),
    state=_state("FAILED"),
    failure={"reason": "ActorMissing", "message": "it is gone"},
)
MADE = (
    inner(
        1,
        *(text(1, ID), text(2, "payments"), text(3, "i"), text(4, "task")),
        *(
            number(5, 300),
            number(6, 3),
            inner(7, number(1, 60)),
            inner(8, text(1, "Gone"), text(2, "it is gone")),
        ),
    ),
    {
        "checkpoint": {
            "id": ID,
            "namespace": "payments",
            "agent_instance_id": "i",
            "head_task_id": "task",
            "history_sequence": "300",
            "state": "CHECKPOINT_STATE_FAILED",
            "created_at": "1970-01-01T00:01:00Z",
            "failure": {"reason": "Gone", "message": "it is gone"},
        }
    },
)

INSTANCES: dict[str, tuple[Side, Side]] = {
    "CreateAgentInstance": (
        (
            "CreateAgentInstanceRequest",
            text(1, "payments") + text(2, "python-runtime") + text(3, "triage") + text(4, "once"),
            {
                "namespace": "payments",
                "harness": "python-runtime",
                "agent_template": "triage",
                "request_id": "once",
            },
        ),
        ("CreateAgentInstanceResponse", *CREATED),
    ),
    "GetAgentInstance": (
        ("GetAgentInstanceRequest", IDENTITY, INSTANCE),
        ("GetAgentInstanceResponse", *FAILED),
    ),
    "ListAgentInstances": (
        (
            "ListAgentInstancesRequest",
            text(1, "payments")
            + entry(2, "team", "a")
            + number(3, 1)
            + inner(4, number(1, 20), text(2, "next")),
            {"namespace": "payments", "match_labels": {"team": "a"}, "all_creators": True, **PAGE_SAYS},
        ),
        (
            "ListAgentInstancesResponse",
            inner(1, text(1, "a")) + inner(1, text(1, "b")) + MORE,
            {"agent_instances": [{"id": "a"}, {"id": "b"}], **MORE_SAYS},
        ),
    ),
    "SuspendAgentInstance": (
        ("SuspendAgentInstanceRequest", IDENTITY, INSTANCE),
        ("SuspendAgentInstanceResponse", *_instance(number(8, 3), state=_state("SUSPENDED"))),
    ),
    "ResumeAgentInstance": (
        ("ResumeAgentInstanceRequest", IDENTITY, INSTANCE),
        (
            "ResumeAgentInstanceResponse",
            *_instance(
                number(8, 3),
                number(9, 3),
                state=_state("SUSPENDED"),
                operation="AGENT_INSTANCE_OPERATION_RESUME",
            ),
        ),
    ),
    "DeleteAgentInstance": (
        ("DeleteAgentInstanceRequest", IDENTITY, INSTANCE),
        ("DeleteAgentInstanceResponse", *_instance(number(8, 6), state=_state("DELETED"))),
    ),
    "CreateAgentInstanceShare": (
        (
            "CreateAgentInstanceShareRequest",
            IDENTITY + number(3, 1),
            {**INSTANCE, "permission": "AGENT_INSTANCE_SHARE_PERMISSION_READ_ONLY"},
        ),
        ("CreateAgentInstanceShareResponse", SHARE[0] + text(2, "once"), {**SHARE[1], "token": "once"}),
    ),
    "ListAgentInstanceShares": (
        ("ListAgentInstanceSharesRequest", IDENTITY + PAGE, {**INSTANCE, **PAGE_SAYS}),
        (
            "ListAgentInstanceSharesResponse",
            SHARE[0] + MORE,
            {"shares": [SHARE[1]["share"]], **MORE_SAYS},
        ),
    ),
    "RevokeAgentInstanceShare": (
        ("RevokeAgentInstanceShareRequest", IDENTITY, {"namespace": "payments", "share_id": ID}),
        ("RevokeAgentInstanceShareResponse", b"", {}),
    ),
}

CHECKPOINTS: dict[str, tuple[Side, Side]] = {
    "CreateCheckpoint": (
        ("CreateCheckpointRequest", IDENTITY + text(3, "once"), {**INSTANCE, "request_id": "once"}),
        ("CreateCheckpointResponse", *MADE),
    ),
    "GetCheckpoint": (
        ("GetCheckpointRequest", IDENTITY, CHECKPOINT),
        ("GetCheckpointResponse", *MADE),
    ),
    "ListCheckpoints": (
        ("ListCheckpointsRequest", IDENTITY + PAGE, {**INSTANCE, **PAGE_SAYS}),
        ("ListCheckpointsResponse", MADE[0] + MORE, {"checkpoints": [MADE[1]["checkpoint"]], **MORE_SAYS}),
    ),
    "DeleteCheckpoint": (
        ("DeleteCheckpointRequest", IDENTITY, CHECKPOINT),
        ("DeleteCheckpointResponse", b"", {}),
    ),
    "ForkAgentInstance": (
        ("ForkAgentInstanceRequest", IDENTITY + text(3, "once"), {**CHECKPOINT, "request_id": "once"}),
        ("ForkAgentInstanceResponse", *CREATED),
    ),
}
