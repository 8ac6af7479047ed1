"""`kagent-apply resume`."""

from __future__ import annotations

from typing import Any

from kagent_apply.cli.client.instance_command import instance_command


def _messages() -> tuple[Any, Any]:
    from kagent_apply.api.v1alpha1 import agent_instances_pb2 as api

    return api.ResumeAgentInstanceRequest, api.ResumeAgentInstanceResponse


command = instance_command("Resume the instance ID, and wait until it takes messages again.", _messages)
