"""Fields of later versions of kagent, where leaving one out would give more than was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from google.protobuf.unknown_fields import UnknownFieldSet

from kagent_apply.instances.fault import FieldFault

if TYPE_CHECKING:
    from kagent_apply.api.v1alpha1.agent_instances_pb2 import ListAgentInstancesRequest

_FILTERS: Final = {5: "agent_template", 6: "harness"}
"""What ListAgentInstancesRequest has under these numbers in later versions (docs/instance-api.md)."""

_HINT: Final = "leave it out, and choose among the items of the reply"


def check_filters(request: ListAgentInstancesRequest) -> ListAgentInstancesRequest | list[FieldFault]:
    """The request, or a fault for each filter that this server does not know: the list would be too long."""
    unknown = UnknownFieldSet(request)
    sent = {unknown[place].field_number for place in range(len(unknown))}
    faults = [
        FieldFault(name, f"`{name}` is no filter here", _HINT)
        for number, name in _FILTERS.items()
        if number in sent
    ]
    return faults or request
