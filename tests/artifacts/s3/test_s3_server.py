"""S3 by version against a real server."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from kagent_render.api.hub import ArtifactSource, S3Source
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.package import Package
from kagent_render.artifacts.port import FetchContext
from kagent_render.artifacts.resolution import Means, resolve
from kagent_render.artifacts.s3.client import S3Settings
from kagent_render.artifacts.s3.fetcher import S3Fetcher
from kagent_render.artifacts.store.vendored import VendoredStore
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.reader import MemoryFiles
from tests.artifacts.archive.archives import ordinary_tar, ordinary_zip
from tests.artifacts.conftest import S3Server

pytestmark = [pytest.mark.server, pytest.mark.usefixtures("credentials")]


def fetch(origin: S3Source, settings: S3Settings | None = None) -> Package:
    return S3Fetcher(settings).fetch(origin, [""], FetchContext())


def failure_of(origin: S3Source, settings: S3Settings | None = None) -> ArtifactFailure:
    with pytest.raises(ArtifactFailure) as failure:
        fetch(origin, settings)
    assert "\n" not in failure.value.message
    return failure.value


@pytest.fixture
def stored(s3_server: S3Server, request: pytest.FixtureRequest) -> S3Source:
    """A plugin that was put under a key of this test's own."""
    key = f"plugins/{request.node.name} \u00fc+&?.zip"
    version = s3_server.put(key, ordinary_zip({"plugin.json": b"first"}))
    return S3Source(s3_server.bucket, key, version, s3_server.endpoint)


def test_the_pinned_version_is_fetched_after_the_object_was_overwritten(
    s3_server: S3Server, stored: S3Source
) -> None:
    newer = s3_server.put(stored.key, ordinary_zip({"plugin.json": b"second"}))
    assert fetch(stored).files["plugin.json"].data == b"first"
    assert fetch(replace(stored, version_id=newer)).files["plugin.json"].data == b"second"


def test_the_pinned_version_is_fetched_after_the_object_was_deleted(
    s3_server: S3Server, stored: S3Source
) -> None:
    marker = s3_server.client.delete_object(Bucket=stored.bucket, Key=stored.key)["VersionId"]
    assert fetch(stored).files["plugin.json"].data == b"first"
    failure = failure_of(replace(stored, version_id=marker))
    assert failure.reason is Reason.ARTIFACT_NOT_FOUND


def test_a_tar_archive_is_fetched(s3_server: S3Server) -> None:
    version = s3_server.put("a.tgz", ordinary_tar({"SKILL.md": b"x"}))
    assert list(fetch(S3Source(s3_server.bucket, "a.tgz", version, s3_server.endpoint)).files) == ["SKILL.md"]


def test_an_endpoint_of_the_configuration_is_used_where_the_manifest_has_none(
    s3_server: S3Server, stored: S3Source
) -> None:
    settings = S3Settings(endpoint=s3_server.endpoint, region="us-east-1")
    assert fetch(replace(stored, endpoint=None), settings).files
    assert fetch(stored, S3Settings(endpoint="http://127.0.0.1:9")).files


@pytest.mark.parametrize(
    "change",
    [{"version_id": "0" * 32}, {"version_id": "nothing"}, {"key": "other.zip"}, {"bucket": "other-bucket"}],
    ids=["version", "malformed-version", "key", "bucket"],
)
def test_what_is_not_there_is_not_found(stored: S3Source, change: dict[str, str]) -> None:
    assert failure_of(replace(stored, **change)).reason is Reason.ARTIFACT_NOT_FOUND


def test_another_objects_version_is_not_found(s3_server: S3Server, stored: S3Source) -> None:
    other = s3_server.put("other-object.zip", ordinary_zip({"plugin.json": b"other"}))
    assert failure_of(replace(stored, version_id=other)).reason is Reason.ARTIFACT_NOT_FOUND


def test_a_version_that_was_removed_is_not_found(s3_server: S3Server, stored: S3Source) -> None:
    s3_server.client.delete_object(Bucket=stored.bucket, Key=stored.key, VersionId=stored.version_id)
    assert failure_of(stored).reason is Reason.ARTIFACT_NOT_FOUND


@pytest.mark.parametrize(
    ("name", "value"),
    [("AWS_SECRET_ACCESS_KEY", "wrong-secret"), ("AWS_ACCESS_KEY_ID", "wrong-key")],
    ids=["secret", "key"],
)
def test_wrong_credentials_are_told_with_a_hint_and_not_shown(
    credentials: pytest.MonkeyPatch, stored: S3Source, name: str, value: str
) -> None:
    credentials.setenv(name, value)
    failure = failure_of(stored)
    assert failure.reason is Reason.ARTIFACT_FETCH_FAILED
    assert "credentials" in (failure.hint or "")
    assert value not in failure.message + (failure.hint or "")


def test_without_credentials_the_request_is_anonymous(
    credentials: pytest.MonkeyPatch, stored: S3Source
) -> None:
    credentials.delenv("AWS_ACCESS_KEY_ID")
    credentials.delenv("AWS_SECRET_ACCESS_KEY")
    failure = failure_of(stored)
    assert failure.reason is Reason.ARTIFACT_FETCH_FAILED
    assert "access was denied" in failure.message


def test_a_profile_gives_credentials(
    credentials: pytest.MonkeyPatch, stored: S3Source, tmp_path: Path
) -> None:
    from tests.artifacts.conftest import ACCESS_KEY, SECRET_KEY

    credentials.delenv("AWS_ACCESS_KEY_ID")
    credentials.delenv("AWS_SECRET_ACCESS_KEY")
    text = f"[team]\naws_access_key_id = {ACCESS_KEY}\naws_secret_access_key = {SECRET_KEY}\n"
    (tmp_path / "credentials").write_text(text)
    credentials.setenv("AWS_PROFILE", "team")
    assert fetch(stored).files
    credentials.setenv("AWS_PROFILE", "other")
    assert failure_of(stored).reason is Reason.ARTIFACT_FETCH_FAILED


def test_a_bucket_without_versioning_names_no_version(s3_server: S3Server) -> None:
    s3_server.client.create_bucket(Bucket="unversioned")
    s3_server.client.put_object(Bucket="unversioned", Key="a.zip", Body=ordinary_zip({"a": b""}))
    origin = S3Source("unversioned", "a.zip", "null", s3_server.endpoint)
    assert failure_of(origin).reason is Reason.SOURCE_NOT_IMMUTABLE
    failure = failure_of(replace(origin, version_id="v1"))
    assert failure.reason in {Reason.ARTIFACT_NOT_FOUND, Reason.ARTIFACT_FETCH_FAILED}


def test_a_hostile_archive_is_refused_and_its_source_named(s3_server: S3Server) -> None:
    version = s3_server.put("bad.zip", ordinary_zip({"../a": b"x"}))
    failure = failure_of(S3Source(s3_server.bucket, "bad.zip", version, s3_server.endpoint))
    assert failure.reason is Reason.ARTIFACT_UNSAFE
    assert "`s3://agent-content/bad.zip`" in failure.message


def test_many_artifacts_resolve_in_parallel_with_every_failure(s3_server: S3Server) -> None:
    sources = []
    for number in range(12):
        version = s3_server.put(f"many/{number}.zip", ordinary_zip({"x": b"%d" % number}))
        pinned = version if number % 3 else "0" * 32
        sources.append(
            ArtifactSource(S3Source(s3_server.bucket, f"many/{number}.zip", pinned, s3_server.endpoint))
        )
    outcomes = resolve(sources, Means(VendoredStore(MemoryFiles({}), {}), {S3Source: S3Fetcher()}, jobs=6))
    assert list(outcomes) == sources
    for number, outcome in enumerate(outcomes.values()):
        if number % 3:
            assert isinstance(outcome, Package)
            assert outcome.files["x"].data == b"%d" % number
        else:
            assert isinstance(outcome, ArtifactFailure)
            assert outcome.reason is Reason.ARTIFACT_NOT_FOUND
