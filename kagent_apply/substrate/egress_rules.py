"""Egress rules as a set: neither their order nor what a server fills in matters (facts 10.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kagent_render.target.messages import ateapi_pb2

if TYPE_CHECKING:
    from collections.abc import Iterable


def rule_set(rules: Iterable[ateapi_pb2.EgressRule]) -> frozenset[bytes]:
    """What is the same for two lists of rules exactly where they allow and change the same.

    Fields that are not known here count, too.
    """
    return frozenset(_ordered(rule).SerializeToString(deterministic=True) for rule in rules)


def _ordered(rule: ateapi_pb2.EgressRule) -> ateapi_pb2.EgressRule:
    """A rule with the ports that its protocol has without any, and all its lists in order."""
    same = ateapi_pb2.EgressRule()
    same.CopyFrom(rule)
    if same.HasField("http"):
        _order(same.http, 80)
        _order_effects(same.http)
    if same.HasField("https"):
        _order(same.https, 443)
        _order_effects(same.https)
    if same.HasField("tls_passthrough"):
        _order(same.tls_passthrough, None)
    return same


def _order(
    part: ateapi_pb2.HTTPRule | ateapi_pb2.HTTPSRule | ateapi_pb2.TLSPassthroughRule, port: int | None
) -> None:
    names, numbers = sorted(part.hostnames), sorted(part.ports.numbers)
    if port is not None and not numbers and not part.ports.HasField("all"):
        numbers = [port]
    del part.hostnames[:]
    part.hostnames.extend(names)
    del part.ports.numbers[:]
    part.ports.numbers.extend(numbers)


def _order_effects(part: ateapi_pb2.HTTPRule | ateapi_pb2.HTTPSRule) -> None:
    """Headers by name in lower case; effects without any are none."""
    headers = []
    for header in part.effects.replace_headers:
        copied = ateapi_pb2.CredentialHeader()
        copied.CopyFrom(header)
        copied.header = header.header.lower()
        headers.append(copied)
    del part.effects.replace_headers[:]
    part.effects.replace_headers.extend(sorted(headers, key=lambda header: header.header))
    if not part.effects.ByteSize():
        part.ClearField("effects")
