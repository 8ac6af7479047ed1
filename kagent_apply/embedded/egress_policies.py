"""The calls on egress policies: kept and compared here, and enforced by nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from kagent_apply.embedded import resources
from kagent_apply.embedded.refusal import ControlError
from kagent_apply.embedded.views import Key
from kagent_render.target.messages import ateapi_pb2
from kagent_render.target.releases import RELEASED
from kagent_render.target.template_limits import limit_faults

if TYPE_CHECKING:
    from kagent_apply.embedded.changes import Change
    from kagent_apply.embedded.records import Records
    from kagent_apply.embedded.views import View

NAME: Final = "default"
"""The name of every policy (facts 10.3)."""

_MOST: Final = 256
"""Sets of rules that are remembered as valid."""


@dataclass(frozen=True, slots=True)
class EgressPolicies:
    """What actors may reach; one each."""

    records: Records
    _valid: set[bytes] = field(default_factory=set)
    """Rules that were found valid, since all actors of a template have the same."""

    def create(self, request: ateapi_pb2.CreateActorEgressPolicyRequest) -> ateapi_pb2.EgressPolicy:
        """Give an actor its policy."""
        key = _checked(request.actor)
        made = new_policy(key.atespace, self._rules(request.egress_policy))

        def keep(change: Change) -> ateapi_pb2.EgressPolicy:
            _check_actor(change, key)
            resources.check_new(change, key)
            change.put(key, made.SerializeToString())
            return made

        return self.records.change(keep, key)

    def get(self, request: ateapi_pb2.GetActorEgressPolicyRequest) -> ateapi_pb2.EgressPolicy:
        """The policy of an actor."""
        key = _checked(request.actor)
        return self.records.read(lambda view: resources.found(view, key, ateapi_pb2.EgressPolicy))

    def update(self, request: ateapi_pb2.UpdateActorEgressPolicyRequest) -> ateapi_pb2.EgressPolicy:
        """Put other rules in; `uid` and `version` must be those that the caller saw."""
        key, wanted = _checked(request.actor), request.egress_policy.metadata
        rules = self._rules(request.egress_policy)
        if not (wanted.uid and wanted.version):
            raise ControlError("INVALID_ARGUMENT", "an update needs `uid` and `version` of what was read")

        def replace(change: Change) -> ateapi_pb2.EgressPolicy:
            there = resources.found(change, key, ateapi_pb2.EgressPolicy)
            resources.check_seen(there.metadata, wanted.uid, wanted.version)
            there.ClearField("rules")
            there.rules.extend(rules.rules)
            resources.touch(there.metadata)
            change.put(key, there.SerializeToString())
            return there

        return self.records.change(replace)

    def delete(self, request: ateapi_pb2.DeleteActorEgressPolicyRequest) -> ateapi_pb2.EgressPolicy:
        """Take an actor's policy away."""
        key = _checked(request.actor)

        def drop(change: Change) -> ateapi_pb2.EgressPolicy:
            there = resources.found(change, key, ateapi_pb2.EgressPolicy)
            resources.check_options(there.metadata, request.options)
            change.drop(key)
            return there

        return self.records.change(drop)

    def _rules(self, policy: ateapi_pb2.EgressPolicy) -> ateapi_pb2.EgressPolicyTemplate:
        if policy.metadata.name not in ("", NAME):
            raise ControlError("INVALID_ARGUMENT", f"the name of an egress policy is `{NAME}`")
        rules = ateapi_pb2.EgressPolicyTemplate(rules=policy.rules)
        if (form := rules.SerializeToString(deterministic=True)) not in self._valid:
            for fault in limit_faults(rules, RELEASED):
                raise ControlError("INVALID_ARGUMENT", f"`egress_policy.{fault.path}`: {fault.message}")
            if len(self._valid) >= _MOST:
                self._valid.clear()
            self._valid.add(form)
        return rules


def new_policy(atespace: str, rules: ateapi_pb2.EgressPolicyTemplate) -> ateapi_pb2.EgressPolicy:
    """A policy that is not kept yet."""
    made = ateapi_pb2.EgressPolicy(rules=rules.rules)
    made.metadata.atespace, made.metadata.name = atespace, NAME
    resources.begin(made.metadata)
    return made


def policy_key(atespace: str, actor: str) -> Key:
    """What the policy of an actor is kept by."""
    return Key("policy", atespace, actor)


def _checked(ref: ateapi_pb2.ObjectRef) -> Key:
    resources.check_names("actor", ref)
    return policy_key(ref.atespace, ref.name)


def _check_actor(view: View, policy: Key) -> None:
    resources.found(view, Key("actor", policy.atespace, policy.name), ateapi_pb2.Actor)
