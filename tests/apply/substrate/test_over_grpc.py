"""The driver and a server of each generation over a real connection, which fails in every way it can."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest

from kagent_apply.substrate.grpc_transport import LARGEST_MESSAGE, GrpcTransport
from kagent_apply.substrate.june import JuneCompute
from kagent_apply.substrate.newest import NewestCompute
from kagent_apply.substrate.port import (
    Actor,
    ActorState,
    Compute,
    ComputeDeniedError,
    ComputeRefusedError,
    ComputeUnavailableError,
)
from kagent_apply.substrate.transport import StatusError
from kagent_render.target.messages import ateapi_pb2
from tests.apply.substrate.fake_control import HANG, FakeControl, Fault
from tests.apply.substrate.june_control import JuneControl
from tests.apply.substrate.newest_control import NewestControl
from tests.apply.substrate.parts import KEY, NAME, member, revision
from tests.apply.substrate.serving import Served, serve, wire

pytestmark = pytest.mark.server

BOTH = pytest.mark.parametrize("server", [NewestControl, JuneControl], ids=["newest", "june"])
ANSWER = 10.0
"""Seconds that an answer may take here, where none is expected to take long."""


@contextlib.contextmanager
def _driver(control: FakeControl, port: int) -> Iterator[Compute]:
    transport = GrpcTransport(f"127.0.0.1:{port}")
    compute: Compute
    compute = JuneCompute(transport) if isinstance(control, JuneControl) else NewestCompute(transport)
    try:
        yield compute
    finally:
        compute.close()


@contextlib.contextmanager
def _served(control: FakeControl) -> Iterator[tuple[Served, Compute]]:
    with serve(control) as (served, port), _driver(control, port) as compute:
        yield served, compute


def _target(control: FakeControl) -> str:
    return "ate.dev/v1alpha1" if isinstance(control, JuneControl) else "ateapi/v0.4"


@BOTH
def test_a_life_over_the_network(server: type[FakeControl]) -> None:
    control = server()
    with _served(control) as (_, compute):
        compute.prepare(revision(target=_target(control)), ANSWER)
        assert compute.prepare(revision(target=_target(control)), ANSWER)
        assert compute.actor(NAME, ANSWER) is None
        actor = compute.create(NAME, member(), ANSWER)
        compute.restrict(actor, member(), ANSWER)
        assert compute.resume(actor, ANSWER).state is ActorState.RUNNING
        suspended = compute.suspend(actor, ANSWER)
        assert suspended == compute.actor(NAME, ANSWER)
        compute.delete(suspended, ANSWER)
        compute.delete_template("team", member().actor_template, ANSWER)
        assert compute.actor(NAME, ANSWER) is None


@pytest.mark.parametrize(
    ("server", "driver"),
    [(NewestControl, JuneCompute), (JuneControl, NewestCompute), (FakeControl, NewestCompute)],
)
def test_a_server_of_another_generation_is_refused(server: type[FakeControl], driver: type) -> None:
    control = server()
    with serve(control) as (_, port):
        compute: Compute = driver(GrpcTransport(f"127.0.0.1:{port}"))
        with pytest.raises(ComputeDeniedError, match="is not of the generation"):
            compute.create(NAME, member(), ANSWER)
        compute.close()
    assert "CreateActor" not in control.calls


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("ABORTED", ComputeUnavailableError),
        ("CANCELLED", ComputeUnavailableError),
        ("DATA_LOSS", ComputeRefusedError),
        ("DEADLINE_EXCEEDED", ComputeUnavailableError),
        ("FAILED_PRECONDITION", ComputeRefusedError),
        ("INTERNAL", ComputeUnavailableError),
        ("INVALID_ARGUMENT", ComputeRefusedError),
        ("OUT_OF_RANGE", ComputeRefusedError),
        ("PERMISSION_DENIED", ComputeDeniedError),
        ("RESOURCE_EXHAUSTED", ComputeUnavailableError),
        ("UNAUTHENTICATED", ComputeDeniedError),
        ("UNAVAILABLE", ComputeUnavailableError),
        ("UNIMPLEMENTED", ComputeDeniedError),
        ("UNKNOWN", ComputeUnavailableError),
    ],
)
def test_every_status_arrives_as_what_it_means(code: str, error: type[Exception]) -> None:
    control = NewestControl()
    with _served(control) as (_, compute):
        compute.ping(ANSWER)
        control.fail("GetActor", Fault(code, "of\nseveral `lines`"), forever=True)
        with pytest.raises(error, match=f"ended with `{code}`: of several 'lines'"):
            compute.actor(NAME, 0.3)


@BOTH
def test_the_deadline_is_kept_where_the_server_is_silent(server: type[FakeControl]) -> None:
    control = server()
    with _served(control) as (_, compute):
        compute.prepare(revision(target=_target(control)), ANSWER)
        actor = compute.create(NAME, member(), ANSWER)
        control.fail("ResumeActor", HANG, forever=True)
        begin = time.monotonic()
        with pytest.raises(ComputeUnavailableError):
            compute.resume(actor, 0.5)
        assert time.monotonic() - begin < 1.5


def test_the_deadline_is_kept_where_nobody_speaks_the_protocol() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        compute = NewestCompute(GrpcTransport(f"127.0.0.1:{silent.getsockname()[1]}"))
        begin = time.monotonic()
        with pytest.raises(ComputeUnavailableError, match=r"`DEADLINE_EXCEEDED`|`UNAVAILABLE`"):
            compute.ping(0.5)
        assert time.monotonic() - begin < 1.5
        compute.close()


def test_a_server_that_starts_later_is_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with _driver(NewestControl(), port) as compute:
        with pytest.raises(ComputeUnavailableError, match="`UNAVAILABLE`"):
            compute.ping(0.3)
        with serve(NewestControl(), port=port):
            compute.ping(ANSWER)


@BOTH
@pytest.mark.parametrize("late", [False, True], ids=["before the effect", "after the effect"])
def test_a_connection_that_breaks_during_a_creation_makes_one_actor(
    server: type[NewestControl | JuneControl], late: bool
) -> None:
    control = server()
    with serve(control) as (served, port), wire(port) as line, _driver(control, line.port) as compute:
        compute.prepare(revision(target=_target(control)), ANSWER)
        control.fail("CreateActor", Fault("HANG", late=late))
        made: list[object] = []
        thread = threading.Thread(target=lambda: made.append(compute.create(NAME, member(), ANSWER)))
        thread.start()
        assert served.hanging.acquire(timeout=ANSWER)
        line.cut()
        thread.join(ANSWER)
        assert len(made) == 1
        assert list(control.actors) == [KEY]
        assert line.opened == 2


def test_a_connection_that_breaks_during_a_resume_is_made_again() -> None:
    control = NewestControl()
    with serve(control) as (served, port), wire(port) as line, _driver(control, line.port) as compute:
        compute.prepare(revision(), ANSWER)
        actor = compute.create(NAME, member(), ANSWER)
        control.fail("ResumeActor", HANG)
        moved: list[Actor] = []
        thread = threading.Thread(target=lambda: moved.append(compute.resume(actor, ANSWER)))
        thread.start()
        assert served.hanging.acquire(timeout=ANSWER)
        line.cut()
        thread.join(ANSWER)
        assert [found.state for found in moved] == [ActorState.RUNNING]


@pytest.mark.parametrize(
    "reply",
    [b"\0" * (LARGEST_MESSAGE + 1), b"\xff\xff", b"\x0a\xff\xff\xff\xff\x0f"],
    ids=["oversized", "no message", "a length that is none"],
)
def test_a_reply_that_cannot_be_read_is_no_answer(reply: bytes) -> None:
    with _served(NewestControl()) as (served, compute):
        compute.prepare(revision(), ANSWER)
        compute.create(NAME, member(), ANSWER)
        served.raw["GetActor"] = reply
        with pytest.raises(ComputeUnavailableError):
            compute.actor(NAME, ANSWER)
        served.raw.clear()
        assert compute.actor(NAME, ANSWER)


def test_a_request_that_is_too_large_is_not_sent() -> None:
    control = NewestControl()
    with serve(control) as (_, port):
        transport = GrpcTransport(f"127.0.0.1:{port}")
        request = ateapi_pb2.GetActorRequest(actor=ateapi_pb2.ObjectRef(name="a" * (LARGEST_MESSAGE + 1)))
        with pytest.raises(StatusError) as caught:
            transport.call("GetActor", request, ateapi_pb2.Actor, ANSWER)
        assert caught.value.code == "RESOURCE_EXHAUSTED"
        assert not control.calls
        transport.close()


def test_the_environment_sends_calls_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("grpc_proxy", "http_proxy", "https_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("no_grpc_proxy", "no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with _served(NewestControl()) as (_, compute):
        compute.ping(ANSWER)


def test_many_threads_share_one_connection() -> None:
    control = NewestControl()
    with serve(control) as (_, port), wire(port) as line, _driver(control, line.port) as compute:
        compute.prepare(revision(), ANSWER)
        threads = [threading.Thread(target=compute.create, args=(NAME, member(), ANSWER)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(ANSWER)
        assert list(control.actors) == [KEY]
        assert line.opened == 1


def test_after_closing_no_call_is_made() -> None:
    with serve(NewestControl()) as (_, port):
        transport = GrpcTransport(f"127.0.0.1:{port}")
        transport.close()
        with pytest.raises(StatusError) as caught:
            transport.call("GetActor", ateapi_pb2.GetActorRequest(), ateapi_pb2.Actor, ANSWER)
        assert caught.value.code == "CANCELLED"
