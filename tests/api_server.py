"""A Kubernetes API server for custom resources and ConfigMaps, for kubectl and plain requests.

    with ApiServer() as server:
        server.define(definition)                      # a CustomResourceDefinition, until it is served
        answer = server.create(manifest)               # strict, and nothing is kept
        server.kubectl("apply", "--server-side", "-f", path)

ConfigMaps are those of kube-apiserver, with its validation. There is nothing else of the core:
namespaces need not exist.
"""

from __future__ import annotations

import base64
import json
import os
import ssl
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import urllib3
import yaml

from tests.parts import go_program, program

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PATIENCE = 60


@dataclass(frozen=True)
class Answer:
    """What the server said; `value` is the object, or the Status that refuses it."""

    status: int
    value: Mapping[str, Any]

    @property
    def refused(self) -> bool:
        """Whether the request failed."""
        return self.status >= 400

    @property
    def fields(self) -> set[str]:
        """The fields at fault; an unknown field is a text in the message alone."""
        causes = self.value.get("details", {}).get("causes", ())
        return {cause["field"] for cause in causes if cause["field"] != "<nil>"}

    @property
    def message(self) -> str:
        """What the Status says."""
        return str(self.value.get("message", ""))


@dataclass(frozen=True)
class Done:
    """How one call of kubectl ended."""

    status: int
    out: str
    err: str


class ApiServer:
    """A running `tests/oracles/apiserver` with a folder of its own; a context manager that ends it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="apiserver-")
        self._log = (Path(self._folder.name) / "log").open("wb")
        self._process = subprocess.Popen(
            [str(go_program("apiserver")), self._folder.name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        assert self._process.stdout is not None
        if self._process.stdout.readline().strip() != "ready":
            raise RuntimeError(Path(self._log.name).read_text()[-4000:])
        self._pool, self._headers = _connect(self.kubeconfig)
        self._paths: dict[tuple[str, str], tuple[str, str]] = {}

    @property
    def kubeconfig(self) -> Path:
        """The file by which clients find the server."""
        return Path(self._folder.name) / "kubeconfig"

    def request(self, method: str, path: str, body: object = None, **parameters: str) -> Answer:
        """Send one request."""
        query = "&".join(f"{key}={value}" for key, value in parameters.items())
        data = None if body is None else json.dumps(body).encode()
        reply = self._pool.request(method, f"{path}?{query}", body=data, headers=self._headers)
        try:
            value = json.loads(reply.data)
        except ValueError:  # nothing answers to the path, not even with a Status
            value = {"message": reply.data.decode()}
        return Answer(reply.status, value)

    def define(self, definition: Mapping[str, Any]) -> Mapping[str, Any]:
        """Create a CustomResourceDefinition and wait until it is established and its versions are served.

        A server answers for a kind a moment before it says so in the definition's status.
        """
        resources = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
        made = self.request("POST", resources, definition, fieldValidation="Strict")
        assert made.status == 201, made.message
        spec = definition["spec"]
        for version in spec["versions"]:
            api_version = f"{spec['group']}/{version['name']}"
            self._paths[api_version, spec["names"]["kind"]] = f"/apis/{api_version}", spec["names"]["plural"]
        served = [version["name"] for version in spec["versions"] if version["served"]]
        for version in served:
            self._await(f"/apis/{spec['group']}/{version}/{spec['names']['plural']}")
        return self._await(f"{resources}/{definition['metadata']['name']}", _is_established).value

    def create(self, manifest: Mapping[str, Any], *, keep: bool = False) -> Answer:
        """Create an object with strict validation; nothing is kept unless told."""
        root, plural = self._paths[manifest["apiVersion"], manifest["kind"]]
        path = f"{root}/namespaces/{manifest['metadata']['namespace']}/{plural}"
        dry = {} if keep else {"dryRun": "All"}
        return self.request("POST", path, manifest, fieldValidation="Strict", **dry)

    def kubectl(self, *args: str) -> Done:
        """Call kubectl, which knows no other server."""
        environment = {**os.environ, "HOME": self._folder.name, "KUBECONFIG": str(self.kubeconfig)}
        done = subprocess.run(
            [program("kubectl"), *args], capture_output=True, text=True, env=environment, check=False
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def flux(self, manifests: str) -> Done:
        """Apply manifests as Flux does; a line for each says what became of it."""
        command = [str(go_program("fluxapply")), str(self.kubeconfig)]
        done = subprocess.run(command, input=manifests, capture_output=True, text=True, check=False)
        return Done(done.returncode, done.stdout, done.stderr)

    def close(self) -> None:
        """End the server, whose state goes with it."""
        self._process.kill()
        self._process.communicate()
        self._log.close()
        self._folder.cleanup()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _await(
        self, path: str, is_ready: Callable[[Answer], bool] = lambda answer: not answer.refused
    ) -> Answer:
        end = time.monotonic() + _PATIENCE
        while not is_ready(answer := self.request("GET", path)):
            assert time.monotonic() < end, f"{path} is not ready: {answer.message}"
            time.sleep(0.05)
        return answer


def _is_established(answer: Answer) -> bool:
    conditions = answer.value.get("status", {}).get("conditions", [])
    return any(found["type"] == "Established" and found["status"] == "True" for found in conditions)


def _connect(kubeconfig: Path) -> tuple[urllib3.HTTPSConnectionPool, dict[str, str]]:
    config = yaml.safe_load(kubeconfig.read_text())
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    name = cluster["tls-server-name"]
    where = urllib3.util.parse_url(cluster["server"])
    pool = urllib3.HTTPSConnectionPool(
        where.host or "",
        where.port,
        ssl_context=ssl.create_default_context(cadata=authority),
        server_hostname=name,
        assert_hostname=name,
    )
    return pool, {"Authorization": f"Bearer {user['token']}", "Content-Type": "application/json"}
