"""Immutable artifact sources: OCI by digest, a full Git commit, one version of an S3 object."""

import dataclasses
import re
from typing import Annotated, Final

from pydantic import Field

from kagent_render.api import hub
from kagent_render.api.addresses import LONGEST_ADDRESS, NoUserInformation, NoUserInPinnedReference
from kagent_render.api.schema import Block, Check, Name, Refusal, exactly_one
from kagent_render.diagnostics.reasons import Reason

OciReference = Annotated[
    str,
    Field(pattern=r"^[^[:space:]@]+@sha256:[0-9a-f]{64}$"),
    NoUserInPinnedReference,
    Refusal(
        "the OCI source must be pinned by digest",
        hint="append `@sha256:` and the 64 hex digits of the digest",
        reason=Reason.SOURCE_NOT_IMMUTABLE,
    ),
]
HttpUrl = Annotated[
    str,
    Field(max_length=LONGEST_ADDRESS, pattern=r"^https?://[^[:space:]]+$"),
    dataclasses.replace(
        NoUserInformation,
        hint="remove the part before `@`, and store the credentials where Git or the AWS tools find them",
    ),
    Refusal(
        "the address must be an `http://` or `https://` URL without white space",
        hint="write the whole URL, beginning with `https://`",
    ),
]
Commit = Annotated[
    str,
    Field(pattern=r"^([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$"),
    Refusal(
        "the Git source must name a full commit",
        hint="set `commit` to the full 40 or 64 hex digits; branches, tags and short hashes can move",
        reason=Reason.SOURCE_NOT_IMMUTABLE,
    ),
]
_UNVERSIONED: Final = Refusal(
    "the S3 source must name one version of its object",
    hint="set `versionId` to the object's version in a bucket with versioning",
    reason=Reason.SOURCE_NOT_IMMUTABLE,
)
VersionId = Annotated[
    str,
    Field(min_length=1),
    _UNVERSIONED,
    Check(
        _UNVERSIONED.message,
        holds=lambda text: text != "null",
        hint=_UNVERSIONED.hint,
        reason=_UNVERSIONED.reason,
        cel="self != 'null'",
        schema={"not": {"const": "null"}},
    ),
]
BUCKET_NAME: Final = "the bucket must be named by its name, and not by an ARN or a URL"
BucketName = Annotated[
    Name,
    Check(
        BUCKET_NAME,
        holds=lambda name: re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,254}", name) is not None,
        hint="set `bucket` to the name alone, and `endpoint` or `region` to where it is",
        schema={"pattern": "^[A-Za-z0-9][A-Za-z0-9._-]{0,254}$"},
    ),
]
REGION_NAME: Final = "the region must be the name of a region"
Region = Annotated[
    str,
    Check(
        REGION_NAME,
        holds=lambda region: re.fullmatch(r"[a-z0-9-]{0,63}", region) is not None,
        hint="write it as `eu-west-1`; another server is named by `endpoint`",
        schema={"pattern": "^[a-z0-9-]{0,63}$"},
    ),
]
Directory = Annotated[
    str,
    Field(max_length=1024),
    Check(
        "`path` must be relative and must not contain `..` segments",
        holds=lambda path: not path.startswith("/") and ".." not in path.split("/"),
        hint="write the directory's path from the artifact's root",
        cel="!self.startsWith('/') && !self.split('/').exists(p, p == '..')",
        schema={"not": {"pattern": r"^/|(^|/)\.\.(/|$)"}},
    ),
]


class GitArtifact(Block):
    """Content at a full Git commit."""

    url: HttpUrl
    """The repository, `https://…`."""
    commit: Commit
    """All 40 or 64 hex digits: a branch, a tag or a short hash can move."""


class S3Object(Block):
    """One version of one S3 object; the service is found by its region where no endpoint is given."""

    bucket: BucketName
    """The bucket's name."""
    key: Name
    """The object's key."""
    version_id: VersionId
    """The version of the object."""
    endpoint: HttpUrl | None = None
    """The server, `https://…`; AWS in `region` where it is left out."""
    region: Region | None = None
    """The region, such as `eu-central-1`."""


class S3ObjectWithEndpoint(S3Object):
    """One version of one S3 object at a named endpoint."""

    endpoint: HttpUrl
    """The server, `https://…`."""


class Bucket(Block):
    """An object store; S3 is the only one."""

    s3: S3Object
    """The object and its version."""


class BucketWithEndpoint(Bucket):
    """An object store with an endpoint; S3 is the only one."""

    s3: S3ObjectWithEndpoint
    """The object, its version and the server."""


class ArtifactSource(Block):
    """One immutable artifact and a directory inside it, in `v1alpha2`."""

    oci: OciReference | None = None
    """An OCI artifact by digest: `REFERENCE@sha256:…`."""
    git: GitArtifact | None = None
    """A repository at a commit."""
    bucket: Bucket | None = None
    """An object in a bucket."""
    path: Directory | None = None
    """The folder inside it, relative and without `..`."""

    rules = (exactly_one("oci", "git", "bucket"),)


class ArtifactSourceWithEndpoint(ArtifactSource):
    """One immutable artifact and a directory inside it, in `v1alpha3`: S3 needs an endpoint."""

    bucket: BucketWithEndpoint | None = None
    """An object in a bucket."""


def hub_source(source: ArtifactSource) -> hub.ArtifactSource:
    """The source with its path in one spelling; `source` has passed its rules."""
    path = "/".join(segment for segment in (source.path or "").split("/") if segment not in ("", "."))
    return hub.ArtifactSource(_origin(source), path)


def _origin(source: ArtifactSource) -> hub.Origin:
    if source.git is not None:
        return hub.GitSource(source.git.url, source.git.commit.lower())
    if source.bucket is not None:
        s3 = source.bucket.s3
        return hub.S3Source(s3.bucket, s3.key, s3.version_id, s3.endpoint, s3.region or None)
    return hub.OciSource(source.oci or "")
