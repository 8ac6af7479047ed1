"""How an artifact source is written: its identity in locks and indexes, and its form in messages."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from kagent_render.api.hub import ArtifactSource, GitSource, OciSource, Origin, S3Source
from kagent_render.api.user_information import has_user_information
from kagent_render.artifacts.failure import printable, public_url

if TYPE_CHECKING:
    from collections.abc import Iterator

Identity = dict[str, Any]

_PINNED: Final = re.compile(r"@sha256:[0-9a-f]{64}\Z")


def source_identity(source: ArtifactSource) -> Identity:
    """The source as a lock writes it: one of `oci`, `git` and `s3`, then `path` unless it is empty."""
    identity = _origin_identity(source.origin)
    if source.path:
        identity["path"] = source.path
    return identity


def identified_source(identity: Identity) -> ArtifactSource | None:
    """The source that has this identity; None where no manifest could name such a one."""
    parts = dict(identity)
    path = parts.pop("path", "")
    try:
        source = ArtifactSource(_identified_origin(**parts), path)
    except (TypeError, KeyError):
        return None
    plain = all(isinstance(value, str) for value in _values(identity))
    if not plain or source_identity(source) != identity or has_user_information(_address(source.origin)):
        return None
    return source


def identity_key(identity: Identity) -> str:
    """A text that is equal for equal identities, whatever the order of their keys; lists sort by it."""
    return json.dumps(identity, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def source_key(source: ArtifactSource) -> str:
    """The identity key of a source."""
    return identity_key(source_identity(source))


def source_text(source: ArtifactSource) -> str:
    """The source in a sentence, without user information or query of any URL."""
    place = f", path `{printable(source.path)}`" if source.path else ""
    return origin_text(source.origin) + place


def origin_text(origin: Origin) -> str:
    """The origin in a sentence, without user information or query of any URL."""
    if isinstance(origin, OciSource):
        return f"`{printable(origin.reference.rpartition('://')[2])}`"
    if isinstance(origin, GitSource):
        return f"`{public_url(origin.url)}` at `{printable(origin.commit)}`"
    where = f" at `{public_url(origin.endpoint)}`" if origin.endpoint else ""
    location = printable(f"s3://{origin.bucket}/{origin.key}")
    return f"`{location}` version `{printable(origin.version_id)}`{where}"


def _identified_origin(
    oci: str | None = None, git: dict[str, str] | None = None, s3: dict[str, str] | None = None
) -> Origin:
    if s3 is not None:
        return S3Source(s3["bucket"], s3["key"], s3["versionId"], s3.get("endpoint"), s3.get("region"))
    return GitSource(**git) if git is not None else OciSource(oci or "")


def _address(origin: Origin) -> str:
    """Where an origin is found; no manifest may name one with user information."""
    if isinstance(origin, OciSource):
        return _PINNED.sub("", origin.reference)
    return origin.url if isinstance(origin, GitSource) else origin.endpoint or ""


def _values(identity: Identity) -> Iterator[object]:
    for value in identity.values():
        yield from value.values() if isinstance(value, dict) else (value,)


def _origin_identity(origin: Origin) -> Identity:
    if isinstance(origin, OciSource):
        return {"oci": origin.reference}
    if isinstance(origin, GitSource):
        return {"git": {"url": origin.url, "commit": origin.commit}}
    return {"s3": _s3_identity(origin)}


def _s3_identity(origin: S3Source) -> dict[str, str]:
    identity = {"bucket": origin.bucket, "key": origin.key, "versionId": origin.version_id}
    if origin.endpoint:
        identity["endpoint"] = origin.endpoint
    if origin.region:
        identity["region"] = origin.region
    return identity
