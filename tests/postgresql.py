"""A real PostgreSQL server for tests: made, started, killed and started again."""

from __future__ import annotations

import contextlib
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg

from tests.parts import missing
from tests.ports import lasting_port

USER = "kagent"
PASSWORD = "only-for-tests"
_DEADLINE = 60.0


@dataclass
class PostgreSQL:
    """One server on a free port of the loopback interface, whose files are in a folder of its own."""

    binaries: Path
    folder: Path
    fsync: bool
    port: int
    process: subprocess.Popen[bytes] | None = None
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def url(self, database: str = "postgres", password: str = PASSWORD) -> str:
        """The URL of a database."""
        return f"postgresql://{USER}:{password}@127.0.0.1:{self.port}/{database}"

    def fresh_database(self) -> str:
        """The URL of a database that nobody has used."""
        name = f"fresh{next(self._numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        """Run a statement as the superuser."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def start(self) -> None:
        """Start the server and wait until it answers; what a killed one left behind may hold it up."""
        deadline = time.monotonic() + _DEADLINE
        while not self._answers():
            assert time.monotonic() < deadline, (self.folder / "log").read_text()[-2000:]
            if self.process is None or self.process.poll() is not None:
                self.process = self._started()
            time.sleep(0.02)

    def kill(self) -> None:
        """End the server as a crash does: nothing is written any more."""
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def freeze(self) -> None:
        """Have the server and all of its processes stop where they are; connections stay open."""
        self._signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Have them go on."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        """To the server first, so that it starts no further process."""
        assert self.process is not None
        os.kill(self.process.pid, number)
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), number)

    def stop(self) -> None:
        """End the server, its connections with it, and leave its files as they are."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait(_DEADLINE)

    def _started(self) -> subprocess.Popen[bytes]:
        settings = {
            "unix_socket_directories": str(self.folder),
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "fsync": "on" if self.fsync else "off",
            "max_connections": "200",
        }
        arguments = [argument for name, value in settings.items() for argument in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                [self.binaries / "postgres", "-D", self.folder / "data", *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                **_not_as_root(),
            )

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.url(), connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True


@contextlib.contextmanager
def running(*, fsync: bool = False) -> Iterator[PostgreSQL]:
    """A server while the test runs; with `fsync` it survives what a killed machine does."""
    binaries = _binaries()
    folder = Path(tempfile.mkdtemp(prefix="kagent-postgresql-"))
    try:
        _make(binaries, folder)
        server = PostgreSQL(binaries, folder, fsync, lasting_port())
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


def _make(binaries: Path, folder: Path) -> None:
    password = folder / "password"
    password.write_text(PASSWORD)
    if account := _not_as_root():
        for path in (folder, password):
            shutil.chown(path, account["user"])
    options = ["--auth=scram-sha-256", f"--username={USER}", f"--pwfile={password}"]
    locale = ["--encoding=UTF8", "--locale=C.UTF-8", "--no-sync"]
    made = subprocess.run(
        [binaries / "initdb", "-D", folder / "data", *options, *locale],
        capture_output=True,
        text=True,
        cwd=folder,
        **account,
    )
    assert made.returncode == 0, made.stderr


def _not_as_root() -> dict[str, Any]:
    """PostgreSQL refuses to run as root; its package brings a user for it."""
    if os.geteuid():
        return {}
    try:
        account = pwd.getpwnam("postgres")
    except KeyError:
        missing("no user `postgres` to run PostgreSQL as")
        raise
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _binaries() -> Path:
    """The folder of `initdb`, which distributions keep off PATH."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    if not installed:
        missing("no PostgreSQL server: no `initdb` on PATH or in /usr/lib/postgresql")
    return installed[-1].parent
