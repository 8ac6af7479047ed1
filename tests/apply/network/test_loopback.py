"""What listens at loopback needs nothing, and what is sent there may be in the clear; nothing else counts."""

from __future__ import annotations

import pytest

from kagent_apply.network.loopback import is_loopback_address

LOCAL = [
    "127.0.0.1:8084", "127.0.0.2:8084", "127.255.255.254:1", "[::1]:8084", "localhost:8084", "localhost:0",
    "LOCALHOST:8084", "localhost.:8084", "[::ffff:127.0.0.1]:8084",
]  # fmt: skip
EXPOSED = [
    "0.0.0.0:8084", "[::]:8084", ":::8084", ":8084", "*:8084", "[::ffff:0.0.0.0]:8084", "192.0.2.1:8084",
    "[::ffff:192.0.2.1]:8084", "[fe80::1%eth0]:8084", "apply.example:8084", "localhost.example:8084",
    "127.1:8084", "0177.0.0.1:8084", "2130706433:8084", "127.0.0.1.nip.io:8084", "dns:///localhost:8084",
    "vsock:-1:8084", "localhost", "", "127.0.0.1", "[::1]", "localhost:", "localhost:٣", "8084", "[]:8084",
    "::1:8084", "[[::1]]:8084", "[localhost]:8084", "user@localhost:8084", "localhost /:8084",
]  # fmt: skip


@pytest.mark.parametrize("address", LOCAL)
def test_only_this_machine_reaches_loopback(address: str) -> None:
    assert is_loopback_address(address)


@pytest.mark.parametrize("address", EXPOSED)
def test_whatever_else_may_be_reached_by_others(address: str) -> None:
    assert not is_loopback_address(address)
