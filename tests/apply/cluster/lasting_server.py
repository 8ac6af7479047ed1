"""An API server that is the same one after it was killed: its port, its certificates and its objects stay."""

from __future__ import annotations

import base64
import contextlib
import json
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import trustme

from kagent_apply.cluster.api import ApiError
from kagent_apply.cluster.connection import connect
from tests.parts import go_program
from tests.ports import lasting_port

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kagent_apply.cluster.api import Reply
    from kagent_apply.cluster.connection import KubernetesApi

PATIENCE = 60.0
_DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_LEASES = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {
        "name": "leases.coordination.k8s.io",
        "annotations": {"api-approved.kubernetes.io": "unapproved, for a server without the core"},
    },
    "spec": {
        "group": "coordination.k8s.io",
        "names": {"kind": "Lease", "listKind": "LeaseList", "plural": "leases", "singular": "lease"},
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                "type": "object",
                                "properties": {
                                    "holderIdentity": {"type": "string"},
                                    "leaseDurationSeconds": {"type": "integer"},
                                    "acquireTime": {"type": "string", "format": "date-time"},
                                    "renewTime": {"type": "string", "format": "date-time"},
                                    "leaseTransitions": {"type": "integer"},
                                },
                            }
                        },
                    }
                },
            }
        ],
    },
}
"""Leases as the core has them, for a server of custom resources alone."""


class LastingServer:
    """A `tests/oracles/apiserver` with an administrator who has a certificate; a context manager."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="apiserver-")
        self.folder = Path(self._folder.name)
        self._port = lasting_port()
        self._flags = self._write_certificates()
        self._process: subprocess.Popen[str] | None = None
        self.start()
        self.api: KubernetesApi = connect(self.kubeconfig)

    @property
    def kubeconfig(self) -> Path:
        """The file by which clients find the server, at any of its starts."""
        return self.folder / "lasting"

    def start(self) -> None:
        """Start it, with what it had stored."""
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [str(go_program("apiserver")), str(self.folder), str(self._port), *self._flags],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self._process.stdout is not None
        if self._process.stdout.readline().strip() != "ready":
            raise RuntimeError((self.folder / "log").read_text()[-4000:])

    def kill(self) -> None:
        """End it at once."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    @contextlib.contextmanager
    def stopped(self) -> Iterator[None]:
        """Take requests and connections, and answer nothing."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def define(self, definition: Mapping[str, Any]) -> None:
        """Create a CustomResourceDefinition, and wait until all its versions answer."""
        made = self.api.request("POST", _DEFINITIONS, {}, definition)
        assert made.status == 201, made.value
        spec = definition["spec"]
        for version in (found["name"] for found in spec["versions"] if found["served"]):
            path = f"/apis/{spec['group']}/{version}/{spec['names']['plural']}"
            eventually(lambda path=path: not self.api.request("GET", path, {}).refused)  # type: ignore[misc]

    def define_leases(self) -> None:
        """Have Leases."""
        self.define(_LEASES)

    def post(self, plural: str, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """Create an object."""
        metadata = value["metadata"]
        path = f"/apis/{value['apiVersion']}/namespaces/{metadata['namespace']}/{plural}"
        return _taken(self.api.request("POST", path, {}, value))

    def get(self, plural: str, value: Mapping[str, Any]) -> Mapping[str, Any]:
        """An object as it is now."""
        return _taken(self.api.request("GET", _path(plural, value), {}))

    def exists(self, plural: str, value: Mapping[str, Any]) -> bool:
        """Whether there is an object."""
        return self.api.request("GET", _path(plural, value), {}).status != 404

    def delete(self, plural: str, value: Mapping[str, Any]) -> None:
        """Delete an object."""
        _taken(self.api.request("DELETE", _path(plural, value), {}))

    def apply_status(
        self, plural: str, value: Mapping[str, Any], status: Mapping[str, Any], manager: str
    ) -> Mapping[str, Any]:
        """Apply a status as some field manager."""
        body = {key: value[key] for key in ("apiVersion", "kind")}
        names = {key: value["metadata"][key] for key in ("namespace", "name")}
        query = {"fieldManager": manager}
        body |= {"metadata": names, "status": dict(status)}
        path = f"{_path(plural, value)}/status"
        return _taken(self.api.request("PATCH", path, query, body, "application/apply-patch+yaml"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.api.close()
        self.kill()
        self._folder.cleanup()

    def _write_certificates(self) -> list[str]:
        authority = trustme.CA()
        server = authority.issue_cert("127.0.0.1")
        client = authority.issue_cert("tester", common_name="tester", organization_name="system:masters")
        ca, certificate, key = (self.folder / name for name in ("ca.pem", "server.pem", "server.key"))
        authority.cert_pem.write_to_path(ca)
        server.cert_chain_pems[0].write_to_path(certificate)
        server.private_key_pem.write_to_path(key)
        self.kubeconfig.write_text(json.dumps(_kubeconfig(self._port, authority, client)))
        return [f"--client-ca-file={ca}", f"--tls-cert-file={certificate}", f"--tls-private-key-file={key}"]


def _kubeconfig(port: int, authority: trustme.CA, client: trustme.LeafCert) -> dict[str, Any]:
    def encoded(blob: trustme.Blob) -> str:
        return base64.b64encode(blob.bytes()).decode()

    cluster = {
        "server": f"https://127.0.0.1:{port}",
        "certificate-authority-data": encoded(authority.cert_pem),
    }
    user = {
        "client-certificate-data": encoded(client.cert_chain_pems[0]),
        "client-key-data": encoded(client.private_key_pem),
    }
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": cluster}],
        "users": [{"name": "test", "user": user}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test"}}],
        "current-context": "test",
    }


def _path(plural: str, value: Mapping[str, Any]) -> str:
    metadata = value["metadata"]
    return f"/apis/{value['apiVersion']}/namespaces/{metadata['namespace']}/{plural}/{metadata['name']}"


def _taken(reply: Reply) -> Mapping[str, Any]:
    assert not reply.refused, reply.value
    return reply.value


def eventually(is_so: Callable[[], bool], patience: float = PATIENCE) -> None:
    """Wait until something is so; an API server that does not answer says no."""
    end = time.monotonic() + patience
    while not _answers(is_so):
        assert time.monotonic() < end, "it did not come true in time"
        time.sleep(0.02)


def _answers(is_so: Callable[[], bool]) -> bool:
    try:
        return is_so()
    except ApiError:
        return False
