"""Files that no TLS server can use are told as such, rather than as an address that is taken."""

from __future__ import annotations

from pathlib import Path

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from kagent_apply.service.tls import CertificateError, ServerTls


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("files")
    ca = trustme.CA()
    ca.cert_pem.write_to_path(str(folder / "ca.crt"))
    for name in ("one", "other"):
        issued = ca.issue_cert("localhost")
        issued.cert_chain_pems[0].write_to_path(str(folder / f"{name}.crt"))
        issued.private_key_pem.write_to_path(str(folder / f"{name}.key"))
    key = load_pem_private_key((folder / "one.key").read_bytes(), None)
    locked = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret"))
    (folder / "locked.key").write_bytes(locked)
    (folder / "text").write_text("no certificate")
    return folder


@pytest.mark.parametrize(
    ("certificate", "key", "client_ca"),
    [
        ("text", "one.key", ""),
        ("one.crt", "text", ""),
        ("one.crt", "other.key", ""),
        ("one.key", "one.crt", ""),
        ("one.crt", "locked.key", ""),
        ("one.crt", "one.key", "text"),
    ],
)
def test_files_that_do_not_go_together_are_refused(
    files: Path, certificate: str, key: str, client_ca: str
) -> None:
    tls = ServerTls(files / certificate, files / key, files / client_ca if client_ca else None)
    with pytest.raises(CertificateError):
        tls.check()


@pytest.mark.parametrize("client_ca", ["", "ca.crt"])
def test_what_goes_together_is_taken(files: Path, client_ca: str) -> None:
    ServerTls(files / "one.crt", files / "one.key", files / client_ca if client_ca else None).check()
