"""The HTTP server of metrics and probes, over real sockets, and what hostile clients can do to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from prometheus_client.openmetrics import parser as openmetrics

from kagent_apply.observability import probe_server
from kagent_apply.observability.pair_metrics import PairMetrics
from kagent_apply.observability.probe_pages import MOST_PAIRS, probe_pages
from kagent_apply.observability.probe_server import MOST_CONNECTIONS, Page, ProbeServer
from kagent_apply.observability.readiness import Check, Checks
from tests.apply.observability.pairs import Index, pair
from tests.apply.observability.scraping import new_metrics, parsed, value

pytestmark = pytest.mark.server


@dataclass
class Served:
    """A server, and what its parts say of themselves."""

    port: int
    index: Index
    wrong: dict[str, str] = field(default_factory=dict)

    def get(self, path: str, method: str = "GET", **headers: str) -> tuple[int, str]:
        """The status and the body of one request."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with contextlib.closing(connection):
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def send(self, data: bytes) -> bytes:
        """All that comes back for raw bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=30) as connection:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))


@pytest.fixture
def served() -> Iterator[Served]:
    """A server over an index without pairs, whose parts are all well."""
    index, wrong = Index(), dict[str, str]()
    metrics = new_metrics()
    metrics.registry.register(PairMetrics(index))
    metrics.lease_taken_over()
    checks = Checks(
        [
            Check("store", lambda: wrong.get("store", "")),
            Check("substrate", lambda: wrong.get("substrate", ""), required=False),
        ]
    )
    server = ProbeServer("127.0.0.1", 0, probe_pages(metrics.registry, checks, index))
    yield Served(server.port, index, wrong)
    server.close()


def test_prometheus_can_read_the_metrics_in_both_of_its_formats(served: Served) -> None:
    status, text = served.get("/metrics")
    assert status == 200
    assert value(parsed(text), "leases_taken_over_total") == 1
    assert "_created" not in text
    status, text = served.get("/metrics", Accept="application/openmetrics-text; version=1.0.0")
    assert status == 200
    families = openmetrics.text_string_to_metric_families(text)  # type: ignore[no-untyped-call]
    assert "kagent_apply_leases_taken_over" in {family.name for family in families}


@pytest.mark.parametrize(
    ("wrong", "status", "missing", "problems"),
    [
        ({}, 200, {}, {}),
        ({"substrate": "no answer"}, 200, {}, {"substrate": "no answer"}),
        ({"store": "no answer"}, 503, {"store": "no answer"}, {}),
    ],
)
def test_readyz_says_what_is_not_ready(
    served: Served, wrong: dict[str, str], status: int, missing: dict[str, str], problems: dict[str, str]
) -> None:
    served.wrong |= wrong
    found, body = served.get("/readyz")
    document = json.loads(body)
    assert found == status
    assert (document["ready"], document["missing"], document["problems"]) == (
        status == 200,
        missing,
        problems,
    )
    assert served.get("/livez") == (200, "ok\n")


def test_a_broken_pair_is_told_of_and_does_not_make_it_unready(served: Served) -> None:
    served.index.listed = [pair("a"), *(pair(f"b{number}", problem="in conflict") for number in range(150))]
    status, body = served.get("/readyz?verbose")
    document = json.loads(body)
    assert status == 200
    assert document["pairs"]["team/python/b0"] == "in conflict"
    assert "team/python/a" not in document["pairs"]
    assert (len(document["pairs"]), document["pairsLeftOut"]) == (MOST_PAIRS, 150 - MOST_PAIRS)


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/metrics/", 404),
        ("GET", "/../metrics", 404),
        ("GET", "//host:x]/metrics", 404),
        ("POST", "/metrics", 501),
        ("HEAD", "/metrics", 501),
        ("DELETE", "/readyz", 501),
    ],
)
def test_nothing_else_is_served(served: Served, method: str, path: str, status: int) -> None:
    assert served.get(path, method)[0] == status


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x16\x03\x01\x00\xa5\x01\x00\x00\xa1",
        b"GET /metrics HTTP/9.9\r\n\r\n",
        b"GET " + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"GET /livez HTTP/1.1\r\n" + b"A: b\r\n" * 1000 + b"\r\n",
        b"GET /livez HTTP/1.1\r\nA: " + b"b" * 100_000 + b"\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused_and_harms_nobody(served: Served, data: bytes) -> None:
    with contextlib.suppress(OSError):
        assert b" 200 " not in served.send(data)
    assert served.get("/livez") == (200, "ok\n")


def test_a_probe_gets_through_however_many_connections_say_nothing(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    # What time alone would end stays, so that only the bound on connections ends any.
    monkeypatch.setattr(probe_server, "LONGEST_CONNECTION", 3600.0)
    monkeypatch.setattr(probe_server._Handler, "timeout", 3600)
    others = _answering()  # servers of other tests, whose clients keep their connections
    with contextlib.ExitStack() as silent:
        for _ in range(40):
            silent.enter_context(socket.create_connection(("127.0.0.1", served.port), timeout=30))
        assert served.get("/livez") == (200, "ok\n")
        until = time.monotonic() + 30
        while len(_answering() - others) > MOST_CONNECTIONS and time.monotonic() < until:
            time.sleep(0.01)
        assert len(_answering() - others) <= MOST_CONNECTIONS


def test_a_connection_ends_when_its_time_is_over(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe_server, "LONGEST_CONNECTION", 0.2)
    monkeypatch.setattr(probe_server._Handler, "timeout", 3600)
    with socket.create_connection(("127.0.0.1", served.port), timeout=30) as slow:
        slow.sendall(b"GET /livez HTT")
        assert slow.recv(1) == b""


def _answering() -> set[threading.Thread]:
    """The threads that wait for a request or answer one."""
    return {thread for thread in threading.enumerate() if "process_request_thread" in thread.name}


def test_a_page_that_fails_says_nothing_of_why() -> None:
    def fail(accept: str) -> Page:
        raise RuntimeError("hunter2")

    server = ProbeServer("127.0.0.1", 0, {"/metrics": fail})
    try:
        status, body = Served(server.port, Index()).get("/metrics")
    finally:
        server.close()
    assert status == 500
    assert "hunter2" not in body


def test_a_port_that_is_taken_is_an_error_and_a_closed_one_is_free() -> None:
    server = ProbeServer("127.0.0.1", 0, {})
    with pytest.raises(OSError, match="in use"):
        ProbeServer("127.0.0.1", server.port, {})
    server.close()
    ProbeServer("127.0.0.1", server.port, {}).close()


def test_it_listens_on_ipv6() -> None:
    try:
        server = ProbeServer("::1", 0, {"/livez": lambda _: Page(b"ok", "text/plain")})
    except OSError:
        pytest.skip("this machine has no IPv6 loopback")
    with contextlib.closing(http.client.HTTPConnection("::1", server.port, timeout=30)) as connection:
        connection.request("GET", "/livez")
        assert connection.getresponse().read() == b"ok"
    server.close()
