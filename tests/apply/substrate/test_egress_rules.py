"""Rules of egress policies are a set: what allows and changes the same is the same."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from kagent_apply.substrate.egress_rules import rule_set
from kagent_apply.substrate.port import ComputeRefusedError
from kagent_render.target.messages import ateapi_pb2 as api
from tests.apply.substrate.parts import KEY, RULES, Driven, member, newest
from tests.target.wire import number

__all__ = ["newest"]

HOSTS = some.lists(some.sampled_from(["a.example", "b.example", "*.c.example"]), min_size=1, unique=True)
PORTS = some.lists(some.integers(1, 9), max_size=3, unique=True)
HEADERS = some.lists(some.sampled_from(["authorization", "x-api-key"]), max_size=2, unique=True).map(
    lambda names: [api.CredentialHeader(header=name, credential_uri=f"ate-secret://{name}") for name in names]
)


@some.composite
def rules(draw: Any) -> api.EgressRule:
    hosts, ports = draw(HOSTS), api.Ports(numbers=draw(PORTS) or [443])
    if draw(some.booleans()):
        return api.EgressRule(tls_passthrough=api.TLSPassthroughRule(hostnames=hosts, ports=ports))
    effects = api.HttpRuleEffects(replace_headers=draw(HEADERS))
    return api.EgressRule(https=api.HTTPSRule(hostnames=hosts, ports=ports, effects=effects))


def shuffled(rule: api.EgressRule, draw: Any) -> api.EgressRule:
    """The same rule with every list in another order."""
    copied = api.EgressRule()
    copied.CopyFrom(rule)
    part: Any = copied.https if copied.HasField("https") else copied.tls_passthrough
    for values in (part.hostnames, part.ports.numbers):
        order = draw(some.permutations(list(values)))
        del values[:]
        values.extend(order)
    return copied


@settings(max_examples=40)
@given(some.lists(rules(), max_size=4), some.data())
def test_no_order_matters(found: list[api.EgressRule], data: Any) -> None:
    again = [shuffled(rule, data.draw) for rule in data.draw(some.permutations(found))]
    assert rule_set(again) == rule_set(found)


@settings(max_examples=40)
@given(rules())
def test_comparing_changes_no_rule(rule: api.EgressRule) -> None:
    before = rule.SerializeToString(deterministic=True)
    rule_set([rule])
    assert rule.SerializeToString(deterministic=True) == before


def _https(*hosts: str, **fields: Any) -> api.EgressRule:
    return api.EgressRule(https=api.HTTPSRule(hostnames=hosts, **fields))


def _header(name: str, **fields: Any) -> api.HttpRuleEffects:
    return api.HttpRuleEffects(replace_headers=[api.CredentialHeader(header=name, **fields)])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_https("a"), _https("a", ports=api.Ports(numbers=[443]))),
        (_https("a"), _https("a", effects=api.HttpRuleEffects())),
        (_https("a", effects=_header("X-Key")), _https("a", effects=_header("x-key"))),
        (
            api.EgressRule(http=api.HTTPRule(hostnames=["a"])),
            api.EgressRule(http=api.HTTPRule(hostnames=["a"], ports=api.Ports(numbers=[80]))),
        ),
    ],
)
def test_what_a_server_fills_in_is_no_difference(one: api.EgressRule, other: api.EgressRule) -> None:
    assert rule_set([one]) == rule_set([other])


def _unknown(rule: api.EgressRule) -> api.EgressRule:
    rule.MergeFromString(number(9, 1))
    return rule


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_https("a"), _https("b")),
        (_https("a"), _https("a", "b")),
        (_https("a"), api.EgressRule(http=api.HTTPRule(hostnames=["a"], ports=api.Ports(numbers=[443])))),
        (_https("a"), _https("a", ports=api.Ports(all=api.AllPorts()))),
        (_https("a"), _https("a", ports=api.Ports(numbers=[80]))),
        (
            _https("a", ports=api.Ports(all=api.AllPorts())),
            _https("a", ports=api.Ports(all=api.AllPorts(), numbers=[443])),
        ),
        (_https("a"), _https("a", effects=_header("x-key"))),
        (_https("a", effects=_header("x", prefix="A ")), _https("a", effects=_header("x", prefix="B "))),
        (_https("a"), _unknown(_https("a"))),
        (_https("a"), api.EgressRule()),
    ],
)
def test_what_allows_something_else_differs(one: api.EgressRule, other: api.EgressRule) -> None:
    assert rule_set([one]) != rule_set([other])


@pytest.mark.parametrize(
    "change",
    [
        lambda policy: policy.ClearField("rules"),
        lambda policy: policy.rules.add().https.hostnames.append("evil.example.com"),
        lambda policy: policy.rules[0].https.hostnames.append("evil.example.com"),
    ],
)
def test_a_server_that_stores_other_rules_is_refused(newest: Driven, change: Callable[[Any], None]) -> None:
    actor = newest.made()
    newest.control.changed["CreateActorEgressPolicy"] = change
    with pytest.raises(ComputeRefusedError, match="is not the committed one"):
        newest.compute.restrict(actor, member(), 1)


def test_a_policy_that_somebody_widened_is_narrowed_again(newest: Driven) -> None:
    actor = newest.made()
    newest.compute.restrict(actor, member(), 1)
    newest.control.policies[KEY].rules.add().https.hostnames.append("evil.example.com")
    newest.compute.restrict(actor, member(), 1)
    assert len(newest.control.policies[KEY].rules) == len(RULES)


def test_no_rules_are_a_policy_that_allows_nothing(newest: Driven) -> None:
    actor = newest.made()
    newest.compute.restrict(actor, member(egress=()), 1)
    assert not newest.control.policies[KEY].rules


def test_rules_that_are_none_are_refused_without_a_call(newest: Driven) -> None:
    actor = newest.made()
    with pytest.raises(ComputeRefusedError, match=r"`\[0\]\.https\.hostname`"):
        newest.compute.restrict(actor, member(egress=({"https": {"hostname": ["a"]}},)), 1)
    assert not newest.control.calls
