"""Instances and revisions to store."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from kagent_apply.instances.instance import Instance, Share, planned_members
from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
from kagent_apply.instances.requests import AgentName, InstanceName, Page
from kagent_apply.instances.standing import Standing
from kagent_apply.instances.states import Operation, Permission, State
from kagent_apply.store.port import Hold, Store

AGENT = AgentName("payments", "python-runtime", "triage")
LABELS = {"team": "payments", "tier": "gold"}
EGRESS = ({"https": {"hostnames": ["models.example.com"], "ports": {"numbers": [443]}}},)
FIRST = "sha256:" + "1" * 64
SECOND = "sha256:" + "2" * 64
NOON = datetime(2026, 9, 1, 12, tzinfo=UTC)
HOLD = Hold("here", 60.0)
FIRST_PAGE = Page(50, "")
ABSENT = "c2b0c1f2-7f4e-4d8e-8d0a-5a1f8f3c9b7e"
"""An id that nothing has, and the same one in every process that collects tests."""


def revision(
    digest: str = FIRST, *, agent: AgentName = AGENT, labels: Mapping[str, str] | None = None
) -> PreparedRevision:
    """A revision of two members; the name of an ActorTemplate says of which revision it is."""
    end = digest[7:11]
    members = (
        PreparedMember("", f"triage-{end}", f"{digest}-a", b"\0manifest\xff", EGRESS),
        PreparedMember("find/logs", f"triage-find-logs-{end}", f"{digest}-b", b"manifest\n"),
    )
    return PreparedRevision(agent, digest, "ateapi/v0.4", LABELS if labels is None else labels, members)


def new_id() -> str:
    """An id that nothing has yet."""
    return str(uuid.uuid4())


def instance(
    prepared: PreparedRevision | None = None,
    *,
    creator: str = "ann",
    request_id: str = "",
    at: datetime = NOON,
    instance_id: str = "",
) -> Instance:
    """A new instance of a revision, as it is reserved: CREATE is under way."""
    prepared = prepared or revision()
    found = instance_id or new_id()
    return Instance(
        id=found,
        agent=prepared.agent,
        creator=creator,
        request_id=request_id or found,
        revision=prepared.revision,
        labels=prepared.labels,
        standing=Standing(State.CREATING, Operation.CREATE, claim=1),
        members=planned_members(found, prepared),
        created_at=at,
        updated_at=at,
    )


def name(of: Instance) -> InstanceName:
    """What an instance is asked for by."""
    return InstanceName(of.agent.namespace, of.id)


def share(of: Instance, digest: bytes, creator: str = "ann") -> Share:
    """A share of an instance."""
    namespace, read_only = of.agent.namespace, Permission.READ_ONLY
    return Share(new_id(), namespace, of.id, creator, read_only, NOON + timedelta(microseconds=1), digest)


def reserved(store: Store, prepared: PreparedRevision | None = None, creator: str = "ann") -> Instance:
    """An instance that was reserved, as it is stored."""
    prepared = prepared or revision()
    new = instance(prepared, creator=creator)
    assert store.reserve(new, prepared, HOLD)
    found = store.instance(name(new))
    assert found is not None
    return found


def stand(of: Instance, state: State, operation: Operation | None = None) -> Instance:
    """An instance in another state."""
    return replace(of, standing=Standing(state, operation, claim=of.standing.claim))


def ready(store: Store, prepared: PreparedRevision | None = None, creator: str = "ann") -> Instance:
    """An instance that was created."""
    before = reserved(store, prepared, creator)
    after = store.replace(before, stand(before, State.READY), None)
    assert after is not None
    return after


def delete(store: Store, found: Instance) -> Instance | None:
    """Store that an instance is deleted."""
    return store.replace(found, stand(found, State.DELETED), None)
