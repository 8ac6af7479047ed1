"""TLS of the server: certificates of clients, and certificates that are replaced while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
import trustme

from kagent_apply.auth.port import PeerCertificate
from kagent_apply.service.server import Server, build_server
from kagent_apply.service.tls import ServerTls
from tests.apply.service.parts import World
from tests.apply.service.serving import Client

pytestmark = pytest.mark.server


def write(folder: Path, name: str, issued: trustme.LeafCert) -> tuple[Path, Path]:
    """A certificate and its key as files, put there by rename."""
    paths = folder / f"{name}.crt", folder / f"{name}.key"
    for path, pem in zip(paths, (issued.cert_chain_pems[0], issued.private_key_pem), strict=True):
        pem.write_to_path(str(partial := path.with_suffix(".new")))
        partial.replace(path)
    return paths


@contextmanager
def serving(world: World, tls: ServerTls) -> Iterator[Server]:
    """A server with TLS."""
    server = build_server(world.parts(), "127.0.0.1:0", tls)
    server.start()
    try:
        yield server
    finally:
        server.drain(0)


def listed(server: Server, ca: trustme.CA, client: trustme.LeafCert | None = None) -> str:
    """How one call over a connection of its own ends."""
    pem = (client.private_key_pem.bytes(), client.cert_chain_pems[0].bytes()) if client else (None, None)
    credentials = grpc.ssl_channel_credentials(ca.cert_pem.bytes(), *pem)
    with grpc.secure_channel(f"localhost:{server.port}", credentials) as channel:
        return Client(channel).call("ListAgentInstances", namespace="payments", timeout=3).code


def test_a_client_names_itself_by_its_certificate(tmp_path: Path) -> None:
    world, ours, theirs = World(), trustme.CA(), trustme.CA()
    certificate, key = write(tmp_path, "server", ours.issue_cert("localhost"))
    theirs.cert_pem.write_to_path(str(tmp_path / "clients.crt"))
    with serving(world, ServerTls(certificate, key, tmp_path / "clients.crt")) as server:
        assert listed(server, ours) == "UNAVAILABLE"
        assert listed(server, ours, ours.issue_cert("ann@example.com")) == "UNAVAILABLE"
        assert world.tokens.seen == []
        assert listed(server, ours, theirs.issue_cert("ann@example.com", common_name="ann")) == "OK"
    assert world.tokens.seen[0].certificate == PeerCertificate("ann")


def test_without_certificates_of_clients_nobody_is_named(tmp_path: Path) -> None:
    world, ours = World(), trustme.CA()
    with serving(world, ServerTls(*write(tmp_path, "server", ours.issue_cert("localhost")))) as server:
        assert listed(server, ours) == "OK"
    assert world.tokens.seen[0].certificate is None


def test_certificates_are_replaced_while_it_runs(tmp_path: Path) -> None:
    first, second = trustme.CA(), trustme.CA()
    tls = ServerTls(*write(tmp_path, "server", first.issue_cert("localhost")))
    with serving(World(), tls) as server:
        assert (listed(server, first), listed(server, second)) == ("OK", "UNAVAILABLE")
        write(tmp_path, "server", second.issue_cert("localhost"))
        assert (listed(server, first), listed(server, second)) == ("UNAVAILABLE", "OK")
        tls.key.unlink()
        assert listed(server, second) == "OK"
        tls.key.write_text("no key")
        assert listed(server, second) == "OK"
