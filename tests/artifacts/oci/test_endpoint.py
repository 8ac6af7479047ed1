"""Which hosts are asked, and where they may lead."""

from __future__ import annotations

import pytest

from kagent_render.artifacts.oci.endpoint import Endpoint, endpoints_of
from kagent_render.artifacts.oci.reference import parse_reference

DIGEST = f"sha256:{'a' * 64}"


@pytest.mark.parametrize(
    ("reference", "mirrors", "expected"),
    [
        ("ghcr.io/a/b", {}, ["https://ghcr.io a/b"]),
        (
            "ghcr.io/a/b",
            {"ghcr.io": "mirror:5000/hub"},
            ["https://mirror:5000 hub/a/b", "https://ghcr.io a/b"],
        ),
        ("ghcr.io/a/b", {"ghcr.io": "mirror.example"}, ["https://mirror.example a/b", "https://ghcr.io a/b"]),
        ("ghcr.io/a/b", {"GHCR.io": "Plain/"}, ["http://plain a/b", "https://ghcr.io a/b"]),
        ("ghcr.io/a/b", {"ghcr.io": "ghcr.io"}, ["https://ghcr.io a/b"]),
        ("ghcr.io/a/b", {"docker.io": "mirror"}, ["https://ghcr.io a/b"]),
        ("redis", {"docker.io": "m/x/y"}, [
            "https://m x/y/library/redis", "https://registry-1.docker.io library/redis"
        ]),
        ("redis", {"registry-1.docker.io": "m"}, [
            "https://m library/redis", "https://registry-1.docker.io library/redis"
        ]),
        ("plain/a", {}, ["https://registry-1.docker.io plain/a"]),
        ("PLAIN:80/a", {}, ["http://plain:80 a"]),
    ],
)  # fmt: skip
def test_a_mirror_is_asked_before_its_registry(
    reference: str, mirrors: dict[str, str], expected: list[str]
) -> None:
    endpoints = endpoints_of(parse_reference(f"{reference}@{DIGEST}"), mirrors, ["plain", "Plain:80"])
    assert [f"{endpoint.url} {endpoint.repository}" for endpoint in endpoints] == expected


@pytest.mark.parametrize(
    ("host", "repository", "plain", "address"),
    [
        ("ghcr.io", "a/b", False, "https://ghcr.io/v2/a/b/blobs/"),
        ("localhost", "a", True, "http://localhost/v2/a/blobs/"),
        ("[::1]:5000", "a.b/c", True, "http://[::1]:5000/v2/a.b/c/blobs/"),
    ],
)
def test_an_address_is_made_of_host_repository_and_digest(
    host: str, repository: str, plain: bool, address: str
) -> None:
    endpoint = Endpoint(host, repository, frozenset({host} if plain else ()))
    assert endpoint.address("blobs", DIGEST) == address + DIGEST


PLAIN = frozenset({"plain:5000", "other:80"})
SECURE, INSECURE = Endpoint("ghcr.io", "a"), Endpoint("plain:5000", "a", PLAIN)


@pytest.mark.parametrize(
    ("endpoint", "url", "allowed"),
    [
        (SECURE, "https://anywhere.example/x?y", True),
        (SECURE, "http://ghcr.io/x", False),
        (SECURE, "http://plain:5000/x", False),
        (INSECURE, "https://anywhere.example/x", True),
        (INSECURE, "http://plain:5000/x", True),
        (INSECURE, "http://OTHER:80/x", True),
        (INSECURE, "http://plain/x", False),
        (INSECURE, "http://169.254.169.254/latest", False),
        (INSECURE, "file:///etc/passwd", False),
        (INSECURE, "ftp://plain:5000/x", False),
        (INSECURE, "//plain:5000/x", False),
        (INSECURE, "https://user:word@anywhere.example/x", False),
        (INSECURE, "https:///x", False),
        (INSECURE, "https://[::1/x", False),
        (INSECURE, "https://host:port/x", False),
        (INSECURE, "https://host/\x00", False),
        (INSECURE, "", False),
    ],
)
def test_only_tls_and_what_is_configured_may_be_led_to(endpoint: Endpoint, url: str, allowed: bool) -> None:
    assert endpoint.may_lead_to(url) is allowed


@pytest.mark.parametrize(
    ("url", "own"),
    [
        ("https://ghcr.io/x", True),
        ("https://ghcr.io:443/x", False),
        ("http://ghcr.io/x", False),
        ("https://ghcr.io.evil.example/x", False),
        ("https://ghcr.io@evil.example/x", False),
        ("https://evil.example/ghcr.io", False),
    ],
)
def test_authorization_is_for_the_same_scheme_host_and_port(url: str, own: bool) -> None:
    assert SECURE.is_own(url) is own
