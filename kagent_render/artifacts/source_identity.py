"""How an artifact source is written: its identity in locks and indexes, and its form in messages."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from kagent_render.api.hub import ArtifactSource, GitSource, OciSource, Origin, S3Source
from kagent_render.api.user_information import has_user_information
from kagent_render.artifacts.failure import printable, public_url

if TYPE_CHECKING:
    from collections.abc import Mapping

Identity = dict[str, Any]

_LONG_HEX: Final = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{20,}\b")
_PINNED: Final = re.compile(r"@sha256:[0-9a-f]{64}\Z")


def source_identity(source: ArtifactSource) -> Identity:
    """The source as a lock writes it: one of `oci`, `git` and `s3`, then `path` unless it is empty."""
    identity = _origin_identity(source.origin)
    if source.path:
        identity["path"] = source.path
    return identity


def source_of(identity: object) -> ArtifactSource:
    """The source that an identity writes; raises ValueError where it writes none."""
    match identity:
        case {"oci": str(reference), **rest}:
            origin: Origin = OciSource(reference)
        case {"git": {"url": str(url), "commit": str(commit)}, **rest}:
            origin = GitSource(url, commit)
        case {"s3": {"bucket": str(bucket), "key": str(key), "versionId": str(version), **more}, **rest}:
            origin = S3Source(bucket, key, version, _text(more, "endpoint"), _text(more, "region"))
        case _:
            raise ValueError("an identity names an origin")
    source = ArtifactSource(origin, _text(rest, "path") or "")
    if source_identity(source) != identity:
        raise ValueError("an identity has one spelling")
    return source


def nameable_source(identity: Identity) -> ArtifactSource | None:
    """The source that an identity writes; None where no manifest could name it, so that it is not shown."""
    try:
        source = source_of(identity)
    except ValueError:
        return None
    return None if has_user_information(_address(source.origin)) else source


def source_key(source: ArtifactSource) -> str:
    """The identity key of a source."""
    return identity_key(source_identity(source))


def identity_key(identity: Identity) -> str:
    """A text that is equal for equal identities, whatever the order of their keys; lists sort by it."""
    return json.dumps(identity, sort_keys=True, ensure_ascii=False, separators=(",", ":"))


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


def shortened(text: str) -> str:
    """A sentence with the first 12 digits of each digest, commit and other long hexadecimal number."""
    return _LONG_HEX.sub(r"\1", text)


def _address(origin: Origin) -> str:
    """Where an origin is found; no manifest may name one with user information."""
    if isinstance(origin, OciSource):
        return _PINNED.sub("", origin.reference)
    return origin.url if isinstance(origin, GitSource) else origin.endpoint or ""


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


def _text(members: Mapping[object, object], name: str) -> str | None:
    value = members.get(name)
    if value is None or isinstance(value, str):
        return value
    raise ValueError(f"`{name}` is a text")
