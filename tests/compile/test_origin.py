"""Egress origins: scheme, host and port, whatever a URL or a reference leaves to defaults."""

from __future__ import annotations

import pytest

from kagent_render.api.hub import GitSource, OciSource, Origin, S3Source
from kagent_render.compile.origin import artifact_origin, origin_of, s3_endpoint

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://a.example/x?y#z", "https://a.example:443"),
        ("http://a.example", "http://a.example:80"),
        ("https://a.example:8443/", "https://a.example:8443"),
        ("HTTPS://A.Example/", "https://a.example:443"),
        ("http://10.0.0.1:1/", "http://10.0.0.1:1"),
        ("http://[::1]:8080/x", "http://[::1]:8080"),
        ("http://[::1]", "http://[::1]:80"),
        ("http://user:word@a.example/", "http://a.example:80"),
        ("", None),
        ("a.example", None),
        ("a.example:443", None),
        ("ftp://a.example", None),
        ("https://", None),
        ("https://:443", None),
        ("http://a.example:x", None),
        ("http://a.example:65536", None),
        ("http://[::1", None),
        ("https://a.example\nhttps://b.example", None),
        ("https://a.exa\tmple", None),
        ("\x00https://a.example", None),
    ],
)
def test_an_origin_is_scheme_host_and_port(url: str, origin: str | None) -> None:
    assert origin_of(url) == origin


@pytest.mark.parametrize(
    ("source", "endpoint", "region", "expected"),
    [
        (S3Source("b", "k", "v"), None, None, "https://s3.us-east-1.amazonaws.com"),
        (S3Source("b", "k", "v"), None, "eu-north-1", "https://s3.eu-north-1.amazonaws.com"),
        (S3Source("b", "k", "v", region="ap-1"), None, "eu-north-1", "https://s3.ap-1.amazonaws.com"),
        (S3Source("b", "k", "v"), "http://s3:9000", "eu-north-1", "http://s3:9000"),
        (S3Source("b", "k", "v", endpoint="http://own"), "http://s3:9000", None, "http://own"),
    ],
    ids=["the default region", "the region", "its own region", "the endpoint", "its own endpoint"],
)
def test_an_object_is_read_from_the_nearest_setting(
    source: S3Source, endpoint: str | None, region: str | None, expected: str
) -> None:
    assert s3_endpoint(source, endpoint, region) == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (GitSource("https://git.example/a.git", "c" * 40), "https://git.example:443"),
        (GitSource("http://git.example:3000/a", "c" * 40), "http://git.example:3000"),
        (S3Source("b", "k", "v"), "https://s3.eu-1.amazonaws.com:443"),
        (OciSource(f"r.example/a@{DIGEST}"), "https://r.example:443"),
        (OciSource(f"plain:5000/a@{DIGEST}"), "http://plain:5000"),
        (OciSource(f"other:5000/a@{DIGEST}"), "https://other:5000"),
        (OciSource(f"docker.io/a/b@{DIGEST}"), "https://registry-1.docker.io:443"),
    ],
    ids=["Git", "Git with a port", "S3", "OCI", "OCI without TLS", "OCI with a port", "OCI of Docker Hub"],
)
def test_an_artifact_has_the_origin_that_serves_it(source: Origin, expected: str) -> None:
    assert artifact_origin(source, None, "eu-1", ("plain:5000",)) == expected
