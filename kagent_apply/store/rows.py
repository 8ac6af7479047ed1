"""Values as rows, and rows as values."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final

from kagent_apply.instances.instance import Instance, Lease, Member, Progress, Share
from kagent_apply.instances.prepared import PreparedMember, PreparedRevision
from kagent_apply.instances.requests import AgentName
from kagent_apply.instances.standing import Standing
from kagent_apply.instances.states import Failure, FailureReason, Operation, Permission, State
from kagent_apply.store.keys import request_key, revision_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from sqlalchemy import RowMapping

Values = dict[str, Any]
"""What is stored, by column."""


def unchanging_values(instance: Instance) -> Values:
    """What an instance keeps for life."""
    agent = instance.agent
    return {
        "id": instance.id,
        "namespace": agent.namespace,
        "harness": agent.harness,
        "agent_template": agent.agent_template,
        "creator": instance.creator,
        "request_id": instance.request_id,
        "request_key": request_key(instance.creator, agent.namespace, instance.request_id),
        "revision": instance.revision,
        "labels": dict(instance.labels),
        "created_at": instance.created_at,
    }


CHANGING: Final = ("state", "operation", "claim", "issued", "failure", "members", "updated_at")
"""The columns that a replacement changes, but for the version, the hold, and what a deletion changes."""


def changing_values(instance: Instance) -> Values:
    """What is stored in the columns of `CHANGING`."""
    standing = instance.standing
    return {
        "state": standing.state.value,
        "operation": standing.operation.value if standing.operation else None,
        "claim": standing.claim,
        "issued": standing.issued,
        "failure": _failure_value(standing.failure),
        "members": [_member_value(member) for member in instance.members],
        "updated_at": instance.updated_at,
    }


def needed_revision(instance: Instance) -> bytes | None:
    """The key of the revision that an instance needs; a deleted one needs none."""
    if instance.standing.state is State.DELETED:
        return None
    return revision_key(instance.agent, instance.revision)


def read_instance(found: RowMapping) -> Instance:
    """The instance of a row of `instance` and whether its lease has `lapsed`."""
    return Instance(
        id=found["id"],
        agent=_agent(found),
        creator=found["creator"],
        request_id=found["request_id"],
        revision=found["revision"],
        labels=found["labels"],
        standing=_standing(found),
        members=tuple(_member(value) for value in found["members"]),
        created_at=found["created_at"],
        updated_at=found["updated_at"],
        lease=None if found["holder"] is None else Lease(found["holder"], bool(found["lapsed"])),
        version=found["version"],
    )


def revision_values(revision: PreparedRevision) -> Values:
    """The row of a prepared revision."""
    agent = revision.agent
    return {
        "key": revision_key(agent, revision.revision),
        "namespace": agent.namespace,
        "harness": agent.harness,
        "agent_template": agent.agent_template,
        "revision": revision.revision,
        "target": revision.target,
        "labels": dict(revision.labels),
    }


def prepared_member_values(revision: PreparedRevision) -> list[Values]:
    """The rows of a prepared revision's members."""
    key = revision_key(revision.agent, revision.revision)
    return [
        {
            "revision_key": key,
            "place": place,
            "path": member.path,
            "actor_template": member.actor_template,
            "spec_digest": member.spec_digest,
            "manifest": member.manifest,
            "egress": None if member.egress is None else [dict(rule) for rule in member.egress],
        }
        for place, member in enumerate(revision.members)
    ]


def read_revision(rows: Sequence[RowMapping]) -> PreparedRevision:
    """The revision of the rows of `prepared_revision` joined with each of its members, in their order."""
    first = rows[0]
    members = tuple(_prepared_member(found) for found in rows)
    return PreparedRevision(_agent(first), first["revision"], first["target"], first["labels"], members)


def share_values(share: Share) -> Values:
    """The row of a share."""
    return dataclasses.asdict(share) | {"permission": share.permission.value}


def read_shares(rows: Iterable[RowMapping]) -> list[Share]:
    """The shares of rows of `share`."""
    return [Share(**{**found, "permission": Permission(found["permission"])}) for found in rows]


def _agent(found: RowMapping) -> AgentName:
    return AgentName(found["namespace"], found["harness"], found["agent_template"])


def _standing(found: RowMapping) -> Standing:
    operation, failure = found["operation"], found["failure"]
    return Standing(
        State(found["state"]),
        None if operation is None else Operation(operation),
        found["claim"],
        found["issued"],
        None if failure is None else Failure(FailureReason(failure["reason"]), failure["message"]),
    )


def _failure_value(failure: Failure | None) -> Values | None:
    return None if failure is None else {"reason": failure.reason.value, "message": failure.message}


def _member_value(member: Member) -> Values:
    return {
        "path": member.path,
        "actor": member.actor,
        "actor_template": member.actor_template,
        "uid": member.uid,
        "progress": member.progress.value,
    }


def _member(value: Mapping[str, Any]) -> Member:
    return Member(**{**value, "progress": Progress(value["progress"])})


def _prepared_member(found: RowMapping) -> PreparedMember:
    egress = found["egress"]
    return PreparedMember(
        found["path"],
        found["actor_template"],
        found["spec_digest"],
        found["manifest"],
        None if egress is None else tuple(egress),
    )
