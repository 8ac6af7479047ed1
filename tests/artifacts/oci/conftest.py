"""An environment that knows no registry, login or authority of this machine; real registries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme

from tests.artifacts.oci.registry import HTPASSWD, Buildah, RegistryServer, serving_registry

_AMBIENT = ("DOCKER_CONFIG", "REGISTRY_AUTH_FILE", "XDG_RUNTIME_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in (*_AMBIENT, "SSL_CERT_FILE", "SSL_CERT_DIR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


@pytest.fixture(scope="session")
def registry_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RegistryServer]:
    """docker-registry without TLS and logins, for the whole run."""
    folder = tmp_path_factory.mktemp("registry")
    with serving_registry(folder, folder / "storage") as server:
        yield server


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="session")
def guarded_server(
    registry_server: RegistryServer, authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RegistryServer]:
    """The same content with TLS, for whoever knows the password."""
    folder = tmp_path_factory.mktemp("guarded")
    certificate = authority.issue_cert("127.0.0.1")
    certificate.private_key_and_cert_chain_pem.write_to_path(str(folder / "server.pem"))
    (folder / "htpasswd").write_text(HTPASSWD)
    settings = (
        f"  tls: {{certificate: {folder}/server.pem, key: {folder}/server.pem}}\n"
        f"auth: {{htpasswd: {{realm: tests, path: {folder}/htpasswd}}}}\n"
    )
    with serving_registry(folder, registry_server.storage, settings) as server:
        yield server


@pytest.fixture(scope="session")
def buildah(tmp_path_factory: pytest.TempPathFactory) -> Buildah:
    return Buildah(tmp_path_factory.mktemp("buildah"))
