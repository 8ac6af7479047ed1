"""A caller of this machine is known by its address."""

from __future__ import annotations

import pytest

from kagent_apply.auth.addresses import is_local_peer


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
        ("ipv6:[::ffff:192.0.2.1]:58432", False),
        ("ipv4:localhost.example:1", False),
        ("127.0.0.1:37170", False),
        ("", False),
    ],
)
def test_a_caller_of_this_machine_is_known_by_its_address(peer: str, local: bool) -> None:
    assert is_local_peer(peer) is local
