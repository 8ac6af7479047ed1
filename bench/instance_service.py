"""`kagent-apply serve` in a process of its own, over a commit of examples/substrate-v0.4."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.processes import PYTHON, SERVICE_PROGRAM, run
from bench.workspace import IDENTITY

EXAMPLE = Path(__file__).parents[1] / "examples" / "substrate-v0.4"
_READY = re.compile(rb"ready on 127\.0\.0\.1:(\d+)")


@dataclass(frozen=True, slots=True)
class Served:
    """A server: its address, its process, and the folder of its state."""

    address: str
    pid: int
    state: Path


@contextmanager
def served(folder: Path, *flags: str, echo: bool = True) -> Iterator[Served]:
    """A server, with actors in its process unless told otherwise, ended when the block does."""
    repository, state = committed(folder / "repository"), folder / "state"
    command = [*SERVICE_PROGRAM, "serve", "--listen", "127.0.0.1:0", *(["--echo"] if echo else [])]
    command += ["--repo", str(repository), "--state", str(state), *flags]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE) as server:
        try:
            yield Served(f"127.0.0.1:{_port(server)}", server.pid, state)
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


@contextmanager
def one_row_server(url: str) -> Iterator[str]:
    """The address of a server that commits one row at each call."""
    command = [PYTHON, "-m", "bench.one_row_server", url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        try:
            yield f"127.0.0.1:{int(server.stdout.readline())}"
        finally:
            server.stdin.close()


def committed(place: Path) -> Path:
    """The example in a repository of its own, made where it is not there yet."""
    if not place.exists():
        shutil.copytree(EXAMPLE, place)
        for command in (
            ["init", "--quiet"],
            ["add", "."],
            [*IDENTITY, "commit", "--quiet", "--message", "all"],
        ):
            run("git", "-C", str(place), *command)
    return place


def _port(server: subprocess.Popen[bytes]) -> int:
    """The port out of the log, the rest of which is read and dropped."""
    assert server.stderr is not None
    seen = b""
    for line in server.stderr:
        seen += line
        if found := _READY.search(line):
            threading.Thread(target=server.stderr.read, daemon=True).start()
            return int(found[1])
    raise RuntimeError(f"the server did not begin: {seen.decode()}")
