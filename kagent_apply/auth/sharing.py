"""What the bearer of a share's token may do in the conversation with an agent (facts 8.2)."""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from kagent_apply.instances.states import Permission


class SharedAction(StrEnum):
    """What can be done to the tasks of a shared instance."""

    GET = "get"
    LIST = "list"
    SUBSCRIBE = "subscribe"
    SEND = "send"
    CANCEL = "cancel"


_READING: Final = frozenset({SharedAction.GET, SharedAction.LIST, SharedAction.SUBSCRIBE})
_PERMITTED: Final = {
    Permission.READ_ONLY: _READING,
    Permission.READ_WRITE: _READING | {SharedAction.SEND, SharedAction.CANCEL},
}


def share_permits(permission: Permission, action: SharedAction) -> bool:
    """Whether a share of `permission` is enough; no share reaches the instance itself, or other shares."""
    return action in _PERMITTED[permission]
