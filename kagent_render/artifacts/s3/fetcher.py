"""One version of one S3 object, read with boto3 and its default chain of credentials."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from kagent_render.api.hub import Origin, S3Source
from kagent_render.artifacts.archive.formats import format_of, read_archive
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.deadline import within
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.s3.client import Asked, S3Settings, asked_of, new_client
from kagent_render.artifacts.s3.failure import (
    is_transient,
    s3_failure,
    unanswered,
    unmade,
    without_credentials,
)
from kagent_render.artifacts.source_identity import origin_text
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kagent_render.artifacts.deadline import Bounds
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.port import FetchContext

_CHUNK: Final = 1 << 16


class S3Fetcher:
    """Fetches S3 objects by version; clients are made once for each endpoint and region."""

    reads_paths = False

    def __init__(self, settings: S3Settings | None = None) -> None:
        self._settings = settings or S3Settings()
        self._clients: dict[tuple[str | None, str | None, Bounds], Any] = {}
        self._lock = threading.Lock()

    def settings(self, origin: Origin) -> dict[str, str]:
        """The endpoint and region that are asked for `origin`, where the configuration decides on them."""
        assert isinstance(origin, S3Source)
        found = {"endpoint": self._endpoint(origin), "region": self._region(origin)}
        return {name: value for name, value in found.items() if value}

    def fetch(self, origin: Origin, paths: Sequence[str], context: FetchContext) -> Package:  # noqa: ARG002
        """The package in the archive that `origin` names; raises ArtifactFailure."""
        assert isinstance(origin, S3Source)
        if origin.version_id in {"", "null"}:
            raise ArtifactFailure(
                Reason.SOURCE_NOT_IMMUTABLE,
                f"{origin_text(origin)} names no version of the object",
                hint="set `versionId` to the object's version in a bucket with versioning",
            )
        try:
            format_of(origin.key)
            return read_archive(self._download(origin, context), origin.key, context.limits)
        except ArchiveRefused as refused:
            raise refused.of(origin_text(origin)) from None

    def _download(self, origin: S3Source, context: FetchContext) -> bytes:
        asked = Asked(origin)
        try:
            client = _in_time(partial(self._client, origin, context.bounds), origin, context.bounds)
            asked = asked_of(client, origin)
            return _object(client, asked.origin, context)
        except ArtifactFailure:
            raise
        except TimeoutError:
            raise unanswered(asked.origin) from None
        except Exception as error:
            failure = s3_failure(error, asked)
            if failure is None:
                raise
            raise failure from None

    def _client(self, origin: S3Source, bounds: Bounds) -> Any:
        key = self._endpoint(origin), self._region(origin), bounds
        with self._lock:
            if key not in self._clients:
                self._clients[key] = new_client(*key)
            return self._clients[key]

    def _endpoint(self, origin: S3Source) -> str | None:
        return origin.endpoint or self._settings.endpoint

    def _region(self, origin: S3Source) -> str | None:
        return origin.region or self._settings.region


def _in_time(make: Callable[[], Any], origin: S3Source, bounds: Bounds) -> Any:
    try:
        return within(bounds.answer, make)
    except TimeoutError:
        raise without_credentials(origin) from None
    except (AttributeError, LookupError, TypeError) as error:
        # boto3 takes the form of what the environment's files and programs say for granted.
        raise unmade(error, origin) from None


def _object(client: Any, origin: S3Source, context: FetchContext) -> bytes:
    """The object's bytes, asked for once more where the server breaks off in them."""
    bounds, limit = context.bounds, context.limits.archive
    attempts_left = 1
    while True:
        response = within(bounds.answer, partial(_answer, client, origin, bounds))
        _check_answer(response, origin, limit)
        try:
            return within(bounds.body, partial(_body, response, limit, context.received))
        except Exception as error:
            if not (attempts_left and is_transient(error)):
                raise
            attempts_left -= 1


def _answer(client: Any, origin: S3Source, bounds: Bounds) -> dict[str, Any]:
    """The head of the server's answer; what may pass is tried again for a few seconds."""
    started = time.monotonic()
    while True:
        try:
            answer: dict[str, Any] = client.get_object(
                Bucket=origin.bucket, Key=origin.key, VersionId=origin.version_id
            )
        except Exception as error:
            if not is_transient(error) or time.monotonic() - started > bounds.retry:
                raise
            time.sleep(bounds.pause)
        else:
            return answer


def _check_answer(answer: dict[str, Any], origin: S3Source, limit: int) -> None:
    if answer.get("DeleteMarker"):
        raise ArtifactFailure(
            Reason.ARTIFACT_NOT_FOUND,
            f"{origin_text(origin)} is a delete marker",
            hint="set `versionId` to a version that holds content",
        )
    if answer.get("VersionId") != origin.version_id:
        told = "another version" if answer.get("VersionId") else "no version"
        raise ArtifactFailure(
            Reason.ARTIFACT_FETCH_FAILED,
            f"the server's answer for {origin_text(origin)} names {told}",
            hint="check that versioning is enabled on the bucket and that the endpoint serves versions",
        )
    if int(answer.get("ContentLength") or 0) > limit:
        raise ArchiveRefused(Refusal.ARCHIVE_TOO_LARGE)


def _body(answer: dict[str, Any], limit: int, received: Callable[[int], None]) -> bytes:
    """The object's bytes; botocore compares their number with the announced one at the end."""
    data = bytearray()
    with closing(answer["Body"]) as body:
        while chunk := body.read(_CHUNK):
            data += chunk
            received(len(chunk))
            if len(data) > limit:
                raise ArchiveRefused(Refusal.ARCHIVE_TOO_LARGE)
    return bytes(data)
