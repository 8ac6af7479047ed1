"""Requests as a client sends them, field by field: each becomes a value, or the list of all its faults.

This comes before anyone asks who the caller is, so that it knows of nothing but the request (facts 8.2).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_apply.instances.field_rules import (
    DEFAULT_LIMIT,
    id_faults,
    label_faults,
    namespace_faults,
    object_faults,
    page_faults,
    permission_faults,
    request_id_faults,
)
from kagent_apply.instances.identifiers import canonical_uuid, read_page_token
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

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_apply.instances.fault import FieldFault


def read_creation(
    namespace: str, harness: str, agent_template: str, request_id: str
) -> Creation | list[FieldFault]:
    """Of CreateAgentInstance."""
    faults = [
        *namespace_faults(namespace),
        *object_faults("harness", harness),
        *object_faults("agent_template", agent_template),
        *request_id_faults(request_id),
    ]
    return faults or Creation(AgentName(namespace, harness, agent_template), request_id)


def read_instance(namespace: str, agent_instance_id: str) -> InstanceName | list[FieldFault]:
    """Of GetAgentInstance, SuspendAgentInstance, ResumeAgentInstance and DeleteAgentInstance."""
    faults = _instance_faults(namespace, agent_instance_id)
    return faults or _instance(namespace, agent_instance_id)


def read_instance_list(
    namespace: str, match_labels: Mapping[str, str], *, all_creators: bool, limit: int, token: str
) -> InstanceList | list[FieldFault]:
    """Of ListAgentInstances."""
    faults = [*namespace_faults(namespace), *label_faults(match_labels), *page_faults(limit, token)]
    return faults or InstanceList(namespace, dict(match_labels), all_creators, _page(limit, token))


def read_share_creation(
    namespace: str, agent_instance_id: str, permission: int
) -> ShareCreation | list[FieldFault]:
    """Of CreateAgentInstanceShare, with the permission by its number."""
    faults = [*_instance_faults(namespace, agent_instance_id), *permission_faults(permission)]
    if faults:
        return faults
    return ShareCreation(_instance(namespace, agent_instance_id), Permission(permission))


def read_share_list(
    namespace: str, agent_instance_id: str, *, limit: int, token: str
) -> ShareList | list[FieldFault]:
    """Of ListAgentInstanceShares."""
    faults = [*_instance_faults(namespace, agent_instance_id), *page_faults(limit, token)]
    return faults or ShareList(_instance(namespace, agent_instance_id), _page(limit, token))


def read_share(namespace: str, share_id: str) -> ShareName | list[FieldFault]:
    """Of RevokeAgentInstanceShare."""
    faults = [*namespace_faults(namespace), *id_faults("share_id", share_id)]
    return faults or ShareName(namespace, canonical_uuid(share_id))


def read_checkpoint_creation(
    namespace: str, agent_instance_id: str, request_id: str
) -> CheckpointCreation | list[FieldFault]:
    """Of CreateCheckpoint."""
    faults = [*_instance_faults(namespace, agent_instance_id), *request_id_faults(request_id)]
    return faults or CheckpointCreation(_instance(namespace, agent_instance_id), request_id)


def read_checkpoint(namespace: str, checkpoint_id: str) -> CheckpointName | list[FieldFault]:
    """Of GetCheckpoint and DeleteCheckpoint."""
    faults = _checkpoint_faults(namespace, checkpoint_id)
    return faults or CheckpointName(namespace, canonical_uuid(checkpoint_id))


def read_checkpoint_list(
    namespace: str, agent_instance_id: str, *, limit: int, token: str
) -> CheckpointList | list[FieldFault]:
    """Of ListCheckpoints."""
    faults = [*_instance_faults(namespace, agent_instance_id), *page_faults(limit, token)]
    return faults or CheckpointList(_instance(namespace, agent_instance_id), _page(limit, token))


def read_fork(namespace: str, checkpoint_id: str, request_id: str) -> Fork | list[FieldFault]:
    """Of ForkAgentInstance."""
    faults = [*_checkpoint_faults(namespace, checkpoint_id), *request_id_faults(request_id)]
    return faults or Fork(CheckpointName(namespace, canonical_uuid(checkpoint_id)), request_id)


def _instance_faults(namespace: str, agent_instance_id: str) -> list[FieldFault]:
    return [*namespace_faults(namespace), *id_faults("agent_instance_id", agent_instance_id)]


def _checkpoint_faults(namespace: str, checkpoint_id: str) -> list[FieldFault]:
    return [*namespace_faults(namespace), *id_faults("checkpoint_id", checkpoint_id)]


def _instance(namespace: str, agent_instance_id: str) -> InstanceName:
    return InstanceName(namespace, canonical_uuid(agent_instance_id))


def _page(limit: int, token: str) -> Page:
    return Page(limit or DEFAULT_LIMIT, read_page_token(token))
