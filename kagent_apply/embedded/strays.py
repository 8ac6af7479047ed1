"""Processes that left the group of their actor, which are found by who becomes their parent. Linux only."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kagent_apply.embedded.supervised import MARK

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_PR_SET_CHILD_SUBREAPER: Final = 36


def adopt() -> None:
    """Have this process be the parent of what its children leave behind."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def kill_strays(leaders: Collection[int], runs: Collection[str]) -> None:
    """Kill adopted processes whose run is not one of `runs`."""
    for pid in _children():
        if pid not in leaders and not _belongs(pid, runs):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


def _children() -> Iterator[int]:
    with contextlib.suppress(OSError):
        text = Path(f"/proc/self/task/{os.getpid()}/children").read_text()
        yield from map(int, text.split())


def _belongs(pid: int, runs: Collection[str]) -> bool:
    try:
        variables = Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(f"{MARK}={run}".encode() in variables for run in runs)
