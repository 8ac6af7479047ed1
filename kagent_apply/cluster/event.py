"""What the cluster part tells of itself, for logs and metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class EventKind(StrEnum):
    """What happened."""

    SYNCED = "synced"
    """A resource was listed, and is watched."""
    ABSENT = "absent"
    """The cluster has no such resource."""
    WATCH_FAILED = "watch-failed"
    """A resource cannot be watched for now; what was seen last still counts."""
    STATUS_WRITTEN = "status-written"
    STATUS_LEFT = "status-left"
    """A part of a status belongs to another field manager, and was left alone."""
    STATUS_REFUSED = "status-refused"
    """The API server did not take a status."""
    TEMPLATE_DELETED = "template-deleted"
    TEMPLATE_KEPT = "template-kept"
    """An ActorTemplate was about to be deleted, and something changed."""
    DELETION_HELD = "deletion-held"
    """Nothing is deleted, because not everything is known that may name an ActorTemplate."""
    LEADING = "leading"
    FOLLOWING = "following"
    FAILED = "failed"
    """A round did not come to its end."""


@dataclass(frozen=True, slots=True)
class ClusterEvent:
    """One thing that happened to one object, or to a resource as a whole; `message` is one sentence."""

    kind: EventKind
    message: str
    resource: str = ""
    namespace: str = ""
    name: str = ""


Tell = Callable[[ClusterEvent], None]
"""Hears every event; it is called from several threads, and must not raise."""
