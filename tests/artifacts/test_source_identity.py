"""How sources are written in locks, indexes and messages."""

from __future__ import annotations

import pytest

from kagent_render.api.hub import ArtifactSource, GitSource, OciSource, Origin, S3Source
from kagent_render.artifacts.failure import printable, public_url
from kagent_render.artifacts.source_identity import (
    Identity,
    identity_key,
    nameable_source,
    source_identity,
    source_of,
    source_text,
)

OCI = OciSource("registry.example.com/team/plugin@sha256:" + "a" * 64)
GIT = GitSource("https://git.example.com/team/plugin", "b" * 40)
S3 = S3Source("agent-content", "plugins/a.zip", "v1")
FULL_S3 = S3Source("agent-content", "plugins/a.zip", "v1", "https://s3.example.com", "eu-west-1")


@pytest.mark.parametrize(
    ("source", "identity"),
    [
        (ArtifactSource(OCI), {"oci": OCI.reference}),
        (ArtifactSource(GIT), {"git": {"url": GIT.url, "commit": GIT.commit}}),
        (ArtifactSource(S3), {"s3": {"bucket": "agent-content", "key": "plugins/a.zip", "versionId": "v1"}}),
        (
            ArtifactSource(FULL_S3, "a/b"),
            {
                "s3": {
                    "bucket": "agent-content",
                    "key": "plugins/a.zip",
                    "versionId": "v1",
                    "endpoint": "https://s3.example.com",
                    "region": "eu-west-1",
                },
                "path": "a/b",
            },
        ),
    ],
    ids=["oci", "git", "s3", "s3-with-everything"],
)
def test_an_identity_has_its_keys_in_one_order_and_gives_its_source(
    source: ArtifactSource, identity: Identity
) -> None:
    written = source_identity(source)
    assert written == identity
    assert source_of(written) == source
    assert list(written) == list(identity)
    assert [list(value) for value in written.values()] == [list(value) for value in identity.values()]


def test_sources_that_differ_anywhere_have_different_keys() -> None:
    origins: list[Origin] = [OCI, GIT, S3, FULL_S3, S3Source("agent-content", "plugins/a.zip", "v2")]
    sources = [ArtifactSource(origin, path) for origin in origins for path in ("", "a")]
    assert len({identity_key(source_identity(source)) for source in sources}) == len(sources)


@pytest.mark.parametrize(
    "identity",
    [
        None,
        "oci",
        ["oci"],
        {},
        {"path": "a"},
        {"oci": 1},
        {"oci": "a", "more": "b"},
        {"oci": "a", "git": {"url": "a", "commit": "b"}},
        {"oci": "a", "path": ""},
        {"oci": "a", "path": 1},
        {"git": {"url": "a"}},
        {"git": {"url": "a", "commit": "b", "more": "c"}},
        {"s3": {"bucket": "a", "key": "b"}},
        {"s3": {"bucket": "a", "key": "b", "versionId": "c", "region": 1}},
        {"s3": {"bucket": "a", "key": "b", "versionId": "c", "endpoint": ""}},
    ],
    ids=str,
)
def test_what_is_no_identity_or_has_another_spelling_names_no_source(identity: object) -> None:
    with pytest.raises(ValueError, match=r"^an identity |is a text$"):
        source_of(identity)


AT_SIGN = S3Source("agent-content", "a@b/plugin.zip", "v@1")


@pytest.mark.parametrize("origin", [OCI, GIT, S3, FULL_S3, AT_SIGN], ids=repr)
def test_a_source_that_a_manifest_can_name_may_be_shown(origin: Origin) -> None:
    source = ArtifactSource(origin, "a/b")
    assert nameable_source(source_identity(source)) == source


@pytest.mark.parametrize(
    "identity",
    [
        {"ftp": "a"},
        {"oci": f"user:secret@{OCI.reference}"},
        {"git": {"url": "https://user@git.example.com/x", "commit": GIT.commit}},
        {"s3": {"bucket": "a", "key": "b", "versionId": "c", "endpoint": "https://user@s3.example.com"}},
    ],
    ids=str,
)
def test_a_source_that_no_manifest_can_name_is_not_shown(identity: Identity) -> None:
    assert nameable_source(identity) is None


def test_the_order_of_keys_in_an_index_does_not_matter() -> None:
    assert identity_key({"path": "a", "oci": "b"}) == identity_key({"oci": "b", "path": "a"})


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (ArtifactSource(OCI, "x"), f"`{OCI.reference}`, path `x`"),
        (ArtifactSource(GIT), f"`https://git.example.com/team/plugin` at `{'b' * 40}`"),
        (
            ArtifactSource(FULL_S3),
            "`s3://agent-content/plugins/a.zip` version `v1` at `https://s3.example.com`",
        ),
    ],
)
def test_a_message_names_the_source(source: ArtifactSource, text: str) -> None:
    assert source_text(source) == text


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("https://user:secret@example.com:8443/a?token=secret#secret", "https://example.com:8443/a"),
        ("https://secret@example.com", "https://example.com"),
        ("http://a@b@example.com/x", "http://example.com/x"),
        ("https://[::1/secret", "an unreadable URL"),
        ("https://example.com/`\x1b[31m", "https://example.com/\ufffd\ufffd[31m"),
    ],
)
def test_a_url_in_a_message_has_no_credentials(url: str, shown: str) -> None:
    assert public_url(url) == shown


def test_foreign_text_is_bounded_and_on_one_line() -> None:
    assert printable("a\nb`c") == "a\ufffdb\ufffdc"
    assert printable("x" * 1_000) == "x" * 120 + "\u2026"
