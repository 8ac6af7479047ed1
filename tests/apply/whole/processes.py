"""Real processes: `kagent-apply serve`, and Substrate's Control beside it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.parts import REPOSITORY

PATIENCE = 60.0


@dataclass
class Process:
    """A process, and where it listens."""

    running: subprocess.Popen[str]
    address: str = ""
    lines: list[str] = field(default_factory=list)

    def until_ready(self) -> Process:
        """Read what it says until it says where it listens; go on reading, so that its pipe never fills."""
        stream = self.running.stderr or self.running.stdout
        assert stream is not None
        for line in stream:
            self.lines.append(line)
            if "ready on " in line:
                self.address = line.split()[-1]
                threading.Thread(target=lambda: self.lines.extend(stream), daemon=True).start()
                return self
        raise AssertionError(f"it ended: {self.lines}")

    def end(self) -> None:
        """Have it end as it should."""
        self.running.send_signal(signal.SIGTERM)
        assert self.running.wait(PATIENCE) == 0, self.lines

    def kill(self) -> None:
        """End it at once."""
        self.running.kill()
        self.running.wait(PATIENCE)


@contextmanager
def serving(state: Path, *args: str) -> Iterator[Process]:
    """`kagent-apply serve` at a free port."""
    command = [sys.executable, "-m", "kagent_apply.cli.main", "serve", "--listen", "127.0.0.1:0"]
    command += ["--state", str(state), "--log-format", "text", *args]
    with _started(command, stderr=subprocess.PIPE) as process:
        yield process


@contextmanager
def control(folder: Path) -> Iterator[Process]:
    """A Control in a process of its own."""
    command = [sys.executable, "-m", "tests.apply.whole.control_program", str(folder)]
    with _started(command, stdout=subprocess.PIPE) as process:
        yield process


@contextmanager
def _started(command: list[str], **streams: int) -> Iterator[Process]:
    own = {name: value for name, value in os.environ.items() if not name.startswith("KAGENT_APPLY_")}
    env = {**own, "PYTHONPATH": str(REPOSITORY)}
    with subprocess.Popen(command, text=True, cwd=REPOSITORY, env=env, **streams) as running:  # type: ignore[call-overload]
        try:
            yield Process(running).until_ready()
        finally:
            running.kill()
