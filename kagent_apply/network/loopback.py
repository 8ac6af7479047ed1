"""Which addresses only programs of this machine can reach: the one rule for all that listens or connects."""

from __future__ import annotations

import ipaddress


def is_loopback_host(host: str) -> bool:
    """Whether a host is this machine alone: a loopback address, or `localhost` (RFC 6761 6.3).

    No other name counts, whatever it means just now.
    """
    if host.lower().removesuffix(".") == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def is_loopback_address(address: str) -> bool:
    """Whether `HOST:PORT` is at this machine alone; an IPv6 address without brackets is none that counts."""
    host, colon, port = address.rpartition(":")
    if not (colon and port.isascii() and port.isdigit()):
        return False
    if host.startswith("[") and host.endswith("]"):
        return ":" in host and is_loopback_host(host[1:-1])
    return ":" not in host and is_loopback_host(host)
