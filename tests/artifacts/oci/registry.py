"""A real registry, and the real tools that push to it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from kagent_render.api.hub import OciSource
from tests.artifacts.oci.documents import Json, Library
from tests.parts import missing

# The user `user` with the password `secret-word`, by bcrypt at its lowest cost.
HTPASSWD = "user:$2b$04$abcdefghijklmnopqrstuujV0zJ3tj1V5vPQQ5i8Bd/sbbeTbZTaC\n"


@dataclass(frozen=True)
class RegistryServer:
    """A running docker-registry on the loopback interface, with what it keeps on disk."""

    host: str
    storage: Path

    def origin(self, repository: str, digest: str) -> OciSource:
        return OciSource(f"{self.host}/{repository}@{digest}")

    def kept(self, digest: str) -> Path:
        """The file in which the registry keeps a blob or a manifest."""
        algorithm, _, digits = digest.partition(":")
        return self.storage / "docker/registry/v2/blobs" / algorithm / digits[:2] / digits / "data"

    def upload(self, library: Library, repository: str) -> None:
        """Push a library as the distribution protocol says, blobs first."""
        base = f"http://{self.host}/v2/{repository}"
        session = requests.Session()
        session.trust_env = False
        for digest, (data, media_type) in library.contents.items():
            if media_type != "application/octet-stream":
                continue
            place = session.post(f"{base}/blobs/uploads/").headers["Location"]
            session.put(place, params={"digest": digest}, data=data).raise_for_status()
        for digest, (data, media_type) in library.contents.items():
            if media_type != "application/octet-stream":
                headers = {"Content-Type": media_type}
                session.put(f"{base}/manifests/{digest}", data=data, headers=headers).raise_for_status()

    def source(self, library: Library, image: Json, repository: str) -> OciSource:
        """Push a library; gives the source of one of its documents."""
        self.upload(library, repository)
        return self.origin(repository, image["digest"])


@contextmanager
def serving_registry(folder: Path, storage: Path, settings: str = "") -> Iterator[RegistryServer]:
    """docker-registry over `storage` on a free port; `settings` continue those of `http`."""
    program = shutil.which("docker-registry")
    if program is None:
        missing("no `docker-registry` on PATH")
    with socket.socket() as holder:
        holder.bind(("127.0.0.1", 0))
        host = f"127.0.0.1:{holder.getsockname()[1]}"
    config = folder / "registry.yaml"
    config.write_text(
        f"version: 0.1\nlog: {{level: error}}\nstorage: {{filesystem: {{rootdirectory: {storage}}}}}\n"
        f"http:\n  addr: {host}\n{settings}"
    )
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [str(program), "serve", str(config)],
            env={"PATH": os.environ["PATH"], "OTEL_TRACES_EXPORTER": "none"},
            stdout=log,
            stderr=log,
        )
    try:
        _await(host, process, folder / "log")
        yield RegistryServer(host, storage)
    finally:
        process.terminate()
        process.wait()


def _await(host: str, process: subprocess.Popen[bytes], log: Path) -> None:
    name, _, port = host.partition(":")
    deadline = time.monotonic() + 30
    while True:
        try:
            socket.create_connection((name, int(port)), 1).close()
        except OSError:
            if process.poll() is not None or time.monotonic() > deadline:
                missing(f"docker-registry did not start: {log.read_text()[-2000:]}")
            time.sleep(0.02)
        else:
            return


class Buildah:
    """buildah with storage of its own, without a network."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._program = shutil.which("buildah")
        if self._program is None:
            missing("no `buildah` on PATH")
        (folder / "policy.json").write_text('{"default": [{"type": "insecureAcceptAnything"}]}')
        (folder / "registries.conf").write_text("")

    def __call__(self, *args: str) -> str:
        """Run one command; gives the last line of what it prints."""
        storage = "--root", f"{self._folder}/root", "--runroot", f"{self._folder}/run"
        done = subprocess.run(
            [str(self._program), *storage, "--storage-driver", "vfs", "--registries-conf",
             f"{self._folder}/registries.conf", *args],
            env={"PATH": os.environ["PATH"], "HOME": str(self._folder), "TMPDIR": str(self._folder)},
            capture_output=True,
            text=True,
        )  # fmt: skip
        if done.returncode:
            missing(f"buildah {' '.join(args)}: {done.stderr[-2000:]}")
        return done.stdout.strip().rpartition("\n")[2]

    def commit(self, container: str, name: str, form: str = "oci") -> None:
        self("commit", "--quiet", "--format", form, self.policy, container, name)

    def push(self, name: str, target: str, *flags: str, command: tuple[str, ...] = ("push",)) -> str:
        """Push an image or a list to a registry without TLS; gives its digest."""
        digest = self._folder / "digest"
        self(
            *command, "--quiet", "--tls-verify=false", self.policy, "--digestfile", str(digest), *flags, name,
            f"docker://{target}",
        )  # fmt: skip
        return digest.read_text().strip()

    @property
    def policy(self) -> str:
        return f"--signature-policy={self._folder}/policy.json"
