"""The whole service as a process of its own, and what it says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.apply.cli.calling import call
from tests.parts import REPOSITORY
from tests.running import Run

NEWEST = REPOSITORY / "examples" / "substrate-v0.4"
"""An agent that is rendered for the newest generation of Substrate."""

JUNE = REPOSITORY / "examples" / "incident"
"""The same for that of June 2026."""

HERE = ("--listen", "127.0.0.1:0", "--log-format", "json")
AGENT = ("-n", "agent-team", "--harness", "python-runtime", "--template", "incident-coordinator")
PATIENCE = 90.0
"""Seconds within which anything happens on a busy machine."""


@dataclass(frozen=True)
class Running:
    """A server's process; what it says goes to a file, so that nothing has to read along."""

    process: subprocess.Popen[bytes]
    log: Path

    @property
    def said(self) -> str:
        return self.log.read_text()

    def until(self, pattern: str, times: int = 1) -> str:
        """Wait until it has said something so many times; the text of the last match's first group."""
        found: list[str] = []

        def said() -> bool:
            found[:] = [match.group(1) for match in re.finditer(f"({pattern})", self.said)]
            assert len(found) >= times or self.process.poll() is None, self.said
            return len(found) >= times

        wait_for(said)
        return found[times - 1]

    @property
    def address(self) -> str:
        """Where it takes calls, once it does."""
        return self.until(r"ready on [0-9.]+:[0-9]+").split()[-1]

    def call(self, *args: str) -> Run:
        """One of the client's commands."""
        return call(*args, "--server", self.address)

    def reply(self, *args: str) -> Any:
        """What a command that has to succeed prints as JSON."""
        done = self.call(*args, "-o", "json")
        assert done.status == 0, done.err
        return json.loads(done.out)

    def pairs(self) -> dict[str, dict[str, str]]:
        """What `revisions` says, by the names of templates."""
        return {pair["agentTemplate"]: pair for pair in self.reply("revisions").get("pairs", [])}

    def end(self, number: int) -> int:
        """Send a signal that ends it; its exit status."""
        self.process.send_signal(number)
        return self.process.wait(PATIENCE)


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, "it never happens"
        time.sleep(0.02)


@contextmanager
def running(
    folder: Path,
    *args: str,
    env: Mapping[str, str] | None = None,
    wrapper: tuple[str, ...] = (),
) -> Iterator[Running]:
    """`kagent-apply serve`, with its state in `folder/state` unless it is told."""
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "stderr.log"
    state = () if "--state" in args else ("--state", str(folder / "state"))
    command = [*wrapper, sys.executable, "-m", "kagent_apply.cli.main", "serve", *HERE, *state, *args]
    given = {**os.environ, "PYTHONPATH": str(REPOSITORY), "HOME": str(folder), **(env or {})}
    with (
        log.open("wb") as stderr,
        subprocess.Popen(command, stderr=stderr, cwd=folder, env=given) as process,
    ):
        try:
            yield Running(process, log)
        finally:
            process.kill()


def refused(*args: str) -> str:
    """What the program says, in this process, of settings that it does not start with."""
    done = call("serve", *HERE, *args)
    assert done.status == 2, done.err
    return done.err[done.err.index("error: ") :]


def commit(folder: Path, example: Path | None = None) -> Path:
    """A repository with an example, or with what is in the folder now, committed to `main`."""
    if example is not None:
        shutil.copytree(example, folder, dirs_exist_ok=True)
    who = ("-c", "user.name=t", "-c", "user.email=t@example.com")
    for command in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        (*who, "commit", "-qm", "x", "--allow-empty"),
    ):
        subprocess.run(["git", *command], cwd=folder, check=True, capture_output=True)
    return folder


def answer(address: str, path: str) -> tuple[int, str]:
    """What the server of probes answers."""
    try:
        with urllib.request.urlopen(f"http://{address}{path}", timeout=PATIENCE) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()
