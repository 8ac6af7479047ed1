"""Where a runtime's requests go, as an egress policy knows it: by the name of a host, never by an address."""

from __future__ import annotations

import re
from dataclasses import dataclass

from kagent_render.api.names import is_dns_label, is_dns_subdomain

_LONGEST_SHOWN = 253
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")


@dataclass(frozen=True, slots=True)
class Destination:
    """Scheme, host and port of an origin; the host in lower case, without the dot that may end it."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def destination_of(origin: str) -> Destination:
    """The parts of an origin, `scheme://host:port`."""
    scheme, _, rest = origin.partition("://")
    host, _, port = rest.rpartition(":")
    return Destination(scheme, host.strip("[]").lower().removesuffix("."), int(port))


def host_problem(host: str) -> str | None:
    """Why an egress policy cannot name a host; None where it can."""
    shown = host[:_LONGEST_SHOWN]
    if is_address(host):
        return f"`{shown}` is an IP address, and an egress policy allows hosts by their DNS names alone"
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        return f"`{shown}` ends in a number as an address does, and an egress policy takes no such name"
    if not is_dns_subdomain(host) or not all(is_dns_label(label) for label in host.split(".")):
        return f"`{shown}` is no DNS name, and an egress policy allows hosts by their DNS names alone"
    return None


def is_address(host: str) -> bool:
    """Whether some client takes `host` for an IP address.

    That is every IPv6 form, and whatever is made of numbers alone: `127.1`, `2130706433`, `0x7f.1`.
    """
    return ":" in host or all(_NUMBER.fullmatch(label) for label in host.split("."))
