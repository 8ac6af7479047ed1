"""Egress origins: `scheme://host:port` out of the URLs and names that a boundary uses."""

from __future__ import annotations

import functools
import re
from urllib.parse import urlsplit

from kagent_render.api.hub import GitSource, OciSource, Origin, S3Source
from kagent_render.artifacts.oci.reference import registry_host

_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?|[0-9a-f:.]*:[0-9a-f:.]*(?:%[a-z0-9.]+)?")
_REMOVED = re.compile(r"[\0-\x1f\x7f]")
DEFAULT_PORTS = {"http": 80, "https": 443}
DEFAULT_S3_REGION = "us-east-1"


@functools.lru_cache(maxsize=1024)
def origin_of(url: str) -> str | None:
    """The origin of an http(s) URL with its port written out; None for anything else."""
    if _REMOVED.search(url):  # `urlsplit` leaves some of them out, and clients go elsewhere
        return None
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return None
    name = parts.hostname or ""
    if parts.scheme not in DEFAULT_PORTS or port == 0 or not _HOST.fullmatch(name):
        return None
    host = f"[{name}]" if ":" in name else name
    return f"{parts.scheme}://{host}:{port or DEFAULT_PORTS[parts.scheme]}"


def s3_endpoint(source: S3Source, endpoint: str | None, region: str | None) -> str:
    """Where one S3 object is read from: its own endpoint, the configured one, else AWS by region."""
    regional = f"https://s3.{source.region or region or DEFAULT_S3_REGION}.amazonaws.com"
    return source.endpoint or endpoint or regional


def artifact_origin(
    source: Origin, endpoint: str | None, region: str | None, insecure: tuple[str, ...]
) -> str | None:
    """The origin that a runtime contacts to read an artifact."""
    if isinstance(source, GitSource):
        return origin_of(source.url)
    if isinstance(source, S3Source):
        return origin_of(s3_endpoint(source, endpoint, region))
    assert isinstance(source, OciSource)
    host = registry_host(source.reference)
    return origin_of(f"{'http' if host in insecure else 'https'}://{host}")
