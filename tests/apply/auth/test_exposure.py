"""Beyond loopback there is TLS and somebody who asks, or no start."""

from __future__ import annotations

import pytest

from kagent_apply.auth.addresses import is_local_listener, is_local_peer
from kagent_apply.auth.exposure import exposure_faults

LOCAL = [
    "127.0.0.1:8084", "127.0.0.2:8084", "127.255.255.254:1", "[::1]:8084", "::1:8084", "localhost:8084",
    "LOCALHOST:8084", "localhost.:8084", "[::ffff:127.0.0.1]:8084", "unix:/run/apply.sock", "unix:apply.sock",
    "unix:///run/apply.sock", "unix-abstract:apply",
]  # fmt: skip
EXPOSED = [
    "0.0.0.0:8084", "[::]:8084", ":::8084", ":8084", "*:8084", "[::ffff:0.0.0.0]:8084", "192.0.2.1:8084",
    "[::ffff:192.0.2.1]:8084", "[fe80::1%eth0]:8084", "apply.example:8084", "localhost.example:8084",
    "127.1:8084", "0177.0.0.1:8084", "2130706433:8084", "127.0.0.1.nip.io:8084", "dns:///localhost:8084",
    "vsock:-1:8084", "localhost", "", "127.0.0.1", "[::1]", "localhost:", "localhost:٣",
]  # fmt: skip


@pytest.mark.parametrize("listen", LOCAL)
def test_loopback_and_unix_sockets_need_nothing(listen: str) -> None:
    assert is_local_listener(listen)
    assert exposure_faults([listen], tls=False, authenticated=False) == []


@pytest.mark.parametrize("listen", EXPOSED)
def test_everything_else_needs_both(listen: str) -> None:
    told = [fault.message for fault in exposure_faults([listen], tls=False, authenticated=False)]
    assert [text.rpartition(" without ")[2] for text in told] == ["TLS", "asking who calls"]


@pytest.mark.parametrize(
    ("tls", "authenticated", "missing"),
    [
        (True, True, []),
        (True, False, ["the service would listen beyond this machine without asking who calls"]),
        (False, True, ["the service would listen beyond this machine without TLS"]),
    ],
)
def test_each_of_the_two_is_asked_for(tls: bool, authenticated: bool, missing: list[str]) -> None:
    faults = exposure_faults(["127.0.0.1:1", "0.0.0.0:2", "[::]:3"], tls=tls, authenticated=authenticated)
    assert [fault.message for fault in faults] == missing


@pytest.mark.parametrize(
    ("peer", "local"),
    [
        ("ipv4:127.0.0.1:37170", True),
        ("ipv6:%5B::1%5D:58432", True),
        ("ipv6:[::1]:58432", True),
        ("ipv6:[::ffff:127.0.0.1]:58432", True),
        ("unix:", True),
        ("unix:/run/apply.sock", True),
        ("ipv4:192.0.2.1:37170", False),
        ("ipv6:[2001:db8::1]:58432", False),
        ("ipv4:localhost.example:1", False),
        ("127.0.0.1:37170", False),
        ("", False),
    ],
)
def test_a_caller_of_this_machine_is_known_by_its_address(peer: str, local: bool) -> None:
    assert is_local_peer(peer) is local
