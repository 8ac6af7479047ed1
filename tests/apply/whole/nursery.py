"""Servers that are killed and started again over the same state, each in a fraction of a second."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.apply.whole import actors
from tests.apply.whole.agents import BOUNDARIES
from tests.apply.whole.client import Client, until
from tests.parts import REPOSITORY


@dataclass
class Nursery:
    """The program that forks servers; orders may come from several threads."""

    running: subprocess.Popen[str]
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def order(self, **order: Any) -> dict[str, Any]:
        """What the program replies to an order."""
        assert self.running.stdin is not None
        assert self.running.stdout is not None
        with self._lock:
            self.running.stdin.write(json.dumps(order) + "\n")
            self.running.stdin.flush()
            reply: dict[str, Any] = json.loads(self.running.stdout.readline())
        return reply

    def start(self, **order: Any) -> dict[str, Any]:
        """A child that is ready."""
        reply = self.order(start=order)
        assert "port" in reply, (Path(order["folder"]) / "log").read_text()[-3000:]
        return reply

    def kill(self, pid: int) -> None:
        """Kill a child at once."""
        os.kill(pid, signal.SIGKILL)
        self.buried(pid)

    def buried(self, pid: int) -> None:
        """Wait for a child that was killed."""
        assert self.order(wait=pid)["status"] == -signal.SIGKILL


@contextmanager
def nursery() -> Iterator[Nursery]:
    """The program while the test runs."""
    command = [sys.executable, "-m", "tests.apply.whole.nursery_program"]
    env = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PYDANTIC_DISABLE_PLUGINS": "__all__"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, cwd=REPOSITORY, env=env) as running:
        try:
            yield Nursery(running)
        finally:
            running.kill()


@dataclass
class Doomed:
    """One server, the state that outlives it, and the Substrate that it asks; both listen where they did."""

    nursery: Nursery
    folder: Path
    settings: dict[str, Any]
    socket: bool
    pid: int = 0
    address: str = ""
    control: str = ""
    control_pid: int = 0

    def start(self) -> None:
        """Start what does not run, and wait until every agent serves."""
        if self.socket and not self.control_pid:
            self.start_control()
        listen = self.address or "127.0.0.1:0"
        told = self.nursery.start(
            folder=str(self.folder), settings={**self.settings, "listen": listen, **self._substrate()}
        )
        self.pid, self.address = told["pid"], f"127.0.0.1:{told['port']}"
        if not self.socket:
            self.control = f"127.0.0.1:{told['control']}"

    def start_control(self) -> None:
        """Start Substrate, at the same address if there was one before."""
        address = self.control or "127.0.0.1:0"
        told = self.nursery.start(folder=str(self.folder), address=address)
        self.control_pid, self.control = told["pid"], f"127.0.0.1:{told['port']}"

    def until_serving(self, client: Client) -> None:
        """Wait until all agents serve, so that nothing but calls takes steps."""
        until(lambda: self._problems(client) == [""] * len(BOUNDARIES))

    def arm(self, at: int) -> None:
        """Have the server killed at a step from now on."""
        partial = self.folder / "arming"
        partial.write_text(str(at))
        partial.replace(self.folder / "armed")

    def disarm(self) -> None:
        """Have no step be the last."""
        (self.folder / "armed").unlink()

    def died(self) -> None:
        """Wait for the server's end by its own hand, and disarm what comes after it."""
        self.nursery.buried(self.pid)
        self.disarm()

    def kill(self) -> None:
        """End the server at once."""
        self.nursery.kill(self.pid)

    def kill_control(self) -> None:
        """End Substrate at once."""
        self.nursery.kill(self.control_pid)

    def actors(self) -> dict[str, actors.Seen]:
        """Every Actor that there is."""
        return dict(actors.seen(actors.served_at(self.control)))

    def _substrate(self) -> dict[str, Any]:
        if not self.socket:
            return {"echo": True}
        return {"substrate": f"dns:///{self.control}", "substrate_plaintext": True}

    def _problems(self, client: Client) -> list[str]:
        reply = client.call("ListRevisions")
        return [pair.problem for pair in reply.message.pairs] if reply.code == "OK" else []
