"""The numbers inside are those of the API."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import pytest

from kagent_apply.api.v1alpha1 import agent_instances_pb2
from kagent_apply.instances.states import Operation, Permission, State

ENUMS: dict[str, type[IntEnum]] = {
    "AgentInstanceState": State,
    "AgentInstanceOperation": Operation,
    "AgentInstanceSharePermission": Permission,
}


@pytest.mark.parametrize("name", ENUMS)
def test_a_number_is_that_of_the_message(name: str) -> None:
    values: Any = agent_instances_pb2.DESCRIPTOR.enum_types_by_name[name].values[1:]
    inside = {member.name: member.value for member in ENUMS[name]}
    prefix = values[0].name.removesuffix(next(iter(inside)))
    assert {value.name.removeprefix(prefix): value.number for value in values} == inside
