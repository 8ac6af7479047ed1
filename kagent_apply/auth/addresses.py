"""Whether a caller is at this machine, by the address that gRPC gives."""

from __future__ import annotations

import re
from typing import Final

from kagent_apply.network.loopback import is_loopback_host

_LOCAL_SCHEMES: Final = ("unix:", "unix-abstract:")
_PEER: Final = re.compile(r"ipv[46]:(?:\[(?P<bracketed>.+)\]|(?P<plain>[^\[\]]+)):[0-9]+")


def is_local_peer(peer: str) -> bool:
    """Whether a caller's address, as gRPC writes it, is of this machine."""
    if peer.startswith(_LOCAL_SCHEMES):
        return True
    found = _PEER.fullmatch(peer.replace("%5B", "[").replace("%5D", "]"))
    return found is not None and is_loopback_host(found["bracketed"] or found["plain"])
