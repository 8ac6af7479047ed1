"""`kagent-apply delete`."""

from __future__ import annotations

from typing import Any

from kagent_apply.cli.client.instance_command import instance_command


def _messages() -> tuple[Any, Any]:
    from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api

    return api.DeleteAgentInstanceRequest, api.DeleteAgentInstanceResponse


command = instance_command("Delete the instance ID with all of its actors.", _messages)
