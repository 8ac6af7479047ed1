"""Registries that fail, break off, stall or are not there: what is tried again, and until when."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import pytest

from kagent_render.api.hub import OciSource
from kagent_render.artifacts.deadline import Bounds
from kagent_render.artifacts.failure import ArtifactFailure
from kagent_render.artifacts.oci.fetcher import OciFetcher, OciSettings
from kagent_render.artifacts.port import FetchContext
from kagent_render.diagnostics.reasons import Reason
from tests.artifacts.oci.documents import QUICK, Library, failure_of, fetch, origin_at, registry, simple
from tests.servers import Answer, Request, drip, stall

pytestmark = pytest.mark.process

FAILED, MISMATCH, NOT_FOUND = (
    Reason.ARTIFACT_FETCH_FAILED,
    Reason.ARTIFACT_DIGEST_MISMATCH,
    Reason.ARTIFACT_NOT_FOUND,
)


def replying(status: int, body: bytes = b"secret-of-the-server", **headers: Any) -> Answer:
    return lambda request: request.reply(body, status, **headers)


def in_turn(*answers: Answer) -> Answer:
    """Each of `answers` once, the last one for good."""
    waiting = list(answers)
    return lambda request: (waiting.pop(0) if len(waiting) > 1 else waiting[0])(request)


STATUSES: dict[str, tuple[Answer, Reason, str]] = {
    "401": (replying(401), FAILED, "asks for credentials in a way that is not known"),
    "401-strange": (
        replying(401, WWW_Authenticate="Negotiate"), FAILED, "asks for credentials in a way that is not known"
    ),
    "401-basic": (replying(401, WWW_Authenticate='Basic realm="x"'), FAILED, "access was denied by"),
    "403": (replying(403), FAILED, "access was denied by"),
    "404": (replying(404), NOT_FOUND, "does not have `sha256:"),
    "410": (replying(410), NOT_FOUND, "does not have `sha256:"),
    "418": (replying(418), FAILED, "answered 418"),
    "204": (replying(204, b""), FAILED, "answered 204"),
    "206": (replying(206), FAILED, "answered 206"),
}  # fmt: skip


@pytest.mark.parametrize(("answer", "reason", "text"), STATUSES.values(), ids=STATUSES.keys())
def test_what_will_not_pass_is_asked_once(answer: Answer, reason: Reason, text: str) -> None:
    _, image = simple()
    with registry(answer) as server:
        failure = failure_of(origin_at(server, image), server)
        assert len(server.requests) == 1
    assert (failure.reason, text in failure.message) == (reason, True), failure.message
    assert f"`{server.host}`" in failure.message


def hang_up(request: Request) -> None:
    request.close_connection = True


def rubbish(request: Request) -> None:
    request.wfile.write(b"gone fishing\r\n\r\n")
    request.close_connection = True


def breaking_off(library: Library) -> Answer:
    def answer(request: Request) -> None:
        data = library.contents[request.path.rpartition("/")[2]][0]
        request.reply(data, length=len(data) + 9)

    return answer


PASSING: dict[str, Callable[[Library], Answer]] = {
    "500": lambda library: replying(500),
    "503": lambda library: replying(503),
    "429": lambda library: replying(429),
    "hangs-up": lambda library: hang_up,
    "rubbish": lambda library: rubbish,
    "breaks-off": breaking_off,
}


@pytest.mark.parametrize("broken", PASSING.values(), ids=PASSING.keys())
def test_what_may_pass_is_tried_again(broken: Callable[[Library], Answer]) -> None:
    library, image = simple()
    with registry(in_turn(broken(library), library.answer)) as server:
        assert fetch(origin_at(server, image), server).files
        assert len(server.requests) == 4


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("500", "answered 500"),
        ("429", "limits how often it may be asked"),
        ("hangs-up", "the connection to"),
        ("rubbish", "the connection to"),
        ("breaks-off", "the connection to"),
    ],
)
def test_what_does_not_pass_is_given_up(name: str, text: str) -> None:
    library, image = simple()
    with registry(PASSING[name](library)) as server:
        failure = failure_of(origin_at(server, image), server)
        assert 1 < len(server.requests) < 9
    assert (failure.reason, text in failure.message) == (FAILED, True), failure.message


def test_a_length_that_is_too_short_is_a_mismatch() -> None:
    library, image = simple()

    def answer(request: Request) -> None:
        data = library.contents[request.path.rpartition("/")[2]][0]
        request.reply(data, length=len(data) - 1)

    with registry(answer) as server:
        assert failure_of(origin_at(server, image), server).reason is MISMATCH


HEAD = b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
DEAD: dict[str, Answer] = {
    "stalls": stall(30),
    "drips-head": drip(b"HTTP/1.1 200 OK\r\nX: ", b"a", 0.05, 600),
    "drips-body": drip(HEAD, b"a", 0.05, 600),
    "stalls-in-body": drip(HEAD, b"", 30, 1),
}


@pytest.mark.parametrize("answer", DEAD.values(), ids=DEAD.keys())
def test_a_registry_that_keeps_one_waiting_is_left_behind(answer: Answer) -> None:
    _, image = simple()
    bounds = replace(QUICK, answer=0.6, body=0.6, read=0.3)
    with registry(answer) as server:
        started = time.monotonic()
        failure = failure_of(origin_at(server, image), server, context=FetchContext(bounds=bounds))
        assert time.monotonic() - started < 3 * (bounds.answer + bounds.body)
    assert failure.reason is FAILED
    assert f"`{server.host}` did not answer in time" in failure.message


def test_the_whole_artifact_has_one_bound() -> None:
    library = Library()
    image = library.image(*(library.blob(bytes([number])) for number in range(100)))

    def slow(request: Request) -> None:
        threading.Event().wait(0.1)
        library.answer(request)

    bounds = replace(QUICK, answer=0.5, body=0.5)
    with registry(slow) as server:
        failure = failure_of(origin_at(server, image), server, context=FetchContext(bounds=bounds))
        assert len(server.requests) < 30
    assert "did not answer in time" in failure.message


@contextmanager
def black_hole() -> Iterator[str]:
    """A host whose queue of connections is full, so that no connection is ever made."""
    with ExitStack() as held:
        listener = held.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(4):
            client = held.enter_context(socket.socket())
            client.setblocking(False)
            client.connect_ex(listener.getsockname())
        yield f"127.0.0.1:{listener.getsockname()[1]}"


@contextmanager
def refusing() -> Iterator[str]:
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{holder.getsockname()[1]}"


def elapsed(work: Callable[[], object]) -> float:
    started = time.monotonic()
    with pytest.raises(ArtifactFailure):
        work()
    return time.monotonic() - started


@pytest.mark.parametrize("dead", [black_hole, refusing])
@pytest.mark.parametrize("mirrored", [False, True], ids=["alone", "with-mirror"])
def test_a_dead_registry_is_told_within_its_bound(dead: Callable[[], Any], mirrored: bool) -> None:
    with dead() as host, dead() as mirror:
        fetcher = OciFetcher(OciSettings(insecure=(host, mirror), mirrors={host: mirror} if mirrored else {}))
        context = FetchContext(bounds=Bounds(connect=0.3, read=0.3, answer=0.8, retry=0.4, pause=0.05))
        origin = OciSource(f"{host}/a@sha256:{'a' * 64}")
        assert elapsed(lambda: fetcher.fetch(origin, [""], context)) < 3 * 0.8


def test_a_dead_registry_and_mirror_are_told_within_15_seconds() -> None:
    with black_hole() as host, registry(stall(60)) as mirror:
        fetcher = OciFetcher(OciSettings(insecure=(host, mirror.host), mirrors={host: mirror.host}))
        origin = OciSource(f"{host}/a@sha256:{'a' * 64}")
        assert elapsed(lambda: fetcher.fetch(origin, [""], FetchContext())) < 3 * 15
