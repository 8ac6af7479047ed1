"""A terminal for tests: programs run at it as a person runs them, and what they show is read from it."""

from __future__ import annotations

import os
import pty
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Running:
    """A program at a terminal, and what it has shown so far."""

    process: subprocess.Popen[bytes]
    terminal: int
    shown: str = ""

    def until_line(self, text: str) -> None:
        """Read on until a whole line with something is shown; fails where the program ends before."""
        while "\n" not in self.shown.partition(text)[2]:
            assert self._read(), self.shown

    def rest(self) -> str:
        """All that it shows until it ends."""
        while self._read():
            pass
        return self.shown

    def _read(self) -> bool:
        try:
            data = os.read(self.terminal, 1 << 16)
        except OSError:  # how Linux says that nobody writes any more
            return False
        self.shown += data.decode().replace("\r\n", "\n")
        return bool(data)


@contextmanager
def at_terminal(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> Iterator[Running]:
    """A program at a terminal of 120 columns without colours, ended afterwards."""
    ours, its = pty.openpty()
    given = {"PATH": os.environ["PATH"], "COLUMNS": "120", "NO_COLOR": "1", **env}
    with subprocess.Popen(command, stdin=its, stdout=its, stderr=its, cwd=folder, env=given) as process:
        os.close(its)
        try:
            yield Running(process, ours)
        finally:
            process.terminate()
            process.wait()
            os.close(ours)
