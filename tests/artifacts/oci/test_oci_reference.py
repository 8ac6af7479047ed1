"""References are read as container tools read them."""

from __future__ import annotations

import pytest

from kagent_render.artifacts.oci.failure import OciFault
from kagent_render.artifacts.oci.reference import Reference, parse_reference, registry_host

DIGEST = f"sha256:{'a' * 64}"


@pytest.mark.parametrize(
    ("reference", "host"),
    [
        ("ghcr.io/org/name", "ghcr.io"),
        ("localhost/name", "localhost"),
        ("localhost:5000/name", "localhost:5000"),
        ("registry:5000/name", "registry:5000"),
        ("[::1]:5000/name", "[::1]:5000"),
        ("org/name", "registry-1.docker.io"),
        ("name", "registry-1.docker.io"),
        ("name.with.dots", "registry-1.docker.io"),
        ("docker.io/org/name", "registry-1.docker.io"),
        ("index.docker.io/org/name", "registry-1.docker.io"),
    ],
)
def test_a_reference_s_registry_is_its_first_part_when_that_can_be_a_host(reference: str, host: str) -> None:
    assert registry_host(f"{reference}@{DIGEST}") == host


@pytest.mark.parametrize(
    ("name", "host", "repository"),
    [
        ("ghcr.io/org/name", "ghcr.io", "org/name"),
        ("ghcr.io/org/name:v1.2", "ghcr.io", "org/name"),
        ("GHCR.io/org/name", "ghcr.io", "org/name"),
        ("registry:5000/a", "registry:5000", "a"),
        ("registry:5000/a:Tag", "registry:5000", "a"),
        ("[::1]:5000/a/b-c__d.e", "[::1]:5000", "a/b-c__d.e"),
        ("redis", "registry-1.docker.io", "library/redis"),
        ("redis:7", "registry-1.docker.io", "library/redis"),
        ("docker.io/redis", "registry-1.docker.io", "library/redis"),
        ("org/name", "registry-1.docker.io", "org/name"),
    ],
)
def test_a_reference_names_host_repository_and_digest(name: str, host: str, repository: str) -> None:
    assert parse_reference(f"{name}@{DIGEST}") == Reference(host, repository, DIGEST)


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        (f"oci://ghcr.io/a@{DIGEST}", "begins with a scheme"),
        (f"ghcr.io/Org/name@{DIGEST}", "has upper-case letters"),
        (f"Org/name@{DIGEST}", "has upper-case letters"),
        (f"ghcr.io/@{DIGEST}", "is not a repository"),
        (f"ghcr.io/a//b@{DIGEST}", "is not a repository"),
        (f"ghcr.io/a/../b@{DIGEST}", "is not a repository"),
        (f"ghcr.io/a?b@{DIGEST}", "is not a repository"),
        (f"ghcr.io/{'a' * 256}@{DIGEST}", "is not a repository"),
        (f"ghcr.io/a:b:c@{DIGEST}", "is not a tag"),
        (f"{'a' * 253}.io/a@{DIGEST}", "is not a registry"),
        (f"ghcr.io:0/a@{DIGEST}", "is not a registry"),
        (f"ghcr.io:99999/a@{DIGEST}", "is not a registry"),
        (f"user:word@ghcr.io/a@{DIGEST}", "is not a registry"),
        (f"ghcr.io\\@evil/a@{DIGEST}", "is not a registry"),
        ("ghcr.io/a", "names no sha256 digest"),
        (f"ghcr.io/a@sha256:{'A' * 64}", "names no sha256 digest"),
        (f"ghcr.io/a@sha512:{'a' * 128}", "names no sha256 digest"),
    ],
)
def test_a_malformed_reference_is_told_as_such(reference: str, text: str) -> None:
    with pytest.raises(OciFault, match=text):
        parse_reference(reference)
