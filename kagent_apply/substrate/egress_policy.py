"""The egress policy of an actor, which decides what it reaches: written until it is the committed one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kagent_apply.substrate.actor_messages import subject_of
from kagent_apply.substrate.calls import Call, change, read
from kagent_apply.substrate.egress_rules import rule_set
from kagent_apply.substrate.newest_messages import object_ref
from kagent_apply.substrate.port import ComputeRefusedError
from kagent_apply.substrate.statuses import UNCLEAR, fault_of, unseen
from kagent_apply.substrate.transport import StatusError
from kagent_render.target.messages import ateapi_pb2

if TYPE_CHECKING:
    from collections.abc import Callable

    from kagent_apply.substrate.deadline import Deadline
    from kagent_apply.substrate.port import Actor, ActorName
    from kagent_apply.substrate.transport import Transport

POLICY: Final = "default"
"""The name of an actor's one policy (facts 4.4)."""

_OF_THE_ACTOR: Final = frozenset({"NOT_FOUND", "FAILED_PRECONDITION"})
"""Statuses that a server may give because the actor is gone."""

_TOLD_BY_A_LOOK: Final = UNCLEAR | {"ALREADY_EXISTS", "NOT_FOUND"}
"""Statuses after which the policy that is there decides what to do."""


def write_policy(
    transport: Transport,
    name: ActorName,
    find: Callable[[], Actor],
    rules: ateapi_pb2.EgressPolicyTemplate,
    deadline: Deadline,
) -> None:
    """Give an actor its policy, or see that it has just that; `find` raises where the actor is gone.

    The calls know no UID of an actor, so that the caller looks at it before and after.
    """
    held: ateapi_pb2.EgressPolicy | None = None
    while held is None or not _has(held, rules):
        call = _create(name, rules) if held is None else _update(name, rules, held)
        reply = change(transport, call, deadline)
        if not isinstance(reply, StatusError):
            _see_that(reply, rules, name)
            return
        if reply.code in _OF_THE_ACTOR:
            find()
        if reply.code not in _TOLD_BY_A_LOOK:
            raise fault_of(call.method, call.subject, reply)
        if not deadline.pause():
            raise unseen(call.method, call.subject, reply)
        held = read(transport, _get(name), deadline)


def _has(held: ateapi_pb2.EgressPolicy, rules: ateapi_pb2.EgressPolicyTemplate) -> bool:
    return held.rules == rules.rules or rule_set(held.rules) == rule_set(rules.rules)


def _see_that(
    stored: ateapi_pb2.EgressPolicy, rules: ateapi_pb2.EgressPolicyTemplate, name: ActorName
) -> None:
    if not _has(stored, rules):
        told = f"the egress policy that Substrate stored for {subject_of(name)} is not the committed one"
        raise ComputeRefusedError(
            told, "see that the agent was rendered for the release of Substrate that runs"
        )


def _get(name: ActorName) -> Call[ateapi_pb2.EgressPolicy]:
    request = ateapi_pb2.GetActorEgressPolicyRequest(actor=object_ref(name))
    return Call("GetActorEgressPolicy", subject_of(name), request, ateapi_pb2.EgressPolicy)


def _create(name: ActorName, rules: ateapi_pb2.EgressPolicyTemplate) -> Call[ateapi_pb2.EgressPolicy]:
    metadata = ateapi_pb2.ResourceMetadata(atespace=name.atespace, name=POLICY)
    policy = ateapi_pb2.EgressPolicy(metadata=metadata, rules=rules.rules)
    request = ateapi_pb2.CreateActorEgressPolicyRequest(actor=object_ref(name), egress_policy=policy)
    return Call("CreateActorEgressPolicy", subject_of(name), request, ateapi_pb2.EgressPolicy)


def _update(
    name: ActorName, rules: ateapi_pb2.EgressPolicyTemplate, held: ateapi_pb2.EgressPolicy
) -> Call[ateapi_pb2.EgressPolicy]:
    """Replace just the policy that was seen."""
    metadata = ateapi_pb2.ResourceMetadata(
        atespace=name.atespace, name=POLICY, uid=held.metadata.uid, version=held.metadata.version
    )
    policy = ateapi_pb2.EgressPolicy(metadata=metadata, rules=rules.rules)
    request = ateapi_pb2.UpdateActorEgressPolicyRequest(actor=object_ref(name), egress_policy=policy)
    return Call("UpdateActorEgressPolicy", subject_of(name), request, ateapi_pb2.EgressPolicy)
