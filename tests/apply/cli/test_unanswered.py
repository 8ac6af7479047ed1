"""A server that is not there, or is something else: the message says which, and asking again ends at once."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc  # type: ignore[import-untyped, unused-ignore]
import pytest
import trustme

from kagent_apply.cli.client.server import Answer
from tests.apply.cli.calling import call

IN = ("-n", "payments", "--server")
CREATE = ("create", "-n", "payments", "--harness", "h", "--template", "t", "--request-id", "once")


@pytest.mark.parametrize(
    "address",
    ["localhost", "http://127.0.0.1:8084", "8084", "127.0.0.1:", "[::1]", "a b:1", "user@host:1", ""],
)
def test_an_address_that_is_none_is_refused_before_anybody_is_asked(address: str) -> None:
    found = call("list", *IN, address)
    assert found.status == 2
    assert "Invalid value for '--server'" in found.err
    assert found.err.endswith(": it is not `HOST:PORT`, such as `127.0.0.1:8084`\n")


@pytest.mark.parametrize("seconds", ["2m", "soon"])
def test_a_timeout_that_is_no_number_is_told_as_one(seconds: str) -> None:
    found = call("list", *IN, "127.0.0.1:1", "--timeout", seconds)
    assert f"'{seconds}' is not a valid number of seconds" in found.err


@contextmanager
def http() -> Iterator[str]:
    """What speaks HTTP/1.1 and nothing else."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            while True:
                try:
                    client, _ = listening.accept()
                except OSError:
                    return
                with client:
                    client.recv(64)
                    client.sendall(
                        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
                    )

        threading.Thread(target=answer, daemon=True).start()
        try:
            yield f"127.0.0.1:{listening.getsockname()[1]}"
        finally:
            listening.shutdown(socket.SHUT_RDWR)


@contextmanager
def nothing() -> Iterator[str]:
    """A port that nothing listens at."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{bound.getsockname()[1]}"


@contextmanager
def gRPC(authority: trustme.CA | None = None, *, of_clients: bool = False) -> Iterator[str]:  # noqa: N802
    """A server without services; with an authority it speaks TLS as `localhost` alone."""
    from concurrent.futures import ThreadPoolExecutor

    server = grpc.server(ThreadPoolExecutor(1))
    if authority is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        made = authority.issue_cert("localhost")
        chain = b"".join(part.bytes() for part in made.cert_chain_pems)
        pair = [(made.private_key_pem.bytes(), chain)]
        pem = authority.cert_pem.bytes()
        asked = (
            grpc.ssl_server_credentials(pair, pem, True) if of_clients else grpc.ssl_server_credentials(pair)
        )
        port = server.add_secure_port("127.0.0.1:0", asked)
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None)


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    """Who vouches for the server."""
    return trustme.CA()


@pytest.mark.server
def test_a_server_that_does_not_answer_is_told_by_its_cause(authority: trustme.CA, tmp_path: Path) -> None:
    authority.cert_pem.write_to_path(str(tmp_path / "ca.pem"))
    trustme.CA().cert_pem.write_to_path(str(tmp_path / "other.pem"))
    (tmp_path / "no.pem").write_text("no certificate")
    ours, other, odd = (("--tls-ca", str(tmp_path / f"{name}.pem")) for name in ("ca", "other", "no"))
    causes = {
        (nothing, ()): "nothing listens there",
        (http, ()): "it does not speak gRPC",
        (http, ("--tls",)): "it does not speak TLS",
        (gRPC, ("--tls",)): "it does not speak TLS",
    }
    for (peer, flags), cause in causes.items():
        with peer() as address:
            assert told(address, *flags) == f"error: `{address}` does not answer: {cause}"
    with gRPC(authority) as address:
        assert told(address).endswith(": it ends the connection")
        assert told(address, *other).endswith(": its certificate is not trusted")
        assert told(address, *odd).endswith(": the files of TLS cannot be used")
        assert told(address, *ours).endswith(": its certificate is for another host")
        assert "(UNIMPLEMENTED)" in told(address.replace("127.0.0.1", "localhost"), *ours)
    with gRPC(authority, of_clients=True) as address:
        assert told(address.replace("127.0.0.1", "localhost"), *ours).endswith(
            (": it asks for a client certificate", ": it ends the connection")
        )
    assert told("nohost.invalid:1").endswith(": its host has no address")


def told(address: str, *flags: str) -> str:
    """The first line about a server that is asked."""
    return call("list", *IN, address, *flags, env={"NO_PROXY": "*", "no_proxy": "*"}).err.splitlines()[0]


@pytest.mark.server
def test_create_does_not_ask_again_what_can_never_answer() -> None:
    with gRPC() as address:
        made = call(*CREATE, "--server", address, "--tls", "--timeout", "60")
    assert made.err.splitlines() == [
        f"error: `{address}` does not answer: it does not speak TLS",
        "  hint: leave `--tls`, `--tls-ca` and `--tls-cert` out",
    ]


@pytest.mark.parametrize(
    ("details", "told", "lasting"),
    [
        ("Tls handshake failed: CERTIFICATE_VERIFY_FAILED: self signed certificate", False, True),
        ("last error: ipv4:127.0.0.1:1: Failed to connect: Connection refused", False, False),
        ("words of a later gRPC", False, False),
        ("Substrate says CERTIFICATE_VERIFY_FAILED", True, False),
    ],
)
def test_only_what_a_server_did_not_say_can_be_lasting(details: str, told: bool, lasting: bool) -> None:
    assert Answer("UNAVAILABLE", details, "", told=told).is_lasting is lasting
