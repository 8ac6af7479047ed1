"""Requests whose fields are all as they should be, with ids in their canonical spelling."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kagent_apply.instances.states import Permission


@dataclass(frozen=True, slots=True)
class InstanceName:
    """One instance: to get, suspend, resume or delete."""

    namespace: str
    id: str


@dataclass(frozen=True, slots=True)
class CheckpointName:
    """One checkpoint: to get or delete."""

    namespace: str
    id: str


@dataclass(frozen=True, slots=True)
class ShareName:
    """One share: to revoke."""

    namespace: str
    id: str


@dataclass(frozen=True, slots=True)
class AgentName:
    """What an instance is created of: a pair, by its Harness and its AgentTemplate."""

    namespace: str
    harness: str
    agent_template: str


@dataclass(frozen=True, slots=True)
class Page:
    """At most `limit` items, those with ids after `after`; empty for the first page."""

    limit: int
    after: str


@dataclass(frozen=True, slots=True)
class Creation:
    """A new instance of an agent; the same `request_id` of the same caller means the same instance."""

    agent: AgentName
    request_id: str


@dataclass(frozen=True, slots=True)
class InstanceList:
    """A page of instances that have all of `match_labels`."""

    namespace: str
    match_labels: Mapping[str, str]
    all_creators: bool
    page: Page


@dataclass(frozen=True, slots=True)
class ShareCreation:
    """A new share of an instance."""

    instance: InstanceName
    permission: Permission


@dataclass(frozen=True, slots=True)
class ShareList:
    """A page of an instance's shares."""

    instance: InstanceName
    page: Page


@dataclass(frozen=True, slots=True)
class CheckpointCreation:
    """A new checkpoint of an instance."""

    instance: InstanceName
    request_id: str


@dataclass(frozen=True, slots=True)
class CheckpointList:
    """A page of an instance's checkpoints."""

    instance: InstanceName
    page: Page


@dataclass(frozen=True, slots=True)
class Fork:
    """A new instance out of a checkpoint."""

    checkpoint: CheckpointName
    request_id: str
