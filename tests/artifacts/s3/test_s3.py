"""S3 servers that lie, break off or say nothing."""

from __future__ import annotations

import functools
import re
import socket
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trustme
from botocore.exceptions import EndpointConnectionError, NoCredentialsError, ProxyConnectionError

from kagent_render.api.hub import S3Source
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.deadline import Bounds
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.port import FetchContext
from kagent_render.artifacts.s3.client import S3Settings, aws_endpoint
from kagent_render.artifacts.s3.failure import is_transient
from kagent_render.artifacts.s3.fetcher import S3Fetcher
from kagent_render.cli.fetchers import Fetchers
from kagent_render.diagnostics.reasons import Reason
from kagent_render.source.config import RenderConfig, S3Access
from tests.artifacts.archive.archives import ordinary_zip
from tests.manifests import documents
from tests.servers import Answer, Request, ScriptedServer, drip, serving, stall

ARCHIVE = ordinary_zip({"plugin.json": b"{}"})
QUICK = Bounds(retry=0, pause=0.01)
HEAD = b"HTTP/1.1 200 OK\r\nx-amz-version-id: v1\r\n"
pytestmark = pytest.mark.usefixtures("credentials")


@pytest.fixture(scope="module")
def running() -> Iterator[ScriptedServer]:
    with serving(stall(0)) as server:
        yield server


@pytest.fixture
def server(running: ScriptedServer) -> ScriptedServer:
    """The module's server, which has one client, and which no test has asked anything yet."""
    running.requests.clear()
    return running


@pytest.fixture
def own_server() -> Iterator[ScriptedServer]:
    """A server for one test: attempts that were left behind may still come."""
    with serving(stall(0)) as server:
        yield server


def origin_at(server: ScriptedServer, region: str | None = None) -> S3Source:
    return S3Source("bucket", "a.zip", "v1", server.url, region)


def in_turn(server: ScriptedServer, *answers: Answer) -> None:
    """Have the server give one answer after another, and the last one for good."""
    server.answer = lambda request: answers[min(len(server.requests), len(answers)) - 1](request)


@functools.cache
def fetcher() -> S3Fetcher:
    """One fetcher with credentials for all tests here: making clients takes longer than the tests."""
    return S3Fetcher()


def answer(
    body: bytes = ARCHIVE,
    status: int = 200,
    length: int | None = None,
    version: str | None = "v1",
    **headers: str,
) -> Answer:
    if version is not None:
        headers["x_amz_version_id"] = version
    return lambda request: request.reply(body, status, length, **headers)


def error(status: int, code: str, more: str = "", **headers: Any) -> Answer:
    text = f"<Error><Code>{code}</Code><Message>secret-of-the-server</Message>{more}</Error>"
    return answer(text.encode(), status, **headers)


def failure_of(
    server: ScriptedServer, *answers: Answer, limits: Limits | None = None, bounds: Bounds | None = None
) -> ArtifactFailure:
    in_turn(server, *answers)
    context = FetchContext(limits or Limits(), bounds or QUICK)
    with pytest.raises(ArtifactFailure) as failure:
        fetcher().fetch(origin_at(server), [""], context)
    assert "secret" not in failure.value.message + (failure.value.hint or "")
    assert failure.value.message.isprintable()
    return failure.value


def test_an_honest_answer_is_taken(server: ScriptedServer) -> None:
    in_turn(server, answer())
    assert list(fetcher().fetch(origin_at(server), [""], FetchContext()).files) == ["plugin.json"]
    assert server.requests[0].path == "/bucket/a.zip?versionId=v1"
    assert "test-access-key" in server.requests[0].headers["Authorization"]
    assert "test-secret-key" not in str(server.requests[0].headers)


def test_without_credentials_nothing_is_signed(
    server: ScriptedServer, credentials: pytest.MonkeyPatch
) -> None:
    credentials.delenv("AWS_ACCESS_KEY_ID")
    credentials.delenv("AWS_SECRET_ACCESS_KEY")
    in_turn(server, answer())
    assert S3Fetcher().fetch(origin_at(server), [""], FetchContext()).files
    assert "Authorization" not in server.requests[0].headers


def test_a_denied_request_that_was_not_signed_is_told_as_such(
    server: ScriptedServer, credentials: pytest.MonkeyPatch
) -> None:
    denied = failure_of(server, error(403, "AccessDenied"))
    credentials.delenv("AWS_ACCESS_KEY_ID")
    credentials.delenv("AWS_SECRET_ACCESS_KEY")
    with pytest.raises(ArtifactFailure) as unsigned:
        S3Fetcher().fetch(origin_at(server), [""], FetchContext())
    assert unsigned.value.message == f"{denied.message}, and no AWS credentials were found"


LIES: dict[str, tuple[Answer, Reason, str]] = {
    "other-version": (answer(version="v2"), Reason.ARTIFACT_FETCH_FAILED, "names another version"),
    "no-version": (answer(version=None), Reason.ARTIFACT_FETCH_FAILED, "names no version"),
    "null-version": (answer(version="null"), Reason.ARTIFACT_FETCH_FAILED, "names another version"),
    "delete-marker": (answer(x_amz_delete_marker="true"), Reason.ARTIFACT_NOT_FOUND, "delete marker"),
    "marker-as-error": (
        answer(b"", 405, x_amz_delete_marker="true"), Reason.ARTIFACT_NOT_FOUND, "delete marker"
    ),
    "longer-than-sent": (
        answer(length=len(ARCHIVE) + 9), Reason.ARTIFACT_FETCH_FAILED, "fewer bytes than it announced"
    ),
    "shorter-than-archive": (answer(length=len(ARCHIVE) - 9), Reason.ARTIFACT_UNSAFE, "is truncated"),
    "huge": (answer(length=1 << 40), Reason.ARTIFACT_TOO_LARGE, "larger than 128 MiB"),
    "other-bytes": (answer(b"<html>" * 99), Reason.ARTIFACT_UNSAFE, "not of the format"),
    "nothing": (answer(b""), Reason.ARTIFACT_UNSAFE, "is truncated"),
    "no-such-key": (error(404, "NoSuchKey"), Reason.ARTIFACT_NOT_FOUND, "no such key"),
    "no-such-bucket": (error(404, "NoSuchBucket"), Reason.ARTIFACT_NOT_FOUND, "no such bucket"),
    "no-such-version": (error(404, "NoSuchVersion"), Reason.ARTIFACT_NOT_FOUND, "no such version"),
    "malformed-version": (error(400, "InvalidArgument"), Reason.ARTIFACT_NOT_FOUND, "no version at all"),
    "denied": (error(403, "AccessDenied"), Reason.ARTIFACT_FETCH_FAILED, "access was denied"),
    "bad-signature": (error(403, "SignatureDoesNotMatch"), Reason.ARTIFACT_FETCH_FAILED, "access was denied"),
    "not-an-s3-error": (answer(b"gone fishing", 418), Reason.ARTIFACT_FETCH_FAILED, "answered 418"),
    "unknown": (answer(b"", 401), Reason.ARTIFACT_FETCH_FAILED, "access was denied"),
    "expired": (error(400, "ExpiredToken"), Reason.ARTIFACT_FETCH_FAILED, "access was denied"),
    "broken": (error(500, "InternalError"), Reason.ARTIFACT_FETCH_FAILED, "answered 500"),
    "hostile-code": (error(400, "`\x01" + "x" * 9_999), Reason.ARTIFACT_FETCH_FAILED, "answered 400"),
}  # fmt: skip


@pytest.mark.parametrize(("lie", "reason", "text"), LIES.values(), ids=LIES.keys())
def test_a_lie_is_told_as_what_it_is(server: ScriptedServer, lie: Answer, reason: Reason, text: str) -> None:
    failure = failure_of(server, lie)
    assert (failure.reason, text in failure.message) == (reason, True), failure.message
    assert "`s3://bucket/a.zip`" in failure.message


def test_a_body_that_outgrows_its_bound_is_cut_off(server: ScriptedServer) -> None:
    def endless(request: Request) -> None:
        request.wfile.write(HEAD + b"Transfer-Encoding: chunked\r\n\r\n")
        while True:
            request.wfile.write(b"10000\r\n" + bytes(1 << 16) + b"\r\n")

    failure = failure_of(server, endless, limits=Limits(archive=1 << 20))
    assert failure.reason is Reason.ARTIFACT_TOO_LARGE


@pytest.mark.parametrize(
    "broken",
    [stall(0), error(503, "SlowDown"), error(500, "InternalError"), answer(length=len(ARCHIVE) + 9)],
    ids=["hangs-up", "slow-down", "internal-error", "breaks-off"],
)
def test_what_may_pass_is_tried_again(server: ScriptedServer, broken: Answer) -> None:
    in_turn(server, broken, answer())
    assert fetcher().fetch(origin_at(server), [""], FetchContext()).files
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "denied", [error(403, "AccessDenied"), error(404, "NoSuchVersion"), answer(version="v2")]
)
def test_what_will_not_pass_is_asked_once(server: ScriptedServer, denied: Answer) -> None:
    failure_of(server, denied)
    assert len(server.requests) == 1


def test_a_server_that_stays_broken_is_given_up(server: ScriptedServer) -> None:
    failure = failure_of(server, error(503, "SlowDown"), bounds=Bounds(retry=0))
    assert failure.reason is Reason.ARTIFACT_FETCH_FAILED
    assert "answered 503" in failure.message


SLOW: dict[str, tuple[Answer, Bounds]] = {
    "says-nothing": (stall(2), Bounds(read=0.3, retry=0)),
    "says-nothing-for-longer-than-all-attempts": (stall(2), Bounds(answer=0.5)),
    "drips-its-head": (drip(HEAD[:40], b"x", 0.1, 20), Bounds(answer=0.5)),
    "drips-its-body": (drip(HEAD + b"Content-Length: 99\r\n\r\n", b"x", 0.1, 20), Bounds(body=0.5)),
    "stops-in-its-body": (
        drip(HEAD + b"Content-Length: 99\r\n\r\nx", b"", 1, 2), Bounds(read=0.2, body=0.5, retry=0)
    ),
}  # fmt: skip


@pytest.mark.parametrize(("slow", "bounds"), SLOW.values(), ids=SLOW.keys())
def test_a_slow_server_is_left_behind(own_server: ScriptedServer, slow: Answer, bounds: Bounds) -> None:
    fetcher()._client(origin_at(own_server), bounds)  # made before the clock runs
    failure = failure_of(own_server, slow, bounds=bounds)
    assert failure.reason is Reason.ARTIFACT_FETCH_FAILED
    assert "did not answer in time" in failure.message


def test_every_byte_that_arrives_is_told(server: ScriptedServer) -> None:
    in_turn(server, answer())
    pieces: list[int] = []
    fetcher().fetch(origin_at(server), [""], FetchContext(received=pieces.append))
    assert sum(pieces) == len(ARCHIVE)


_REDIRECT = "redirects to another address, which is not followed"


@pytest.mark.parametrize(
    ("status", "told"),
    [(301, _REDIRECT), (302, _REDIRECT), (303, "connection failed"), (307, _REDIRECT), (308, _REDIRECT)],
)
def test_a_redirect_to_another_server_is_not_followed(server: ScriptedServer, status: int, told: str) -> None:
    with serving(answer()) as other:
        place = f"{other.url}/bucket/a.zip?versionId=v1"
        failure = failure_of(server, answer(b"", status, Location=place))
        assert other.requests == []
    assert len(server.requests) == 1
    assert failure.reason is Reason.ARTIFACT_FETCH_FAILED
    assert told in failure.message


_NAMED, _UNNAMED = "set `region` to `eu-west-1`", "set `region` to the bucket's region"
_MALFORMED = "AuthorizationHeaderMalformed"
ELSEWHERE: dict[str, tuple[Answer, str]] = {
    "header": (error(301, "PermanentRedirect", x_amz_bucket_region="eu-west-1"), _NAMED),
    "no-region": (error(301, "PermanentRedirect"), _UNNAMED),
    "temporary": (error(307, "TemporaryRedirect", x_amz_bucket_region="eu-west-1"), _NAMED),
    "body": (error(400, _MALFORMED, "<Region>eu-west-1</Region>"), _NAMED),
    "bad-request": (error(400, "BadRequest", x_amz_bucket_region="eu-west-1"), _NAMED),
    "hostile": (error(301, "PermanentRedirect", x_amz_bucket_region="`evil.example/"), _UNNAMED),
    "hostile-body": (error(400, _MALFORMED, "<Region>secret@evil.example</Region>"), _UNNAMED),
}  # fmt: skip


@pytest.mark.parametrize(("told", "hint"), ELSEWHERE.values(), ids=ELSEWHERE.keys())
def test_the_region_of_the_bucket_is_told_and_not_followed(
    server: ScriptedServer, told: Answer, hint: str
) -> None:
    failure = failure_of(server, told)
    assert "the bucket is in another region" in failure.message
    assert failure.hint == hint
    assert len(server.requests) == 1


@pytest.mark.parametrize(("asked", "told"), [("eu-west-1", "eu-west-1"), (None, "us-east-1")])
def test_an_error_of_the_right_region_is_no_matter_of_regions(
    server: ScriptedServer, asked: str | None, told: str
) -> None:
    in_turn(server, error(400, "InvalidRequest", x_amz_bucket_region=told))
    with pytest.raises(ArtifactFailure) as failure:
        fetcher().fetch(origin_at(server, asked), [""], FetchContext())
    assert "answered 400" in failure.value.message


def test_the_endpoint_of_the_environment_comes_after_that_of_the_configuration(
    aws: pytest.MonkeyPatch,
) -> None:
    aws.setenv("AWS_ENDPOINT_URL_S3", "https://env.example.com")
    source, document = S3Source("b", "a.zip", "v"), documents("{}")[0]
    bare = RenderConfig(document)
    configured = RenderConfig(document, s3=S3Access("https://s3.example.com"))
    asked = [Fetchers(config)[S3Source].settings(source)["endpoint"] for config in (bare, configured)]
    assert asked == ["https://env.example.com", "https://s3.example.com"]


def test_a_server_is_believed_by_the_ca_bundle_of_the_environment(
    credentials: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("127.0.0.1").configure_cert(context)
    with serving(answer(), context) as server:
        with pytest.raises(ArtifactFailure) as failure:
            S3Fetcher().fetch(origin_at(server), [""], FetchContext())
        assert "certificate is not trusted" in failure.value.message
        assert failure.value.hint == "set `AWS_CA_BUNDLE` to its CA"
        assert server.requests == []
        credentials.setenv("AWS_CA_BUNDLE", str(tmp_path / "ca.pem"))
        assert S3Fetcher().fetch(origin_at(server), [""], FetchContext()).files


def test_a_search_for_credentials_that_does_not_end_is_left_behind(
    credentials: pytest.MonkeyPatch, server: ScriptedServer, tmp_path: Path
) -> None:
    credentials.delenv("AWS_ACCESS_KEY_ID")
    credentials.delenv("AWS_SECRET_ACCESS_KEY")
    (tmp_path / "config").write_text("[default]\ncredential_process = sleep 2\n")
    with pytest.raises(ArtifactFailure) as failure:
        S3Fetcher().fetch(origin_at(server), [""], FetchContext(bounds=Bounds(answer=0.5)))
    assert "AWS credentials were not found in time" in failure.value.message
    assert server.requests == []


@pytest.mark.parametrize("named", [True, False])
def test_an_endpoint_that_cannot_be_reached_is_named_wherever_it_comes_from(named: bool) -> None:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{holder.getsockname()[1]}"
        origin = S3Source("bucket", "a.zip", "v1", endpoint if named else None)
        with pytest.raises(ArtifactFailure) as failure:
            S3Fetcher(S3Settings(endpoint)).fetch(origin, [""], FetchContext(bounds=QUICK))
    assert failure.value.reason is Reason.ARTIFACT_FETCH_FAILED
    assert f"at `{endpoint}` could not be fetched: the connection failed" in failure.value.message
    assert failure.value.hint == "check `endpoint` and the network"


@pytest.mark.parametrize(
    ("fault", "may_pass"),
    [
        (EndpointConnectionError(endpoint_url="http://s3.example.com"), True),
        (ProxyConnectionError(proxy_url="http://proxy.example.com"), False),
        (NoCredentialsError(), False),
    ],
)
def test_only_what_may_pass_is_tried_again(fault: Exception, may_pass: bool) -> None:
    assert is_transient(fault) is may_pass


_PROCESS = "[default]\ncredential_process = "
_SSO = (
    "[default]\nsso_account_id = 1\nsso_role_name = reader\nsso_region = us-east-1\n"
    "sso_start_url = https://sso.example.com/start\n"
)
SETTINGS: dict[str, tuple[str, dict[str, str], str]] = {
    "no-such-profile": ("", {"AWS_PROFILE": "absent"}, "ProfileNotFound"),
    "malformed-file": ("[default\n", {}, "ConfigParseError"),
    "text-for-a-section": ("[default]\ns3 = secret\n", {}, "AttributeError"),
    "no-such-program": (f"{_PROCESS}no-such-program-here", {}, "FileNotFoundError"),
    "failing-program": (f"{_PROCESS}false", {}, "CredentialRetrievalError"),
    "program-that-answers-no-json": (f"{_PROCESS}echo secret", {}, "JSONDecodeError"),
    "program-that-answers-a-list": (f"{_PROCESS}echo []", {}, "AttributeError"),
    "program-that-answers-a-key-that-is-a-list": (
        _PROCESS + """echo '{"Version": 1, "AccessKeyId": ["secret"], "SecretAccessKey": "secret"}'""",
        {},
        "TypeError",
    ),
    "no-such-token-file": (
        "",
        {
            "AWS_WEB_IDENTITY_TOKEN_FILE": "no-such-file-here",
            "AWS_ROLE_ARN": "arn:aws:iam::123456789012:role/reader",
        },
        "FileNotFoundError",
    ),
    "no-such-container-token": (
        "",
        {
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1:9/",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "no-such-file-here",
        },
        "FileNotFoundError",
    ),
    "no-such-mode": ("", {"AWS_RETRY_MODE": "secret"}, "InvalidRetryModeError"),
    "never-logged-in": (_SSO, {}, "SSOTokenLoadError"),
}


@pytest.mark.parametrize(("file", "variables", "told"), SETTINGS.values(), ids=SETTINGS.keys())
def test_settings_that_cannot_be_used_are_a_failure(
    aws: pytest.MonkeyPatch,
    server: ScriptedServer,
    tmp_path: Path,
    file: str,
    variables: dict[str, str],
    told: str,
) -> None:
    aws.delenv("AWS_ACCESS_KEY_ID")
    aws.delenv("AWS_SECRET_ACCESS_KEY")
    aws.setenv("HOME", str(tmp_path))
    (tmp_path / "config").write_text(file)
    for name, value in variables.items():
        aws.setenv(name, value)
    with pytest.raises(ArtifactFailure) as failure:
        S3Fetcher().fetch(origin_at(server), [""], FetchContext(bounds=QUICK))
    assert failure.value.message.endswith(f"the request could not be made (`{told}`)")
    assert ("log in again" if file == _SSO else "credentials and settings") in (failure.value.hint or "")
    assert "secret" not in failure.value.message
    assert server.requests == []


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:9", "http://no-such-host.invalid"])
def test_a_server_that_is_away_is_no_matter_of_credentials(endpoint: str) -> None:
    origin = S3Source("bucket", "a.zip", "v1", endpoint)
    with pytest.raises(ArtifactFailure) as failure:
        S3Fetcher().fetch(origin, [""], FetchContext(bounds=QUICK))
    assert failure.value.message.endswith("could not be fetched: the connection failed")
    assert failure.value.hint == "check `endpoint` and the network"


def test_a_server_without_tls_is_told_apart_from_one_with_an_unknown_certificate(
    server: ScriptedServer,
) -> None:
    origin = S3Source("bucket", "a.zip", "v1", f"https://{server.host}")
    with pytest.raises(ArtifactFailure) as failure:
        S3Fetcher().fetch(origin, [""], FetchContext(bounds=QUICK))
    assert "no encrypted connection could be made" in failure.value.message
    assert failure.value.hint == "check that the server speaks TLS at `endpoint`"


def test_a_proxy_that_is_away_is_told(credentials: pytest.MonkeyPatch, server: ScriptedServer) -> None:
    credentials.setenv("NO_PROXY", "")
    credentials.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    with pytest.raises(ArtifactFailure) as failure:
        S3Fetcher().fetch(origin_at(server), [""], FetchContext(bounds=QUICK))
    assert "the proxy could not be used" in failure.value.message


def test_an_error_without_end_is_not_read_to_its_end(server: ScriptedServer) -> None:
    head = b"HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n"
    failure = failure_of(server, drip(head, b"10000\r\n" + bytes(1 << 16) + b"\r\n", 0.001, 10_000))
    assert "access was denied" in failure.message


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_is_busy_is_asked_again(server: ScriptedServer, status: int) -> None:
    in_turn(server, answer(b"", status), answer())
    assert fetcher().fetch(origin_at(server), [""], FetchContext(bounds=Bounds(pause=0.01))).files


def test_the_bounds_report_a_dead_endpoint_within_15_seconds() -> None:
    bounds = Bounds()
    assert max(bounds.answer, bounds.retry + bounds.pause + bounds.read) < 15


@pytest.mark.parametrize("version", ["", "null"])
def test_no_version_is_no_source(version: str) -> None:
    with pytest.raises(ArtifactFailure) as failure:
        S3Fetcher().fetch(S3Source("b", "a.zip", version, "http://127.0.0.1:9"), [""], FetchContext())
    assert failure.value.reason is Reason.SOURCE_NOT_IMMUTABLE


def test_a_key_that_is_no_archive_is_refused_before_any_request(server: ScriptedServer) -> None:
    origin = S3Source("b", "plugins/a", "v1", server.url)
    with pytest.raises(ArtifactFailure) as failure:
        fetcher().fetch(origin, [""], FetchContext())
    assert failure.value.reason is Reason.ARTIFACT_UNSAFE
    assert server.requests == []


ENDPOINTS: dict[str, tuple[S3Source, S3Settings, dict[str, str], str, str]] = {
    "endpoint-of-the-environment": (
        S3Source("b", "a.zip", "v"), S3Settings(), {"AWS_ENDPOINT_URL_S3": "https://env.example.com"},
        "https://env.example.com", "us-east-1",
    ),
    "endpoint-of-the-manifest-before-that-of-the-environment": (
        S3Source("b", "a.zip", "v", "https://own.example.com"), S3Settings(),
        {"AWS_ENDPOINT_URL_S3": "https://env.example.com"}, "https://own.example.com", "us-east-1",
    ),
    "aws-by-default": (
        S3Source("b", "a.zip", "v"), S3Settings(), {}, "https://s3.us-east-1.amazonaws.com", "us-east-1"
    ),
    "region-of-the-environment": (
        S3Source("b", "a.zip", "v"), S3Settings(), {"AWS_DEFAULT_REGION": "eu-north-1"},
        "https://s3.eu-north-1.amazonaws.com", "eu-north-1",
    ),
    "region-of-the-configuration": (
        S3Source("b", "a.zip", "v"), S3Settings(region="eu-west-1"), {"AWS_DEFAULT_REGION": "eu-north-1"},
        "https://s3.eu-west-1.amazonaws.com", "eu-west-1",
    ),
    "region-of-the-manifest": (
        S3Source("b", "a.zip", "v", region="eu-central-1"), S3Settings(region="eu-west-1"), {},
        "https://s3.eu-central-1.amazonaws.com", "eu-central-1",
    ),
    "endpoint-of-the-configuration": (
        S3Source("b", "a.zip", "v"), S3Settings("https://s3.example.com"), {},
        "https://s3.example.com", "us-east-1",
    ),
    "endpoint-of-the-manifest": (
        S3Source("b", "a.zip", "v", "https://own.example.com"), S3Settings("https://s3.example.com"), {},
        "https://own.example.com", "us-east-1",
    ),
}  # fmt: skip


@pytest.mark.parametrize(
    ("origin", "settings", "environment", "endpoint", "region"), ENDPOINTS.values(), ids=ENDPOINTS.keys()
)
def test_the_manifest_decides_then_the_configuration_then_the_environment(
    aws: pytest.MonkeyPatch,
    origin: S3Source,
    settings: S3Settings,
    environment: dict[str, str],
    endpoint: str,
    region: str,
) -> None:
    for name, value in environment.items():
        aws.setenv(name, value)
    client = S3Fetcher(settings)._client(origin, Bounds())
    assert (client.meta.endpoint_url, client.meta.region_name) == (endpoint, region)


class _SentError(Exception):
    """Stops a request before it leaves."""


@pytest.mark.parametrize(
    ("bucket", "endpoint", "url"),
    [
        ("b-1", None, "https://b-1.s3.us-east-1.amazonaws.com/a.zip"),
        ("b.1", None, "https://s3.us-east-1.amazonaws.com/b.1/a.zip"),
        ("b-1", "https://s3.example.com", "https://s3.example.com/b-1/a.zip"),
        ("b-1", "http://10.1.2.3:9000/base", "http://10.1.2.3:9000/base/b-1/a.zip"),
    ],
    ids=["aws", "aws-with-a-dot", "endpoint", "address"],
)
def test_the_bucket_is_in_the_host_for_aws_and_in_the_path_elsewhere(
    bucket: str, endpoint: str | None, url: str
) -> None:
    def stop(request: Any, **_: object) -> None:
        raise _SentError(request.url)

    client = fetcher()._client(S3Source(bucket, "a.zip", "v1", endpoint), Bounds())
    client.meta.events.register("before-send.s3", stop)
    with pytest.raises(_SentError, match=re.escape(f"{url}?versionId=v1")):
        client.get_object(Bucket=bucket, Key="a.zip", VersionId="v1")
    client.meta.events.unregister("before-send.s3", stop)


@pytest.mark.parametrize(
    ("environment", "endpoint"),
    [
        ({}, None),
        ({"AWS_ENDPOINT_URL": "https://all"}, "https://all"),
        ({"AWS_ENDPOINT_URL": "https://all", "AWS_ENDPOINT_URL_S3": "https://s3"}, "https://s3"),
        ({"AWS_ENDPOINT_URL_S3": ""}, None),
        ({"AWS_ENDPOINT_URL": "https://all", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "TRUE"}, None),
    ],
)
def test_the_endpoint_of_the_environment_is_that_of_the_aws_tools(
    aws: pytest.MonkeyPatch, environment: dict[str, str], endpoint: str | None
) -> None:
    for name, value in environment.items():
        aws.setenv(name, value)
    assert aws_endpoint(environment) == endpoint
    client = S3Fetcher()._client(S3Source("b", "a.zip", "v"), Bounds())
    assert client.meta.endpoint_url == (endpoint or "https://s3.us-east-1.amazonaws.com")


def test_what_decides_beside_the_source_is_told_to_the_cache() -> None:
    bare, full = S3Source("b", "a.zip", "v"), S3Source("b", "a.zip", "v", "https://own", "own-1")
    settings = S3Settings("https://s3.example.com", "eu-west-1")
    assert S3Fetcher().settings(bare) == {}
    assert S3Fetcher(settings).settings(bare) == {"endpoint": "https://s3.example.com", "region": "eu-west-1"}
    assert S3Fetcher(settings).settings(full) == {"endpoint": "https://own", "region": "own-1"}


def test_one_client_serves_every_object_of_an_endpoint() -> None:
    fetcher = S3Fetcher()
    one = fetcher._client(S3Source("b", "a.zip", "v", "http://127.0.0.1:9"), Bounds())
    assert one is fetcher._client(S3Source("c", "d.zip", "w", "http://127.0.0.1:9"), Bounds())


def test_an_endpoint_that_is_no_url_is_told() -> None:
    with pytest.raises(ArtifactFailure) as failure:
        S3Fetcher().fetch(S3Source("b", "a.zip", "v1", "not a url"), [""], FetchContext())
    assert failure.value.reason is Reason.ARTIFACT_FETCH_FAILED
