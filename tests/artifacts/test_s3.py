"""S3 servers that lie, break off or say nothing."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from kagent_render.api.hub import S3Source
from kagent_render.artifacts.archive.limits import Limits
from kagent_render.artifacts.deadline import Bounds
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.port import FetchContext
from kagent_render.artifacts.s3 import S3Fetcher, S3Settings
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.archives import ordinary_zip

ARCHIVE = ordinary_zip({"plugin.json": b"{}"})
Answer = Callable[[BaseHTTPRequestHandler], None]

pytestmark = pytest.mark.usefixtures("credentials")


class LyingServer(ThreadingHTTPServer):
    """Answers every request with the next of `answers`, and the last one for good."""

    daemon_threads = True

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.requests: list[BaseHTTPRequestHandler] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def origin(self) -> S3Source:
        return S3Source("bucket", "a.zip", "v1", f"http://127.0.0.1:{self.server_address[1]}")


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        server = self.server
        assert isinstance(server, LyingServer)
        server.requests.append(self)
        server.answers[min(len(server.requests), len(server.answers)) - 1](self)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@pytest.fixture(scope="module")
def running() -> Iterator[LyingServer]:
    with LyingServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.05,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def server(running: LyingServer) -> LyingServer:
    """The module's server with nothing to say yet."""
    running.answers, running.requests = [], []
    return running


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
    def write(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(body) if length is None else length))
        if version is not None:
            handler.send_header("x-amz-version-id", version)
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(body)
        handler.close_connection = True

    return write


def error(status: int, code: str) -> Answer:
    text = f"<Error><Code>{code}</Code><Message>secret-of-the-server</Message></Error>"
    return answer(text.encode(), status)


def hang_up(handler: BaseHTTPRequestHandler) -> None:
    handler.close_connection = True


def failure_of(
    server: LyingServer, *answers: Answer, limits: Limits | None = None, bounds: Bounds | None = None
) -> ArtifactFailure:
    server.answers = list(answers)
    with pytest.raises(ArtifactFailure) as failure:
        fetcher().fetch(server.origin, [""], FetchContext(limits or Limits(), bounds or Bounds()))
    assert "secret" not in failure.value.message + (failure.value.hint or "")
    assert failure.value.message.isprintable()
    return failure.value


def test_an_honest_answer_is_taken(server: LyingServer) -> None:
    server.answers = [answer()]
    assert list(fetcher().fetch(server.origin, [""], FetchContext()).files) == ["plugin.json"]
    assert server.requests[0].path == "/bucket/a.zip?versionId=v1"
    assert "test-access-key" in server.requests[0].headers["Authorization"]
    assert "test-secret-key" not in str(server.requests[0].headers)


def test_without_credentials_nothing_is_signed(server: LyingServer, credentials: pytest.MonkeyPatch) -> None:
    credentials.delenv("AWS_ACCESS_KEY_ID")
    credentials.delenv("AWS_SECRET_ACCESS_KEY")
    server.answers = [answer()]
    assert S3Fetcher().fetch(server.origin, [""], FetchContext()).files
    assert "Authorization" not in server.requests[0].headers


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
    "hostile-code": (error(400, "`\x01" + "x" * 9_999), Reason.ARTIFACT_FETCH_FAILED, "answered 400"),
}  # fmt: skip


@pytest.mark.parametrize(("lie", "reason", "text"), LIES.values(), ids=LIES.keys())
def test_a_lie_is_told_as_what_it_is(server: LyingServer, lie: Answer, reason: Reason, text: str) -> None:
    failure = failure_of(server, lie)
    assert (failure.reason, text in failure.message) == (reason, True), failure.message
    assert "`s3://bucket/a.zip`" in failure.message


def test_a_body_that_outgrows_its_bound_is_cut_off(server: LyingServer) -> None:
    def endless(handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("x-amz-version-id", "v1")
        handler.send_header("Transfer-Encoding", "chunked")
        handler.end_headers()
        try:
            while True:
                handler.wfile.write(b"10000\r\n" + bytes(1 << 16) + b"\r\n")
        except OSError:
            handler.close_connection = True

    failure = failure_of(server, endless, limits=Limits(archive=1 << 20))
    assert failure.reason is Reason.ARTIFACT_TOO_LARGE


@pytest.mark.parametrize(
    "broken",
    [hang_up, error(503, "SlowDown"), error(500, "InternalError"), answer(length=len(ARCHIVE) + 9)],
    ids=["hangs-up", "slow-down", "internal-error", "breaks-off"],
)
def test_what_may_pass_is_tried_again(server: LyingServer, broken: Answer) -> None:
    server.answers = [broken, answer()]
    assert fetcher().fetch(server.origin, [""], FetchContext()).files
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "denied", [error(403, "AccessDenied"), error(404, "NoSuchVersion"), answer(version="v2")]
)
def test_what_will_not_pass_is_asked_once(server: LyingServer, denied: Answer) -> None:
    failure_of(server, denied)
    assert len(server.requests) == 1


def test_a_server_that_stays_broken_is_given_up(server: LyingServer) -> None:
    failure = failure_of(server, error(503, "SlowDown"), bounds=Bounds(retry=0))
    assert failure.reason is Reason.ARTIFACT_FETCH_FAILED
    assert "answered 503" in failure.message


@pytest.mark.parametrize("bounds", [Bounds(answer=0.5), Bounds(body=0.5)], ids=["answer", "body"])
def test_a_server_that_drips_is_left_behind(server: LyingServer, bounds: Bounds) -> None:
    over = threading.Event()

    def drip(handler: BaseHTTPRequestHandler) -> None:
        head = b"HTTP/1.1 200 OK\r\nx-amz-version-id: v1\r\nContent-Length: 1000\r\n\r\n"
        handler.wfile.write(head if bounds.body < 1 else head[:40])
        handler.wfile.flush()
        over.wait(30)
        handler.close_connection = True

    failure = failure_of(server, drip, bounds=bounds)
    over.set()
    assert failure.reason is Reason.ARTIFACT_FETCH_FAILED
    assert "did not answer in time" in failure.message


def test_the_bounds_report_a_dead_endpoint_within_15_seconds() -> None:
    bounds = Bounds()
    assert max(bounds.answer, bounds.retry + bounds.pause + bounds.read) < 15


@pytest.mark.parametrize("version", ["", "null"])
def test_no_version_is_no_source(version: str) -> None:
    with pytest.raises(ArtifactFailure) as failure:
        S3Fetcher().fetch(S3Source("b", "a.zip", version, "http://127.0.0.1:9"), [""], FetchContext())
    assert failure.value.reason is Reason.SOURCE_NOT_IMMUTABLE


def test_a_key_that_is_no_archive_is_refused_before_any_request(server: LyingServer) -> None:
    origin = S3Source("b", "plugins/a", "v1", server.origin.endpoint)
    with pytest.raises(ArtifactFailure) as failure:
        fetcher().fetch(origin, [""], FetchContext())
    assert failure.value.reason is Reason.ARTIFACT_UNSAFE
    assert server.requests == []


ENDPOINTS: dict[str, tuple[S3Source, S3Settings, dict[str, str], str, str]] = {
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
    style = client.meta.config.s3["addressing_style"]
    assert style == ("auto" if endpoint.endswith(".amazonaws.com") else "path")


def test_one_client_serves_every_object_of_an_endpoint() -> None:
    fetcher = S3Fetcher()
    one = fetcher._client(S3Source("b", "a.zip", "v", "http://127.0.0.1:9"), Bounds())
    assert one is fetcher._client(S3Source("c", "d.zip", "w", "http://127.0.0.1:9"), Bounds())


def test_an_endpoint_that_is_no_url_is_told() -> None:
    with pytest.raises(ArtifactFailure) as failure:
        S3Fetcher().fetch(S3Source("b", "a.zip", "v1", "not a url"), [""], FetchContext())
    assert failure.value.reason is Reason.ARTIFACT_FETCH_FAILED
