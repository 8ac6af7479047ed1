"""What a pod may name as its image is read as a kubelet reads it."""

from __future__ import annotations

import pytest

from kagent_render.artifacts.oci.failure import OciFault
from kagent_render.artifacts.oci.reference import Reference, TaggedReference, at_digest, parse_image

DIGEST = f"sha256:{'a' * 64}"
HUB = "registry-1.docker.io"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ghcr.io/org/name", TaggedReference("ghcr.io", "org/name", "latest")),
        ("ghcr.io/org/name:v1.2", TaggedReference("ghcr.io", "org/name", "v1.2")),
        ("GHCR.io/org/name:V1", TaggedReference("ghcr.io", "org/name", "V1")),
        ("localhost/name:1", TaggedReference("localhost", "name", "1")),
        ("registry:5000/a", TaggedReference("registry:5000", "a", "latest")),
        ("registry:5000/a:b", TaggedReference("registry:5000", "a", "b")),
        ("registry:5000", TaggedReference(HUB, "library/registry", "5000")),
        ("[::1]:5000/a:_", TaggedReference("[::1]:5000", "a", "_")),
        ("redis", TaggedReference(HUB, "library/redis", "latest")),
        ("docker.io/redis:7", TaggedReference(HUB, "library/redis", "7")),
        ("org/name:7", TaggedReference(HUB, "org/name", "7")),
        (f"ghcr.io/name:{'t' * 128}", TaggedReference("ghcr.io", "name", "t" * 128)),
        (f"ghcr.io/org/name@{DIGEST}", Reference("ghcr.io", "org/name", DIGEST)),
        (f"ghcr.io/org/name:v1@{DIGEST}", Reference("ghcr.io", "org/name", DIGEST)),
        (f"redis@{DIGEST}", Reference(HUB, "library/redis", DIGEST)),
    ],
)
def test_an_image_is_named_by_a_digest_or_else_by_a_tag(
    text: str, expected: Reference | TaggedReference
) -> None:
    assert parse_image(text) == expected


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("", "malformed: it is empty"),
        (" ", "is not a repository"),
        ("oci://ghcr.io/a:1", "begins with a scheme"),
        (f"https://ghcr.io/a@{DIGEST}", "begins with a scheme"),
        ("ghcr.io/Org/name:1", "has upper-case letters"),
        ("ghcr.io/", "is not a repository"),
        ("ghcr.io/a//b", "is not a repository"),
        ("ghcr.io/a/../b:1", "is not a repository"),
        ("ghcr.io/a b", "is not a repository"),
        (" ghcr.io/a", "is not a registry"),
        ("ghcr.io/a ", "is not a repository"),
        ("ghcr.io/a:v1\n", "is not a tag"),
        ("ghcr.io/a:", "is not a tag"),
        ("ghcr.io/a:b:c", "is not a tag"),
        ("ghcr.io/a:-b", "is not a tag"),
        ("ghcr.io/a:b?c", "is not a tag"),
        (f"ghcr.io/a:{'t' * 129}", "is not a tag"),
        ("ghcr.io:0/a", "is not a registry"),
        ("ghcr.io:99999/a", "is not a registry"),
        ("ghcr.io/a@", "no sha256 digest"),
        ("ghcr.io/a@sha256:abc", "no sha256 digest"),
        (f"ghcr.io/a@sha256:{'A' * 64}", "no sha256 digest"),
        (f"ghcr.io/a@sha512:{'a' * 128}", "no sha256 digest"),
        (f"ghcr.io/a@{DIGEST}@{DIGEST}", "no sha256 digest"),
        ("user:secret@ghcr.io/a:1", "no sha256 digest"),
        (f"user:secret@ghcr.io/a@{DIGEST}", "no sha256 digest"),
        (f"https://user:secret@ghcr.io/a@{DIGEST}", "no sha256 digest"),
        ("https://user:secret@ghcr.io/a", "begins with a scheme"),
    ],
)
def test_what_no_kubelet_would_read_is_told_without_a_password(text: str, cause: str) -> None:
    with pytest.raises(OciFault, match=cause) as raised:
        parse_image(text)
    assert raised.value.is_of_image
    assert "secret" not in raised.value.cause + (raised.value.hint or "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ghcr.io/org/name:v1", f"ghcr.io/org/name@{DIGEST}"),
        (f"registry:5000/a:v1@{DIGEST}", f"registry:5000/a@{DIGEST}"),
        ("redis", f"docker.io/library/redis@{DIGEST}"),
    ],
)
def test_an_image_at_its_digest_is_the_same_image(text: str, expected: str) -> None:
    pinned = at_digest(parse_image(text), DIGEST)
    assert pinned == expected
    again, before = parse_image(pinned), parse_image(text)
    assert (again.host, again.repository) == (before.host, before.repository)
