"""The address of a Control service, as gRPC takes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from kagent_apply.network.loopback import is_loopback_host
from kagent_apply.substrate.port import ComputeRefusedError

_ADDRESS: Final = re.compile(
    r"(?:dns:///)?(?:\[(?P<v6>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:/@\[\]]+)):(?P<port>[0-9]+)"
)
_LARGEST_PORT: Final = 65_535


@dataclass(frozen=True, slots=True)
class Address:
    """A host, by name or IP address, and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        """The one form that the network library is given, so that it takes no other scheme."""
        return f"dns:///{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether nothing leaves this machine."""
        return is_loopback_host(self.host)


def read_address(text: str) -> Address:
    """The address in `HOST:PORT` or `dns:///HOST:PORT`; raises ComputeRefusedError, without quoting it."""
    found = _ADDRESS.fullmatch(text)
    if found is None or not 0 < int(found["port"]) <= _LARGEST_PORT:
        raise ComputeRefusedError(
            "the address of Substrate is not one of a host and a port",
            "write it as `dns:///HOST:PORT` or `HOST:PORT`",
        )
    return Address(found["v6"] or found["host"], int(found["port"]))
