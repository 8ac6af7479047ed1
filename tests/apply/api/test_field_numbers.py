"""Each field and enum value has the number that facts 8.1 give it."""

from __future__ import annotations

from typing import Any

import pytest
from google.protobuf.descriptor_pb2 import DescriptorProto

from kagent_apply.api.v1alpha1 import agent_instances_pb2, checkpoints_pb2, common_pb2

_IDENTITY = "namespace=1 agent_instance_id=2"
_CHECKPOINT = "namespace=1 checkpoint_id=2"
_REPLY = "agent_instance=1"

COMMON = {
    "ResourceReference": "namespace=1 name=2",
    "PageRequest": "limit=1 page_token=2",
    "PageResponse": "next_page_token=1",
}
INSTANCES = {
    "Failure": "reason=1 message=2",
    "AgentInstance": "id=1 namespace=2 creator=3 harness=4 agent_template=5 prepared_revision=6"
    " a2a_authority=7 state=8 operation=9 failure=10 created_at=11 updated_at=12 labels=13",
    "CreateAgentInstanceRequest": "namespace=1 harness=2 agent_template=3 request_id=4",
    "CreateAgentInstanceResponse": _REPLY,
    "GetAgentInstanceRequest": _IDENTITY,
    "GetAgentInstanceResponse": _REPLY,
    "ListAgentInstancesRequest": "namespace=1 match_labels=2 all_creators=3 page=4",
    "ListAgentInstancesResponse": "agent_instances=1 page=2",
    "SuspendAgentInstanceRequest": _IDENTITY,
    "SuspendAgentInstanceResponse": _REPLY,
    "ResumeAgentInstanceRequest": _IDENTITY,
    "ResumeAgentInstanceResponse": _REPLY,
    "DeleteAgentInstanceRequest": _IDENTITY,
    "DeleteAgentInstanceResponse": _REPLY,
    "AgentInstanceShare": "id=1 namespace=2 agent_instance_id=3 creator=4 permission=5 created_at=6",
    "CreateAgentInstanceShareRequest": f"{_IDENTITY} permission=3",
    "CreateAgentInstanceShareResponse": "share=1 token=2",
    "ListAgentInstanceSharesRequest": f"{_IDENTITY} page=3",
    "ListAgentInstanceSharesResponse": "shares=1 page=2",
    "RevokeAgentInstanceShareRequest": "namespace=1 share_id=2",
    "RevokeAgentInstanceShareResponse": "",
}
CHECKPOINTS = {
    "Checkpoint": "id=1 namespace=2 agent_instance_id=3 head_task_id=4 history_sequence=5 state=6"
    " created_at=7 failure=8",
    "CreateCheckpointRequest": f"{_IDENTITY} request_id=3",
    "CreateCheckpointResponse": "checkpoint=1",
    "GetCheckpointRequest": _CHECKPOINT,
    "GetCheckpointResponse": "checkpoint=1",
    "ListCheckpointsRequest": f"{_IDENTITY} page=3",
    "ListCheckpointsResponse": "checkpoints=1 page=2",
    "DeleteCheckpointRequest": _CHECKPOINT,
    "DeleteCheckpointResponse": "",
    "ForkAgentInstanceRequest": f"{_CHECKPOINT} request_id=3",
    "ForkAgentInstanceResponse": _REPLY,
}
TABLES = [(common_pb2, COMMON), (agent_instances_pb2, INSTANCES), (checkpoints_pb2, CHECKPOINTS)]
FIELDS = [
    pytest.param(module.DESCRIPTOR, message, fields, id=message)
    for module, table in TABLES
    for message, fields in table.items()
]

ENUMS = {
    "AgentInstanceState": "UNSPECIFIED CREATING READY SUSPENDED FAILED DELETING DELETED",
    "AgentInstanceOperation": "UNSPECIFIED CREATE SUSPEND RESUME DELETE",
    "AgentInstanceSharePermission": "UNSPECIFIED READ_ONLY READ_WRITE",
    "CheckpointState": "UNSPECIFIED CREATING READY FAILED DELETING",
}
FOUND = {
    **agent_instances_pb2.DESCRIPTOR.enum_types_by_name,
    **checkpoints_pb2.DESCRIPTOR.enum_types_by_name,
}


@pytest.mark.parametrize(("file", "message", "fields"), FIELDS)
def test_a_message_has_these_numbers_and_no_others(file: Any, message: str, fields: str) -> None:
    descriptor = file.message_types_by_name[message]
    assert " ".join(f"{field.name}={field.number}" for field in descriptor.fields) == fields


@pytest.mark.parametrize(("module", "table"), TABLES, ids=["common", "instances", "checkpoints"])
def test_every_message_is_in_the_table(module: Any, table: dict[str, str]) -> None:
    assert set(module.DESCRIPTOR.message_types_by_name) == set(table)


@pytest.mark.parametrize("enum", sorted(FOUND))
def test_the_values_of_an_enum_count_from_zero(enum: str) -> None:
    prefix = "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in enum)[1:]
    expected = [(f"{prefix}_{name}", number) for number, name in enumerate(ENUMS[enum].split())]
    assert [(value.name, value.number) for value in FOUND[enum].values] == expected


RESERVED = {
    "AgentInstance": ["name"],
    "CreateAgentInstanceRequest": ["name"],
    "ListAgentInstancesRequest": ["agent_template", "harness"],
}


@pytest.mark.parametrize("message", RESERVED)
def test_what_later_versions_added_is_reserved(message: str) -> None:
    proto = DescriptorProto()
    agent_instances_pb2.DESCRIPTOR.message_types_by_name[message].CopyToProto(proto)
    assert sorted(proto.reserved_name) == RESERVED[message]
