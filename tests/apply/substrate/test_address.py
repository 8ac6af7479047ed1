"""Where a Control service may be, and what may go there in clear text."""

from __future__ import annotations

from pathlib import Path

import pytest

from kagent_apply.substrate.address import read_address
from kagent_apply.substrate.credentials import TLS
from kagent_apply.substrate.grpc_transport import GrpcTransport
from kagent_apply.substrate.port import ComputeRefusedError


@pytest.mark.parametrize(
    ("text", "target", "loopback"),
    [
        ("localhost:8080", "dns:///localhost:8080", True),
        ("LOCALHOST:8080", "dns:///LOCALHOST:8080", True),
        ("dns:///localhost:8080", "dns:///localhost:8080", True),
        ("127.0.0.1:1", "dns:///127.0.0.1:1", True),
        ("127.1.2.3:1", "dns:///127.1.2.3:1", True),
        ("[::1]:443", "dns:///[::1]:443", True),
        ("dns:///api.ate-system.svc:443", "dns:///api.ate-system.svc:443", False),
        ("10.0.0.1:443", "dns:///10.0.0.1:443", False),
        ("0.0.0.0:443", "dns:///0.0.0.0:443", False),
        ("localhost.example.com:443", "dns:///localhost.example.com:443", False),
        ("127.0.0.1.nip.io:443", "dns:///127.0.0.1.nip.io:443", False),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, target: str, loopback: bool) -> None:
    address = read_address(text)
    assert (str(address), address.is_loopback) == (target, loopback)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "localhost",
        "localhost:",
        ":80",
        "localhost:0",
        "localhost:65536",
        "localhost:80/path",
        "https://localhost:80",
        "unix:/run/ate.sock",
        "unix:///run/ate.sock",
        "xds:///ate:80",
        "dns://8.8.8.8/ate:80",
        "user:secret@ate:80",
        "a b:80",
        "localhost:80\n",
        "::1:80",
    ],
)
def test_anything_else_is_refused_without_being_quoted(text: str) -> None:
    with pytest.raises(ComputeRefusedError, match="is not one of a host and a port") as caught:
        read_address(text)
    assert "secret" not in caught.value.message


def test_clear_text_stays_on_the_machine_unless_told() -> None:
    with pytest.raises(ComputeRefusedError, match="in clear text") as caught:
        GrpcTransport("api.ate-system.svc:443")
    assert "insecure" in caught.value.hint
    GrpcTransport("api.ate-system.svc:443", insecure=True).close()
    GrpcTransport("localhost:443").close()


@pytest.mark.parametrize("name", ["authority", "certificate", "key"])
def test_a_file_that_is_missing_is_told_by_its_path(tmp_path: Path, name: str) -> None:
    pem = tmp_path / "present.pem"
    pem.write_text("-----BEGIN CERTIFICATE-----\n")
    files = {"authority": pem, "certificate": pem, "key": pem, name: tmp_path / "missing.pem"}
    with pytest.raises(ComputeRefusedError, match=r"missing\.pem` cannot be read: No such file"):
        GrpcTransport("localhost:443", TLS(files["authority"], files["certificate"], files["key"]))


def test_a_file_that_is_no_pem_is_not_quoted(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.pem"
    wrong.write_text("hunter2")
    with pytest.raises(ComputeRefusedError, match="is not in PEM") as caught:
        GrpcTransport("localhost:443", TLS(authority=wrong))
    assert "hunter2" not in caught.value.message


def test_a_key_needs_a_certificate(tmp_path: Path) -> None:
    with pytest.raises(ComputeRefusedError, match="without a certificate"):
        GrpcTransport("localhost:443", TLS(key=tmp_path / "key.pem"))
