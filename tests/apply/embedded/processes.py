"""Controls whose actors are processes, and which of these live."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from kagent_apply.embedded.commands import read_commands
from kagent_apply.embedded.control import Control
from kagent_apply.embedded.opening import open_processes
from kagent_apply.embedded.process_runner import Crash
from tests.apply.embedded import actor_program
from tests.apply.embedded.calls import IMAGE, python

PROGRAM = actor_program.__file__


def open_program(
    folder: Path,
    *behaviour: str,
    env: Mapping[str, str] | None = None,
    grace: float = 5.0,
    on_crash: Callable[[Crash], None] = lambda _crash: None,
) -> Control:
    """A Control whose actors all behave in one way; they mark their lives in `folder/lives`."""
    lives = folder / "lives"
    lives.mkdir(parents=True, exist_ok=True)
    entry: dict[str, Any] = {
        "command": python(PROGRAM, *behaviour),
        "env": {"LIVES": str(lives), **(env or {})},
    }
    commands, inherited = read_commands({IMAGE: entry}), {"PATH": os.environ["PATH"]}
    return open_processes(folder / "control", commands, inherited, grace=grace, on_crash=on_crash)


def marked(folder: Path) -> list[int]:
    """Every process that ever marked a life."""
    return [int(path.name.rpartition(".")[2]) for path in (folder / "lives").iterdir()]


def living(folder: Path) -> list[int]:
    """Those of them that live, and are no zombies; not who has their number now."""
    return [pid for pid in marked(folder) if is_alive(pid) and _is_below(folder, pid)]


def daemons(folder: Path) -> list[int]:
    """Those that live without the parent that they had."""
    return [
        pid
        for path in (folder / "lives").glob("daemon.*")
        if is_alive(pid := int(path.name.rpartition(".")[2])) and _is_below(folder, pid)
    ]


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def _is_below(folder: Path, pid: int) -> bool:
    """Whether a number is that of a process, not of a thread, which works below a folder."""
    try:
        leads = f"\nTgid:\t{pid}\n" in Path(f"/proc/{pid}/status").read_text()
        return leads and folder in Path(f"/proc/{pid}/cwd").readlink().parents
    except OSError:
        return False


def until(holds: Callable[[], bool], seconds: float = 15.0) -> bool:
    """Whether something comes to hold in time."""
    end = time.monotonic() + seconds
    while not (held := holds()) and time.monotonic() < end:
        time.sleep(0.01)
    return held
