"""Which addresses only programs of this machine can reach."""

from __future__ import annotations

import ipaddress
import re
from typing import Final

_LOCAL_SCHEMES: Final = ("unix:", "unix-abstract:")
_PEER: Final = re.compile(r"ipv[46]:(?P<host>.+):[0-9]+")


def is_loopback_host(host: str) -> bool:
    """Whether a host is this machine alone: a loopback address, or `localhost`; no other name counts."""
    if host.lower().removesuffix(".") == "localhost":
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return (mapped or address).is_loopback


def is_local_listener(listen: str) -> bool:
    """Whether what listens at `HOST:PORT`, or on a Unix socket, is out of reach of other machines."""
    if listen.startswith(_LOCAL_SCHEMES):
        return True
    host, colon, port = listen.rpartition(":")
    return bool(colon) and port.isascii() and port.isdigit() and is_loopback_host(_unbracketed(host))


def is_local_peer(peer: str) -> bool:
    """Whether a caller's address, as gRPC writes it, is of this machine."""
    if peer.startswith(_LOCAL_SCHEMES):
        return True
    found = _PEER.fullmatch(peer.replace("%5B", "[").replace("%5D", "]"))
    return found is not None and is_loopback_host(_unbracketed(found["host"]))


def _unbracketed(host: str) -> str:
    return host[1:-1] if host.startswith("[") and host.endswith("]") else host
