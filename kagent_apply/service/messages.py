"""What is stored, as the messages of kagent's API have it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from google.protobuf.timestamp_pb2 import Timestamp

from kagent_apply.api.v1alpha1.agent_instances_pb2 import AgentInstance, AgentInstanceShare, Failure
from kagent_apply.api.v1alpha1.common_pb2 import PageResponse, ResourceReference
from kagent_apply.instances.identifiers import page_token
from kagent_apply.instances.states import State

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime
    from typing import TypeVar

    from kagent_apply.instances.instance import Instance, Share

    Item = TypeVar("Item", Instance, Share)

_ADDRESSED: Final = frozenset({State.READY, State.SUSPENDED})
"""States in which there is an agent to send requests to, now or once it is resumed."""

_NONE: Final = "UNSPECIFIED"


def instance_message(instance: Instance) -> AgentInstance:
    """An instance; what a deleted one needed is no longer told (facts 8.4)."""
    agent, standing = instance.agent, instance.standing
    message = AgentInstance(
        id=instance.id,
        namespace=agent.namespace,
        creator=instance.creator,
        harness=ResourceReference(namespace=agent.namespace, name=agent.harness),
        agent_template=ResourceReference(namespace=agent.namespace, name=agent.agent_template),
        prepared_revision="" if standing.state is State.DELETED else instance.revision,
        a2a_authority=instance.authority if standing.state in _ADDRESSED else "",
        state=f"AGENT_INSTANCE_STATE_{standing.state.name}",
        operation=f"AGENT_INSTANCE_OPERATION_{standing.operation.name if standing.operation else _NONE}",
        created_at=_time(instance.created_at),
        updated_at=_time(instance.updated_at),
        labels=dict(instance.labels),
    )
    if standing.failure is not None:
        message.failure.CopyFrom(Failure(reason=standing.failure.reason, message=standing.failure.message))
    return message


def share_message(share: Share) -> AgentInstanceShare:
    """A share, without its token, which nobody has any more."""
    return AgentInstanceShare(
        id=share.id,
        namespace=share.namespace,
        agent_instance_id=share.instance,
        creator=share.creator,
        permission=f"AGENT_INSTANCE_SHARE_PERMISSION_{share.permission.name}",
        created_at=_time(share.created_at),
    )


def page_of(found: Sequence[Item], limit: int) -> tuple[Sequence[Item], PageResponse]:
    """The items of a page, of which the store gave one more where there is another."""
    items = found[:limit]
    return items, PageResponse(next_page_token=page_token(items[-1].id) if len(found) > limit else "")


def _time(moment: datetime) -> Timestamp:
    stamp = Timestamp()
    stamp.FromDatetime(moment)
    return stamp
