"""`WWW-Authenticate` is read as RFC 9110 writes it."""

from __future__ import annotations

import pytest

from kagent_render.artifacts.oci.challenge import Challenge, challenge_in

HUB = {"realm": "https://auth.docker.io/token", "service": "registry.docker.io", "scope": "repository:a:pull"}


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        (
            'Bearer realm="https://auth.docker.io/token",service="registry.docker.io",scope="repository:a:pull"',
            Challenge("bearer", HUB),
        ),
        (
            'bearer REALM = "https://auth.docker.io/token" , service=registry.docker.io, '
            'scope="repository:a:pull"',
            Challenge("bearer", HUB),
        ),
        ('Bearer realm="a",scope="repository:a:pull,push"', Challenge(
            "bearer", {"realm": "a", "scope": "repository:a:pull,push"}
        )),
        ('Basic realm="Registry Realm"', Challenge("basic", {"realm": "Registry Realm"})),
        ("Basic", Challenge("basic")),
        ('Basic realm="b", Bearer realm="a"', Challenge("bearer", {"realm": "a"})),
        ('Bearer realm="a", Basic realm="b"', Challenge("bearer", {"realm": "a"})),
        ('Negotiate, Basic realm="b"', Challenge("basic", {"realm": "b"})),
        (r'Basic realm="say \"Bearer realm=x\""', Challenge("basic", {"realm": 'say "Bearer realm=x"'})),
        ('Bearer realm="a",realm="b"', Challenge("bearer", {"realm": "a"})),
        ('Digest realm="a"', None),
        ('realm="a"', None),
        ("", None),
        ('Bearer realm="' + "a" * 9000, Challenge("bearer")),
    ],
)  # fmt: skip
def test_a_token_is_asked_for_before_a_password(header: str, expected: Challenge | None) -> None:
    assert challenge_in(header) == expected
