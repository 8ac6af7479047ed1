"""A server that is told to end does so, whatever it waits for; what it was at is whole for the next start."""

from __future__ import annotations

import contextlib
import json
import signal
import socket
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.apply.cli.real_server import AGENT, NEWEST, PATIENCE, Running, commit, running, wait_for
from tests.postgresql import PostgreSQL

pytestmark = pytest.mark.process

EARLY = "ended before any call was taken"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return commit(tmp_path_factory.mktemp("repository"), NEWEST)


class BlackHole:
    """Takes connections, and never says anything."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._taken: list[socket.socket] = []
        self.address = f"127.0.0.1:{listener.getsockname()[1]}"

    def until_asked(self) -> None:
        """Wait until somebody connects, and says something."""
        taken, _ = self._listener.accept()
        self._taken.append(taken)
        taken.settimeout(PATIENCE)
        assert taken.recv(1)

    def close(self) -> None:
        for taken in self._taken:
            taken.close()


@contextmanager
def black_hole() -> Iterator[BlackHole]:
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        listener.settimeout(PATIENCE)
        hole = BlackHole(listener)
        with contextlib.closing(hole):
            yield hole


def kubeconfig(folder: Path, address: str, **user: object) -> Path:
    """A file that names an API server."""
    path = folder / "kubeconfig"
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": f"http://{address}"}}],
        "users": [{"name": "u", "user": user or {"token": "t"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    path.write_text(json.dumps(content))
    return path


def in_cluster(folder: Path, address: str) -> tuple[str, ...]:
    file = kubeconfig(folder, address)
    return ("--cluster", "--kubeconfig", str(file), "--cluster-lease", "agent-team/kagent-apply")


def ended_early(server: Running, number: int) -> None:
    """It ends in the midst of its start, once it is told to."""
    assert server.end(number) == 0, server.said
    assert "ready on" not in server.said
    name = signal.Signals(number).name
    assert server.said.count(f"{name}: {EARLY}") == 1
    assert "Traceback" not in server.said


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_database_that_never_answers_holds_up_no_end(tmp_path: Path, repository: Path, number: int) -> None:
    with black_hole() as hole:
        store = f"postgresql://kagent@{hole.address}/kagent?connect_timeout=600"
        args = ("--repo", str(repository), "--echo", "--store", store)
        with running(tmp_path, *args) as server:
            hole.until_asked()
            server.process.send_signal(signal.SIGHUP)  # which ends nothing
            ended_early(server, number)


@contextmanager
def _migrations_held(path: Path) -> Iterator[None]:
    """Somebody writes to the file, and does not come to an end."""
    path.parent.mkdir(parents=True)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("PRAGMA journal_mode = WAL")
    other.execute("BEGIN IMMEDIATE")
    yield
    other.close()


def test_a_migration_that_waits_is_left_and_made_by_the_next_start(tmp_path: Path, repository: Path) -> None:
    file = tmp_path / "state" / "store.sqlite"
    args = ("--repo", str(repository), "--echo", "--state", str(tmp_path / "state"))
    with _migrations_held(file), running(tmp_path / "first", *args) as server:
        wait_for(file.with_name("store.sqlite.lock").exists)
        ended_early(server, signal.SIGTERM)
    with running(tmp_path / "second", *args) as server:
        assert server.reply("create", *AGENT)["agentInstance"]["state"].endswith("READY")


@pytest.mark.server
def test_a_migration_that_others_hold_up_is_left_and_made_by_the_next_start(
    tmp_path: Path, repository: Path, postgresql_server: PostgreSQL
) -> None:
    import psycopg

    url = postgresql_server.fresh_database()
    args = ("--repo", str(repository), "--echo", "--store", url)
    waiting = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
    with psycopg.connect(url) as other, running(tmp_path / "first", *args) as server:
        other.execute("SELECT pg_advisory_lock(%s)", [0x6B61_6765_6E74])
        wait_for(lambda: postgresql_server.execute(waiting) != [(0,)])
        ended_early(server, signal.SIGTERM)
    with running(tmp_path / "second", *args) as server:
        assert server.reply("create", *AGENT)["agentInstance"]["state"].endswith("READY")


def test_a_program_that_gives_no_token_of_the_cluster_holds_up_no_end(
    tmp_path: Path, repository: Path
) -> None:
    begun = tmp_path / "begun"
    plugin = {
        "apiVersion": "client.authentication.k8s.io/v1",
        "command": "sh",
        "args": ["-c", f"touch {begun}; exec sleep 60"],
        "interactiveMode": "Never",
    }
    file = kubeconfig(tmp_path, "127.0.0.1:1", exec=plugin)
    args = ("--repo", str(repository), "--echo", "--cluster", "--kubeconfig", str(file))
    with running(tmp_path / "run", *args) as server:
        wait_for(begun.exists)
        ended_early(server, signal.SIGTERM)


def _git(hole: BlackHole, _folder: Path) -> tuple[str, ...]:
    return ("--repo", f"http://{hole.address}/agents")


def _cluster(hole: BlackHole, folder: Path) -> tuple[str, ...]:
    return ("--cluster-own", "agent-team", *in_cluster(folder, hole.address))


def _substrate(hole: BlackHole, folder: Path) -> tuple[str, ...]:
    return ("--substrate", f"dns:///{hole.address}", "--substrate-plaintext", "--no-echo")


@pytest.mark.parametrize("silent", [_git, _cluster, _substrate])
def test_who_never_answers_has_no_more_than_the_drain(
    tmp_path: Path, repository: Path, silent: Callable[[BlackHole, Path], tuple[str, ...]]
) -> None:
    """The drain has a second, and what comes after it another."""
    with black_hole() as hole:
        args = ("--repo", str(repository), "--echo", "--drain", "1", *silent(hole, tmp_path))
        with running(tmp_path / "run", *args) as server:
            assert server.address
            hole.until_asked()
            began = time.monotonic()
            assert server.end(signal.SIGTERM) == 0
            assert time.monotonic() - began < 3 * 2
            assert "ended: every call had its reply" in server.said
            assert "Traceback" not in server.said
