"""Runs programs as users do, and tells what they took."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

PYTHON = sys.executable
PROGRAM = str(Path(sys.executable).with_name("kagent-render"))
SERVICE_PROGRAM = (PYTHON, "-m", "kagent_apply.cli.main")
KUBECTL = str(Path(sys.executable).with_name("kubectl"))


@dataclass(frozen=True, slots=True)
class Taken:
    """What one process took: wall time, and the most memory that it held at once."""

    seconds: float
    bytes: int


def run(*command: str, status: int = 0, environment: Mapping[str, str] | None = None) -> Taken:
    """Run a command to its end without its output; raises RuntimeError at another exit status."""
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**_surroundings(), **(environment or {})},
    )
    assert process.stderr is not None
    with process.stderr:
        complaint = process.stderr.read().decode()
    _, ended, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(ended)
    if process.returncode != status:
        raise RuntimeError(
            f"`{' '.join(command)}` ended with {process.returncode} instead of {status}: {complaint}"
        )
    return Taken(seconds, usage.ru_maxrss * 1024)


def _surroundings() -> dict[str, str]:
    """The environment, in which Python keeps byte code as it does for an installed program."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def printed(*command: str) -> str:
    """What a command prints."""
    return subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, check=True, text=True
    ).stdout
