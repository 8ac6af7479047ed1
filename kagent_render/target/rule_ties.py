"""Egress rules of which neither is more specific than the other: Substrate refuses both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kagent_render.target.template_fault import TemplateFault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kagent_render.diagnostics.diagnostic import FieldPath

_PORTS = {"http": 80, "https": 443}


def tie_faults(rules: Iterable[Any], path: FieldPath) -> Iterator[TemplateFault]:
    """Each host of a rule that an earlier rule has on the same port, whatever the protocol of either."""
    taken: set[tuple[str, int]] = set()
    for index, rule in enumerate(rules):
        own: set[tuple[str, int]] = set()
        for field, inner in rule.ListFields():
            for place, host in enumerate(inner.hostnames):
                places = {(host, port) for port in _ports(field.json_name, inner)}
                if not taken.isdisjoint(places):
                    at = (*path, index, field.json_name, "hostnames", place)
                    message = "an earlier rule has this host on the same port"
                    yield TemplateFault(at, message, "join the two rules, or remove one")
                own |= places
        taken |= own


def _ports(protocol: str, rule: Any) -> Iterable[int]:
    """The ports of a rule; 0 stands for all of them, which is a place of its own."""
    if rule.ports.HasField("all"):
        return [0]
    return rule.ports.numbers or [_PORTS.get(protocol, 0)]
