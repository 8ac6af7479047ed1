"""Connections with certificates of both sides, which are replaced while they are in use."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme

from kagent_apply.substrate.credentials import TLS
from kagent_apply.substrate.grpc_transport import GrpcTransport
from kagent_apply.substrate.newest import NewestCompute
from kagent_apply.substrate.port import ComputeUnavailableError
from tests.apply.substrate.fake_control import HANG
from tests.apply.substrate.newest_control import NewestControl
from tests.apply.substrate.parts import NAME
from tests.apply.substrate.serving import serve, wire

pytestmark = pytest.mark.server

ANSWER = 10.0


@dataclass
class Authority:
    """A certificate authority, and files of what it issued."""

    ca: trustme.CA
    folder: Path

    def server(self, *names: str) -> Any:
        """Credentials of a server that asks for a certificate of this authority."""
        issued = self.ca.issue_cert(*names)
        pair = (issued.private_key_pem.bytes(), b"".join(pem.bytes() for pem in issued.cert_chain_pems))
        return grpc.ssl_server_credentials([pair], self.ca.cert_pem.bytes(), require_client_auth=True)

    def write_client(self, name: str) -> None:
        """Replace the client's files, as whoever rotates certificates does: whole files by rename."""
        issued = self.ca.issue_cert(name)
        self._replace("client.pem", b"".join(pem.bytes() for pem in issued.cert_chain_pems))
        self._replace("client-key.pem", issued.private_key_pem.bytes())

    def _replace(self, name: str, content: bytes) -> None:
        partial = self.folder / f"{name}.partial"
        partial.write_bytes(content)
        partial.replace(self.folder / name)

    def tls(self, **fields: Any) -> TLS:
        """The files as a client is configured."""
        self.ca.cert_pem.write_to_path(str(self.folder / "ca.pem"))
        told = {"certificate": self.folder / "client.pem", "key": self.folder / "client-key.pem", **fields}
        return TLS(self.folder / "ca.pem", **told)


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    made = Authority(trustme.CA(), tmp_path)
    made.write_client("first.clients.example")
    return made


def test_both_sides_show_a_certificate(authority: Authority) -> None:
    with serve(NewestControl(), authority.server("localhost")) as (served, port):
        compute = NewestCompute(GrpcTransport(f"dns:///localhost:{port}", authority.tls()))
        compute.ping(ANSWER)
        compute.close()
    assert served.peers == ["first.clients.example"]


def test_one_file_may_hold_certificate_and_key(authority: Authority) -> None:
    both = authority.folder / "both.pem"
    authority.ca.issue_cert("bundle.clients.example").private_key_and_cert_chain_pem.write_to_path(str(both))
    with serve(NewestControl(), authority.server("localhost")) as (served, port):
        compute = NewestCompute(GrpcTransport(f"localhost:{port}", authority.tls(certificate=both, key=None)))
        compute.ping(ANSWER)
        compute.close()
    assert served.peers == ["bundle.clients.example"]


def test_a_server_of_another_name_needs_to_be_expected(authority: Authority) -> None:
    with serve(NewestControl(), authority.server("api.ate-system.svc")) as (_, port):
        wrong = NewestCompute(GrpcTransport(f"localhost:{port}", authority.tls()))
        with pytest.raises(ComputeUnavailableError):
            wrong.ping(0.5)
        right = NewestCompute(
            GrpcTransport(f"localhost:{port}", authority.tls(server_name="api.ate-system.svc"))
        )
        right.ping(ANSWER)
        for compute in (wrong, right):
            compute.close()


@pytest.mark.parametrize("wrong", ["another authority", "no certificate", "another client", "clear text"])
def test_without_the_right_certificates_there_is_no_answer(authority: Authority, wrong: str) -> None:
    tls: TLS | None = authority.tls()
    other = Authority(trustme.CA(), authority.folder / "other")
    other.folder.mkdir()
    if wrong == "another authority":
        other.ca.cert_pem.write_to_path(str(authority.folder / "ca.pem"))
    elif wrong == "no certificate":
        tls = authority.tls(certificate=None, key=None)
    elif wrong == "another client":
        other.write_client("stranger.example")
        files = {"certificate": other.folder / "client.pem", "key": other.folder / "client-key.pem"}
        tls = authority.tls(**files)
    else:
        tls = None
    control = NewestControl()
    with serve(control, authority.server("localhost")) as (_, port):
        compute = NewestCompute(GrpcTransport(f"localhost:{port}", tls))
        with pytest.raises(ComputeUnavailableError, match=r"`UNAVAILABLE`|`DEADLINE_EXCEEDED`") as caught:
            compute.ping(0.5)
        assert "certificates" in caught.value.hint
        compute.close()
    assert not control.calls


def test_certificates_that_are_replaced_are_used_from_the_next_call_on(authority: Authority) -> None:
    with serve(NewestControl(), authority.server("localhost")) as (served, port):
        compute = NewestCompute(GrpcTransport(f"localhost:{port}", authority.tls()))
        compute.ping(ANSWER)
        compute.ping(ANSWER)
        authority.write_client("second.clients.example")
        compute.ping(ANSWER)
        compute.close()
    assert served.peers == [*["first.clients.example"] * 2, "second.clients.example"]


def test_a_call_under_way_outlives_the_certificates_that_it_began_with(authority: Authority) -> None:
    control = NewestControl()
    with serve(control, authority.server("localhost")) as (served, port), wire(port) as line:
        compute = NewestCompute(GrpcTransport(f"localhost:{line.port}", authority.tls()))
        compute.ping(ANSWER)
        control.fail("GetActor", HANG)
        done: list[object] = []
        thread = threading.Thread(target=lambda: done.append(compute.actor(NAME, ANSWER)))
        thread.start()
        assert served.hanging.acquire(timeout=ANSWER)
        authority.write_client("second.clients.example")
        compute.ping(ANSWER)
        assert line.wait_for_open(2, ANSWER)
        control.fail("GetActor")
        served.release.set()
        thread.join(ANSWER)
        assert line.wait_for_open(1, ANSWER), "the connection before is closed with its last call"
        compute.close()
        assert line.wait_for_open(0, ANSWER)
    assert len(done) == 1
    assert served.peers[-2:] == ["first.clients.example", "second.clients.example"]


@pytest.mark.parametrize("damage", ["gone", "no PEM"])
def test_files_that_cannot_be_used_leave_the_connection_as_it_is(authority: Authority, damage: str) -> None:
    with serve(NewestControl(), authority.server("localhost")) as (served, port):
        compute = NewestCompute(GrpcTransport(f"localhost:{port}", authority.tls()))
        compute.ping(ANSWER)
        key = authority.folder / "client-key.pem"
        if damage == "gone":
            key.unlink()
        else:
            key.write_text("half a k")
        compute.ping(ANSWER)
        authority.write_client("second.clients.example")
        compute.ping(ANSWER)
        compute.close()
    assert served.peers == [*["first.clients.example"] * 2, "second.clients.example"]


def test_a_certificate_whose_key_comes_later_is_used_once_both_are_there(authority: Authority) -> None:
    """Two files are not replaced at one moment: in between they do not fit, and no server is reached."""
    with serve(NewestControl(), authority.server("localhost")) as (served, port):
        compute = NewestCompute(GrpcTransport(f"localhost:{port}", authority.tls()))
        compute.ping(ANSWER)
        key = (authority.folder / "client-key.pem").read_bytes()
        authority.write_client("second.clients.example")
        newer = (authority.folder / "client-key.pem").read_bytes()
        (authority.folder / "client-key.pem").write_bytes(key)
        with pytest.raises(ComputeUnavailableError):
            compute.ping(0.3)
        (authority.folder / "client-key.pem").write_bytes(newer)
        compute.ping(ANSWER)
        compute.close()
    assert served.peers[-1] == "second.clients.example"
