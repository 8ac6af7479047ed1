"""One version of one S3 object, read with boto3 and its default chain of credentials."""

from __future__ import annotations

import threading
import time
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from kagent_render.api.hub import Origin, S3Source
from kagent_render.artifacts.archive.formats import format_of, read_archive
from kagent_render.artifacts.archive.refusal import ArchiveRefused, Refusal
from kagent_render.artifacts.deadline import within
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.s3_failure import is_transient, s3_failure, unanswered
from kagent_render.artifacts.source_identity import origin_text
from kagent_render.diagnostics.reasons import Reason

if TYPE_CHECKING:
    from kagent_render.artifacts.package import Package
    from kagent_render.artifacts.port import FetchContext

DEFAULT_REGION: Final = "us-east-1"
_CONNECT_SECONDS: Final = 4
_READ_SECONDS: Final = 6
_ANSWER_SECONDS: Final = 12
_BODY_SECONDS: Final = 300
_RETRY_SECONDS: Final = 7  # no new attempt after this, so that a dead endpoint is told within 15 s
_PAUSE_SECONDS: Final = 0.25
_CHUNK: Final = 1 << 16


@dataclass(frozen=True, slots=True)
class S3Settings:
    """RenderConfig's `artifacts.s3`: what holds where a manifest names no endpoint or region."""

    endpoint: str | None = None
    region: str | None = None


class S3Fetcher:
    """Fetches S3 objects by version; clients are made once for each endpoint and region."""

    def __init__(self, settings: S3Settings | None = None) -> None:
        self._settings = settings or S3Settings()
        self._clients: dict[tuple[str | None, str | None], Any] = {}
        self._lock = threading.Lock()

    def fetch(self, origin: Origin, context: FetchContext) -> Package:
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
            return read_archive(self._download(origin, context.limits.archive), origin.key, context.limits)
        except ArchiveRefused as refused:
            raise refused.of(origin_text(origin)) from None

    def _download(self, origin: S3Source, limit: int) -> bytes:
        try:
            client = self._client(origin)
            for attempts_left in (1, 0):
                response = within(_ANSWER_SECONDS, partial(_answer, client, origin))
                _check_answer(response, origin, limit)
                try:
                    return within(_BODY_SECONDS, partial(_body, response, limit))
                except Exception as error:
                    if not (attempts_left and is_transient(error)):
                        raise
        except ArtifactFailure:
            raise
        except TimeoutError:
            raise unanswered(origin) from None
        except Exception as error:
            failure = s3_failure(error, origin)
            if failure is None:
                raise
            raise failure from None
        raise AssertionError("the last attempt returns or raises")

    def _client(self, origin: S3Source) -> Any:
        endpoint = origin.endpoint or self._settings.endpoint
        region = origin.region or self._settings.region
        with self._lock:
            if (endpoint, region) not in self._clients:
                self._clients[endpoint, region] = _new_client(endpoint, region)
            return self._clients[endpoint, region]


def _new_client(endpoint: str | None, region: str | None) -> Any:
    import boto3
    from botocore import UNSIGNED
    from botocore.config import Config

    session = boto3.session.Session()
    config = Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_READ_SECONDS,
        retries={"total_max_attempts": 1},
        s3={
            "addressing_style": "path" if endpoint else "auto",
            "us_east_1_regional_endpoint": "regional",
        },
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    if session.get_credentials() is None:
        config = config.merge(Config(signature_version=UNSIGNED))
    return session.client(
        "s3",
        endpoint_url=endpoint,
        region_name=region or session.region_name or DEFAULT_REGION,
        config=config,
    )


def _answer(client: Any, origin: S3Source) -> dict[str, Any]:
    """The head of the server's answer; what may pass is tried again for a few seconds."""
    started = time.monotonic()
    while True:
        try:
            answer: dict[str, Any] = client.get_object(
                Bucket=origin.bucket, Key=origin.key, VersionId=origin.version_id
            )
        except Exception as error:
            if not is_transient(error) or time.monotonic() - started > _RETRY_SECONDS:
                raise
            time.sleep(_PAUSE_SECONDS)
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


def _body(answer: dict[str, Any], limit: int) -> bytes:
    """The object's bytes; botocore compares their number with the announced one at the end."""
    data = bytearray()
    with closing(answer["Body"]) as body:
        while chunk := body.read(_CHUNK):
            data += chunk
            if len(data) > limit:
                raise ArchiveRefused(Refusal.ARCHIVE_TOO_LARGE)
    return bytes(data)
