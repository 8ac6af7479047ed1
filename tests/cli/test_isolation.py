"""`--offline` is a wall, not a promise."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from kagent_render.artifacts.s3.fetcher import S3Fetcher
from kagent_render.cli.isolation import NetworkForbidden, isolated
from tests.parts import program
from tests.running import copy_example, run

WAYS: dict[str, Callable[[], object]] = {
    "socket": socket.socket,
    "unix-socket": lambda: socket.socket(socket.AF_UNIX),
    "pair": socket.socketpair,
    "connection": lambda: socket.create_connection(("127.0.0.1", 9)),
    "name": lambda: socket.getaddrinfo("localhost", 80),
    "old-name": lambda: socket.gethostbyname("localhost"),
    "program": lambda: subprocess.run(["true"], check=False),
    "shell": lambda: os.system("true"),
    "spawn": lambda: os.posix_spawn("/bin/true", ["true"], {}),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_no_way_leads_out(way: Callable[[], object]) -> None:
    with isolated(wanted=True), pytest.raises(NetworkForbidden):
        way()


def test_the_wall_stands_for_every_thread() -> None:
    caught: list[BaseException] = []

    def leave() -> None:
        try:
            socket.socket()
        except NetworkForbidden as error:
            caught.append(error)

    with isolated(wanted=True):
        thread = threading.Thread(target=leave)
        thread.start()
        thread.join()
    assert len(caught) == 1


def test_without_the_flag_and_afterwards_there_is_no_wall() -> None:
    with isolated(wanted=False):
        socket.socket().close()
    with isolated(wanted=True), isolated(wanted=True):
        pass
    socket.socket().close()


@pytest.mark.parametrize("flag", ["--offline", "--frozen"])
def test_a_fetcher_that_ignores_the_flag_gets_no_socket(
    flag: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A planted bug: the flag is lost on its way to the fetchers."""
    from kagent_render.artifacts import resolution

    root = copy_example(tmp_path / "incident", rendered=False)
    (root / ".kagent/artifacts/index.yaml").unlink()
    monkeypatch.setattr(resolution, "_unavailable", lambda missing: _fetch_all_the_same(missing))
    with pytest.raises(NetworkForbidden):
        run("check", flag, cwd=root)


def _fetch_all_the_same(missing: object) -> dict[object, object]:
    assert missing
    S3Fetcher()
    socket.create_connection(("127.0.0.1", 9))
    return {}


@pytest.mark.server
@pytest.mark.parametrize("command", [["check", "--offline"], ["check", "--frozen"], ["render", "--offline"]])
def test_offline_makes_no_call_to_the_network_in_the_kernels_eyes(command: list[str], tmp_path: Path) -> None:
    root = copy_example(tmp_path / "incident")
    log = tmp_path / "calls"
    traced = [program("strace"), "-f", "-e", "trace=network", "-o", str(log)]
    done = subprocess.run(
        [*traced, program("kagent-render"), *command, str(root)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
    )
    assert done.returncode == 0, done.stderr
    calls = [line for line in log.read_text().splitlines() if "+++ exited" not in line]
    assert calls == []


@pytest.mark.server
def test_offline_works_where_there_is_no_interface(tmp_path: Path) -> None:
    root = copy_example(tmp_path / "incident")
    if os.geteuid() != 0:
        pytest.skip("making a network namespace needs root")
    done = subprocess.run(
        [program("unshare"), "--net", program("kagent-render"), "check", "--frozen", str(root)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
